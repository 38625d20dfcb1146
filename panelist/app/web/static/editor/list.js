// The kept submissions, the latest changed first.
import { $, download, el, plural, showOnly, toast } from "../dom.js";
import { ask, askJson, showAbout } from "../api.js";
import { dayOf, onReturn, STATES, submissionPath } from "./desk.js";

const PAGE = 50;
const views = { loading: $("#loading"), empty: $("#empty"), failure: $("#failure"), list: $("#list") };
let shown = 0;
let current = 0; // the newest request; answers of older ones are dropped

async function load(more = false) {
  const own = ++current;
  const count = more ? PAGE : Math.max(PAGE, shown);
  const query = new URLSearchParams({ search: $("#search").value.trim(), offset: more ? shown : 0, limit: Math.min(count, 200) });
  try {
    const found = await askJson("GET", `submissions?${query}`);
    if (own !== current) return;
    const rows = found.submissions.map(row);
    if (more) $("#submissions").append(...rows);
    else $("#submissions").replaceChildren(...rows);
    shown = more ? shown + rows.length : rows.length;
    $("#more").hidden = shown >= found.total;
    const searching = $("#search").value.trim() !== "";
    $("#status").textContent = searching || found.total ? plural(found.total, "submission") : "";
    showOnly(found.total || searching ? "list" : "empty", views);
  } catch (problem) {
    if (own !== current) return;
    $("p", views.failure).textContent = problem.message;
    showOnly("failure", views);
  }
}

function row(one) {
  const counts = Object.keys(STATES).filter((state) => one.counts[state]).map((state) => el("span", { class: `tag state-${state}` }, `${one.counts[state]} ${STATES[state].toLowerCase()}`));
  return el("li", {},
    el("a", { href: submissionPath(one.id) }, one.title),
    el("p", { class: "meta" }, "kept ", dayOf(one.created), ", changed ", dayOf(one.changed)),
    el("p", { class: "tags" }, counts.length ? counts : el("span", { class: "tag" }, "nobody listed yet")));
}

async function exportAll(format) {
  try {
    const response = await ask("GET", `desk/export?format=${format}`);
    const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition"))?.[1] ?? `desk.${format}`;
    download(await response.blob(), name);
    toast(`Saved ${name}`);
  } catch (problem) {
    toast(problem.message);
  }
}

let waiting;
$("#search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { shown = 0; load(); }, 150);
});
$("#more").addEventListener("click", () => load(true));
$("button", views.failure).addEventListener("click", () => load());
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => exportAll(button.dataset.format));
onReturn(load);
load();
showAbout().catch(() => {});
