// The levels of a committee: everybody of one with their papers, who is above and below them, conflicts, and who could have a paper instead.
import { $, button, html, plural, put } from "../dom.js";
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
  put(
    $("#roles"),
    page.levels.map(
      (level) =>
        html`<a href="?${new URLSearchParams({ role: level.role })}" aria-current=${level === here && "page"}>${level.role} (${level.people.toLocaleString("en")})</a>`,
    ),
  );
  $("#lead").textContent = !here
    ? "Nobody is here yet."
    : page.solution === null
      ? "No solution is chosen yet: who has which paper is shown here then."
      : `Solution ${page.solution}: ${plural(here.assigned, "paper")} for ${plural(here.people, "person", "people")}${here.room === null ? "" : `, who have room for ${here.room.toLocaleString("en")}`}.`;
  const cards = page.rows.map((row) => card(row, page.rows.length < 10));
  put($("#rows"), cards.length ? cards : html`<li class="help">Nobody.</li>`);
  $("#more").hidden = page.total <= cards.length || limit() >= 500;
  const file = (format) => path(`/solutions/${page.solution}/export`, { format, role: page.role });
  put(
    $("#exports"),
    page.solution !== null &&
      here?.assigned &&
      Object.entries(SYSTEMS).map(([format, label]) =>
        button(label, () => save("GET", file(format)), { "data-format": format }),
      ),
  );
}

const related = (words, people) =>
  people.length > 0 &&
  html`<p class="help">
    ${words} ${people.slice(0, 8).map(({ id, label, papers }, index) => html`${index > 0 && ", "}<a href=${personPage(id)} title=${id}>${label}</a> (${papers})`)}
    ${people.length > 8 && ` and ${people.length - 8} more`}
  </p>`;

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
  return html`
    <li class="card" data-person=${row.id}>
      <div class="body">
        <p>
          <a href=${personPage(row.id)} title=${row.id}><strong>${row.name}</strong></a>${` ${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`} `}
          ${row.conflicts > 0 && tag(plural(row.conflicts, "conflict of their own", "conflicts of their own"))}
        </p>
        ${row.institution && html`<p class="help">${row.institution}</p>`}
        ${related("Under", above)}${related(`Above ${plural(under.length, "person", "people")}:`, under)}
        ${
          row.assigned.length > 0 &&
          html`<details class="more" open=${open}>
            <summary>${plural(row.assigned.length, "paper")}</summary><ul>${row.assigned.map(entry)}</ul>
          </details>`
        }
        ${
          below.length > 0 &&
          html`<details class="more" open>
            <summary>${plural(below.length, "conflict below", "conflicts below")}</summary>
            <ul class="conflict-list">${below.map(({ conflict, name, title }) => conflictCard(conflict, `${name} and “${title}”`))}</ul>
          </details>`
        }
      </div>
    </li>`;
}

begin(show);
