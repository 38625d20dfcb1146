// The conflict table of a conference: found and declared, certain and possible; people confirm or dismiss what is possible.
import { $, afterPause, el, field, onClick, plural } from "../dom.js";
import { askJson } from "../api.js";
import { begin, conflictCard, id, tryChange } from "./shell.js";

const STEP = 50;
let limit = STEP;

async function show() {
  const certain = { certain: "true", other: "false" }[$("#which").value];
  const query = new URLSearchParams({ limit: Math.min(limit, 200), search: $("#search").value.trim(), ...(certain ? { certain } : {}) });
  const conflicts = await askJson("GET", `conferences/${id}/conflicts?${query}`);
  $("#lead").textContent = `${plural(conflicts.certain, "pair")} with a certain conflict, ${plural(conflicts.possible, "pair")} with a possible one that nobody has settled. Possible conflicts are not assigned until somebody dismisses them.`;
  $("#unchecked").replaceChildren(...conflicts.unchecked.map((text) => el("li", {}, text)));
  const cards = conflicts.rows.map((row) => conflictCard(row.conflict, `${row.name} and “${row.title}”`));
  $("#list").replaceChildren(...(cards.length ? cards : [el("li", { class: "help" }, "None.")]));
  $("#more").hidden = conflicts.total <= cards.length || limit >= 200;
  $("#status").textContent = plural(conflicts.total, "conflict");
}

async function showRules() {
  const rules = await askJson("GET", `conferences/${id}/conflicts/rules`);
  for (const [key, value] of Object.entries(rules)) $(`#${key}`).value = value ?? "";
}

const years = (key, label) => field(label, el("input", { id: key, type: "number", min: 0, max: 100, inputmode: "numeric" }), "years; empty: not looked for");
$("#rules").prepend(years("coauthor_years", "Co-authors of the last"), years("institution_years", "Colleagues of the last"));
$("#rules").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = (key) => ($(`#${key}`).value === "" ? null : Number($(`#${key}`).value));
  tryChange("PUT", "/conflicts/rules", { json: { coauthor_years: value("coauthor_years"), institution_years: value("institution_years") } }, "Conflicts were looked for again.");
});
$("#which").addEventListener("change", show);
$("#search").addEventListener("input", afterPause(show));
onClick({ more: () => { limit += STEP; show(); } });
begin(show, showRules);
