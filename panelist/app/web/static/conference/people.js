// The committee of a conference: one row per person, with load, conflicts and habits.
import { $, afterPause, el } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { personPage } from "./badges.js";
import { begin, id, onConference } from "./shell.js";
import { followSteps } from "./steps.js";

const or = (value, text = String) => (value === null ? "–" : text(value));

const list = windowed($("#rows"), {
  label: "People", head: ["Name", "Institution", "Profile", "Load", "Best", "Conflicts", "Offset"], empty: "Nobody matches.",
  load: (offset, limit, signal) => askJson("GET", `conferences/${id}/people?${new URLSearchParams({ offset, limit, search: $("#search").value.trim() })}`, { signal }),
  cells: (row) => [el("span", { title: row.id }, row.name), row.institution || "–", or(row.papers), `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`,
    or(row.best, (value) => value.toFixed(3)), String(row.conflicts), or(row.offset, (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`)],
  open: (row) => { location.href = personPage(row.id); },
});

$("#search").addEventListener("input", afterPause(() => list.reset()));
$("#look").addEventListener("submit", (event) => event.preventDefault());
onConference(() => list.reset());
followSteps();
begin();
