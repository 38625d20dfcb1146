// The levels of a committee: everybody of one with their papers, who is above and below them, conflicts, and who could have a paper instead.
import { $, el, plural } from "../dom.js";
import { askJson, save } from "../api.js";
import {
  badges,
  begin,
  button,
  conflictCard,
  id,
  listed,
  newestOnly,
  noteButton,
  paperPage,
  personPage,
  replacement,
} from "./shell.js";

const SYSTEMS = { people: "For a spreadsheet", easychair: "For EasyChair", cmt: "For CMT", hotcrp: "For HotCRP" };
const role = new URLSearchParams(location.search).get("role") ?? "";
const limit = listed(show, 50);
const newest = newestOnly();

async function show() {
  const page = await newest(
    askJson(
      "GET",
      `conferences/${id}/levels?${new URLSearchParams({ role, limit: limit(), search: $("#search").value.trim() })}`,
    ),
  );
  if (!page) return;
  const here = page.levels.find((level) => level.role === page.role);
  $("#roles").replaceChildren(
    ...page.levels.map((level) =>
      el(
        "a",
        { href: `?${new URLSearchParams({ role: level.role })}`, "aria-current": level === here ? "page" : null },
        `${level.role} (${level.people.toLocaleString("en")})`,
      ),
    ),
  );
  $("#lead").textContent = !here
    ? "Nobody is here yet."
    : page.solution === null
      ? "No solution is chosen yet: who has which paper is shown here then."
      : `Solution ${page.solution}: ${plural(here.assigned, "paper")} for ${plural(here.people, "person", "people")}${here.room === null ? "" : `, who have room for ${here.room.toLocaleString("en")}`}.`;
  $("#rows").replaceChildren(
    ...page.rows.map((row) => card(row, page)),
    ...(page.rows.length ? [] : [el("li", { class: "help" }, "Nobody.")]),
  );
  $("#more").hidden = page.total <= page.rows.length || limit() >= 500;
  $("#exports").replaceChildren(
    ...(page.solution === null || !here?.assigned
      ? []
      : Object.entries(SYSTEMS).map(([format, label]) => {
          const exporter = button(label, () =>
            save(
              "GET",
              `conferences/${id}/solutions/${page.solution}/export?${new URLSearchParams({ format, role: page.role })}`,
            ),
          );
          exporter.dataset.format = format;
          return exporter;
        })),
  );
}

const related = (words, people) =>
  people.length
    ? el(
        "p",
        { class: "help" },
        `${words} `,
        people
          .slice(0, 8)
          .flatMap((person, at) => [
            at ? ", " : "",
            el("a", { href: personPage(person.id), title: person.id }, person.label),
            ` (${person.papers})`,
          ]),
        people.length > 8 ? ` and ${people.length - 8} more` : "",
      )
    : null;

function card({ row, above, under, below, instead, off }, page) {
  const ofPaper = (paper) =>
    el(
      "li",
      { "data-paper": paper.id },
      el("a", { href: paperPage(paper.id), title: paper.id }, paper.label),
      " ",
      badges({ ...paper, role: null }),
      off.includes(paper.id)
        ? [" to be taken off ", noteButton("Allow", { action: "release", paper: paper.id, reviewer: row.id })]
        : replacement(paper.id, row.id, instead[paper.id] ?? []),
    );
  return el(
    "li",
    { class: "card", "data-person": row.id },
    el(
      "div",
      { class: "body" },
      el(
        "p",
        {},
        el("a", { href: personPage(row.id), title: row.id }, el("strong", {}, row.name)),
        ` ${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`} `,
        row.conflicts
          ? el("span", { class: "tag" }, plural(row.conflicts, "conflict of their own", "conflicts of their own"))
          : null,
      ),
      row.institution ? el("p", { class: "help" }, row.institution) : null,
      related("Under", above),
      related(`Above ${plural(under.length, "person", "people")}:`, under),
      row.assigned.length
        ? el(
            "details",
            { class: "more", open: page.rows.length < 10 },
            el("summary", {}, plural(row.assigned.length, "paper")),
            el("ul", {}, row.assigned.map(ofPaper)),
          )
        : null,
      below.length
        ? el(
            "details",
            { class: "more", open: true },
            el("summary", {}, plural(below.length, "conflict below", "conflicts below")),
            el(
              "ul",
              { class: "conflict-list" },
              below.map(({ conflict, name, title }) => conflictCard(conflict, `${name} and “${title}”`)),
            ),
          )
        : null,
    ),
  );
}

begin(show);
