// The papers of a conference, or its people: one row each.
import { $, afterPause, html, options, plural, put, visit } from "../dom.js";
import { windowed } from "../windowed.js";
import { badges, begin, paperPage, path, personPage, read, search, signed } from "./shell.js";

const or = (value, text = String) => (value === null ? "–" : text(value));
const FIT = matchMedia("(min-width: 50rem)").matches ? 6 : 3; // people in a row: who has a conflict is among them
function people({ assigned }) {
  const byConflict = (one, other) => Boolean(other.conflict) - Boolean(one.conflict);
  const first = assigned.length > FIT ? assigned.toSorted(byConflict).slice(0, FIT - 1) : assigned;
  return html`<span class=${assigned.length > 3 && "many"}>
    ${first.map((person) => [html`<span class="who" title="${person.label} (${person.id})"><span>${person.label}</span>${badges(person)}</span>`, " "])}
    ${assigned.length > first.length && `and ${assigned.length - first.length} more`}
  </span>`;
}
const missing = (row, words) =>
  row.missing
    ? html`<span title="${plural(row.missing, "review is", "reviews are")} missing">${words} <span class="tag warn">−${row.missing}</span></span>`
    : String(words);
const named = (row, name) => html`<span title=${row.id}>${name}</span>`;

const LISTS = {
  papers: {
    label: "Papers",
    head: ["", "Paper", "Able", "Reviewers", "Reviews", "Score"],
    empty: ["No submissions yet.", "No paper matches."],
    page: paperPage,
    height: 74,
    sorts: {
      file: "the file",
      able: "fewest able reviewers",
      missing: "most missing reviews",
      score: "calibrated score",
    },
    cells: (row) =>
      row.hidden
        ? ["", named(row, row.title), "", "you have a conflict", "", ""]
        : [
            String(row.number),
            named(row, row.title),
            or(row.able),
            people(row),
            missing(row, row.reviews),
            or(row.calibrated, (value) => value.toFixed(2)),
          ],
  },
  people: {
    label: "People",
    head: ["Name", "Institution", "Profile", "Load", "Best", "Conflicts", "Offset"],
    empty: ["Nobody yet.", "Nobody matches."],
    page: personPage,
    sorts: { file: "the file", load: "smallest load", missing: "most missing reviews", best: "lowest best score" },
    cells: (row) => [
      named(row, row.name),
      row.institution || "–",
      or(row.papers),
      missing(row, `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`),
      or(row.best, (value) => value.toFixed(3)),
      String(row.conflicts),
      or(row.offset, (value) => signed(value)),
    ],
  },
};

const kind = $("#papers") ? "papers" : "people";
const about = LISTS[kind];
const list = windowed($("#rows"), {
  ...about,
  empty: () => about.empty[Number(Boolean(search()))],
  inPage: true,
  load: (offset, limit, signal) =>
    read(`/${kind}`, { offset, limit, search: search(), sort: $("#sort").value }, { signal }),
  open: (row) => row.hidden || visit(about.page(row.id)),
});
const reset = () => list.reset();

put($("#sort"), options(Object.entries(about.sorts)));
$("#search").addEventListener("input", afterPause(reset));
$("#sort").addEventListener("change", reset);
/** Where there are people above reviewers, each level has a page of its own. */
async function showLevels() {
  if (kind !== "people") return;
  const { levels } = await read("/levels", { limit: 1 });
  $("#levels")?.remove();
  if (levels.length < 2) return;
  const link = ({ role, people: count }) =>
    html`<a href="/${path("/levels", { role })}">${role} (${count.toLocaleString("en")})</a>`;
  $("#look").before(html`<nav id="levels" class="tabs" aria-label="Levels of the committee">${levels.map(link)}</nav>`);
}

begin(reset, showLevels);
