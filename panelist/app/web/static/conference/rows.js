// The papers of a conference, or its people: one row each.
import { $, afterPause, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { badges, begin, id, paperPage, personPage } from "./shell.js";

const or = (value, text = String) => (value === null ? "–" : text(value));
const people = (row) => row.assigned.flatMap((person) => [el("span", { class: "who", title: person.id }, person.label, badges(person).flatMap((badge) => [" ", badge])), " "]);
const missing = (row, words) => (row.missing ? el("span", { title: `${plural(row.missing, "review is", "reviews are")} missing` }, `${words} `, el("span", { class: "tag warn" }, `−${row.missing}`)) : String(words));

const LISTS = {
  papers: {
    label: "Papers", head: ["", "Paper", "Able", "Reviewers", "Reviews", "Score"], empty: "No paper matches.", page: paperPage, height: 74,
    sorts: { file: "the file", able: "fewest able reviewers", missing: "most missing reviews", score: "calibrated score" },
    cells: (row) => row.hidden ? ["", el("span", { title: row.id }, row.title), "", "you have a conflict", "", ""] : [
      String(row.number), el("span", { title: row.id }, row.title), or(row.able), el("span", {}, people(row)), missing(row, row.reviews), or(row.calibrated, (value) => value.toFixed(2))],
  },
  people: {
    label: "People", head: ["Name", "Institution", "Profile", "Load", "Best", "Conflicts", "Offset"], empty: "Nobody matches.", page: personPage,
    sorts: { file: "the file", load: "smallest load", missing: "most missing reviews", best: "lowest best score" },
    cells: (row) => [el("span", { title: row.id }, row.name), row.institution || "–", or(row.papers), missing(row, `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`),
      or(row.best, (value) => value.toFixed(3)), String(row.conflicts), or(row.offset, (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`)],
  },
};

const kind = $("#papers") ? "papers" : "people";
const about = LISTS[kind];
const list = windowed($("#rows"), {
  ...about,
  inPage: true,
  load: (offset, limit, signal) => askJson("GET", `conferences/${id}/${kind}?${new URLSearchParams({ offset, limit, search: $("#search").value.trim(), sort: $("#sort").value })}`, { signal }),
  open: (row) => { if (!row.hidden) location.href = about.page(row.id); },
});

$("#sort").replaceChildren(...Object.entries(about.sorts).map(([value, text]) => el("option", { value }, text)));
$("#search").addEventListener("input", afterPause(() => list.reset()));
$("#sort").addEventListener("change", () => list.reset());
begin(() => list.reset());
