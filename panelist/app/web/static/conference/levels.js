// The levels of a committee: everybody of one with their papers, who is above and below them, conflicts, and who could have a paper instead.
import { $, button, fold, html, plural, put } from "../dom.js";
import { save } from "../api.js";
import {
  badges,
  begin,
  conflictCard,
  listed,
  newestOnly,
  noteButton,
  paperPage,
  path,
  personPage,
  read,
  replacement,
  search,
  tag,
} from "./shell.js";

const SYSTEMS = { people: "For a spreadsheet", easychair: "For EasyChair", cmt: "For CMT", hotcrp: "For HotCRP" };
const role = new URLSearchParams(location.search).get("role");
const limit = listed(show, 50);
const newest = newestOnly();

async function show() {
  const page = await newest(read("/levels", { role, limit: limit(), search: search() }));
  if (!page) return;
  const here = page.levels.find((level) => level.role === page.role);
  const link = ({ role: name, people }) =>
    html`<a href="?${new URLSearchParams({ role: name })}" aria-current=${name === here?.role && "page"}>${name} (${people.toLocaleString("en")})</a>`;
  put($("#roles"), page.levels.map(link));
  $("#lead").textContent = !here
    ? "Nobody is here yet."
    : page.solution === null
      ? "No solution is chosen yet: who has which paper is shown here then."
      : `Solution ${page.solution}: ${plural(here.assigned, "paper")} for ${plural(here.people, "person", "people")}${here.room === null ? "" : `, who have room for ${here.room.toLocaleString("en")}`}.`;
  const cards = page.rows.map((row) => card(row, page.rows.length < 10));
  put($("#rows"), cards.length ? cards : html`<li class="help">Nobody.</li>`);
  $("#more").hidden = page.total <= cards.length || limit() >= 500;
  const exporter = ([format, label]) => {
    const file = path(`/solutions/${page.solution}/export`, { format, role: page.role });
    return button(label, () => save("GET", file), { "data-format": format });
  };
  put($("#exports"), page.solution !== null && here?.assigned > 0 && Object.entries(SYSTEMS).map(exporter));
}

function related(words, people) {
  const link = ({ id, label, papers }, index) =>
    html`${index > 0 && ", "}<a href=${personPage(id)} title=${id}>${label}</a> (${papers})`;
  const more = people.length > 8 && ` and ${people.length - 8} more`;
  return people.length > 0 && html`<p class="help">${words} ${people.slice(0, 8).map(link)}${more}</p>`;
}

function card({ row, above, under, below, instead, off }, open) {
  const entry = (paper) => html`
    <li data-paper=${paper.id}>
      <a href=${paperPage(paper.id)} title=${paper.id}>${paper.label}</a> ${badges({ ...paper, role: null })}
      ${
        off.includes(paper.id)
          ? [" to be taken off ", noteButton("Allow", { action: "release", paper: paper.id, reviewer: row.id })]
          : replacement(paper.id, row.id, instead[paper.id] ?? [])
      }
    </li>`;
  const load = `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`;
  const badge = row.conflicts > 0 && tag(plural(row.conflicts, "conflict of their own", "conflicts of their own"));
  const papers = row.assigned.map(entry);
  const conflicts = below.map(({ conflict, name, title }) => conflictCard(conflict, `${name} and “${title}”`));
  const number = plural(conflicts.length, "conflict below", "conflicts below");
  return html`
    <li class="card" data-person=${row.id}>
      <div class="body">
        <p><a href=${personPage(row.id)} title=${row.id}><strong>${row.name}</strong></a> ${load} ${badge}</p>
        ${row.institution && html`<p class="help">${row.institution}</p>`}
        ${related("Under", above)}${related(`Above ${plural(under.length, "person", "people")}:`, under)}
        ${papers.length > 0 && fold(plural(papers.length, "paper"), html`<ul>${papers}</ul>`, { open })}
        ${conflicts.length > 0 && fold(number, html`<ul class="conflict-list">${conflicts}</ul>`, { open: true })}
      </div>
    </li>`;
}

begin(show);
