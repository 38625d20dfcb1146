// The conflict table of a conference: found and declared, certain and possible; people confirm or dismiss what is possible.
import { $, afterPause, el, field, plural, toast } from "../dom.js";
import { askJson } from "../api.js";
import { conflictCard } from "./badges.js";
import { begin, change, id, onConference } from "./shell.js";

const STEP = 50;
let limit = STEP;

async function show() {
  const certain = { certain: "true", other: "false" }[$("#which").value];
  const asked = new URLSearchParams({ limit: Math.min(limit, 200), search: $("#search").value.trim(), ...(certain ? { certain } : {}) });
  const found = await askJson("GET", `conferences/${id}/conflicts?${asked}`);
  $("#lead").textContent = `${plural(found.certain, "pair")} with a certain conflict, ${plural(found.possible, "pair")} with a possible one that nobody has settled. Possible conflicts are not assigned until somebody dismisses them.`;
  $("#unchecked").replaceChildren(...found.unchecked.map((text) => el("li", {}, text)));
  $("#list").replaceChildren(...found.rows.map((row) => conflictCard(row.conflict, `${row.name} and “${row.title}”`)));
  if (!found.rows.length) $("#list").append(el("li", { class: "help" }, "None."));
  $("#more").hidden = found.total <= found.rows.length || limit >= 200;
  $("#status").textContent = plural(found.total, "conflict");
}

async function showRules() {
  const rules = await askJson("GET", `conferences/${id}/conflicts/rules`);
  for (const [key, value] of Object.entries(rules)) $(`#${key}`).value = value ?? "";
}

const years = (key, label) => field(label, el("input", { id: key, type: "number", min: 0, max: 100, inputmode: "numeric" }), "years; empty: not looked for");
$("#rules").prepend(years("coauthor_years", "Co-authors of the last"), years("institution_years", "Colleagues of the last"));
$("#rules").addEventListener("submit", async (event) => {
  event.preventDefault();
  const value = (key) => ($(`#${key}`).value === "" ? null : Number($(`#${key}`).value));
  try {
    await change("PUT", "/conflicts/rules", { json: { coauthor_years: value("coauthor_years"), institution_years: value("institution_years") } });
    toast("Conflicts were looked for again.");
  } catch (problem) {
    if (problem.status !== 409) toast(problem.message);
  }
});
$("#which").addEventListener("change", show);
$("#search").addEventListener("input", afterPause(show));
$("#look").addEventListener("submit", (event) => event.preventDefault());
$("#more").addEventListener("click", () => { limit += STEP; show(); });
onConference(() => Promise.all([show(), showRules()]));
begin();
