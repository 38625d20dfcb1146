// The papers of a conference: one row each, with who reviews it; the bar above says what to do next.
import { $, afterPause, el } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { badges } from "./badges.js";
import { begin, id, onConference, paperPage } from "./shell.js";
import { followSteps } from "./steps.js";

const people = (row) => row.assigned.flatMap((one, at) => [at ? ", " : "", el("span", { title: one.id }, one.label), ...badges(one).flatMap((badge) => [" ", badge])]);

const list = windowed($("#rows"), {
  label: "Papers", head: ["", "Paper", "Able", "Reviewers", "Reviews", "Score"], empty: "No paper matches.",
  load: (offset, limit, signal) => askJson("GET", `conferences/${id}/papers?${new URLSearchParams({ offset, limit, search: $("#search").value.trim() })}`, { signal }),
  cells: (row) => [String(row.number), el("span", { title: row.id }, row.title), row.able === null ? "–" : String(row.able),
    el("span", {}, people(row)), String(row.reviews), row.calibrated === null ? "–" : row.calibrated.toFixed(2)],
  open: (row) => { location.href = paperPage(row.id); },
});

$("#search").addEventListener("input", afterPause(() => list.reset()));
$("#look").addEventListener("submit", (event) => event.preventDefault());
onConference(() => list.reset());
followSteps();
begin();
