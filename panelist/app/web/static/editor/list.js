// The kept submissions, the latest changed first.
import { $, afterPause, dayOf, el, plural, showOnly } from "../dom.js";
import { askJson, save } from "../api.js";
import { onReturn, STATES, submissionPath, today } from "./desk.js";

const PAGE = 50;
const views = { loading: $("#loading"), empty: $("#empty"), failure: $("#failure"), list: $("#list") };
let offset = 0;
let current = 0; // the newest request; answers of older ones are dropped

async function load() {
  const own = ++current;
  const query = new URLSearchParams({ search: $("#search").value.trim(), offset, limit: PAGE });
  try {
    const found = await askJson("GET", `submissions?${query}`);
    if (own !== current) return;
    $("#submissions").replaceChildren(...found.submissions.map(row));
    const last = offset + found.submissions.length;
    $("#range").textContent = found.submissions.length ? `${offset + 1}–${last} of ${found.total.toLocaleString("en")}` : "";
    $("#newer").disabled = offset === 0;
    $("#older").disabled = last >= found.total;
    $("#pages").hidden = found.total <= PAGE;
    const searching = $("#search").value.trim() !== "";
    $("#status").textContent = searching || found.total ? plural(found.total, "submission") : "";
    showOnly(found.total || searching ? "list" : "empty", views);
  } catch (problem) {
    if (own !== current) return;
    $("p", views.failure).textContent = problem.message;
    showOnly("failure", views);
  }
}

/** Reports and reminders of this week, and those that are late. */
async function showDue() {
  const found = await askJson("GET", "desk/due?days=7");
  $("#due").hidden = found.length === 0;
  $("#deadlines").replaceChildren(...found.map((one) => el("li", { class: one.day < today() ? "late" : null },
    dayOf(one.day), one.day < today() ? " (late): " : ": ", one.what === "report" ? `report of ${one.name}` : `remind ${one.name}`, ", ",
    el("a", { href: submissionPath(one.submission) }, one.title))));
}

function row(one) {
  const counts = Object.keys(STATES).filter((state) => one.counts[state]).map((state) => el("span", { class: `tag state-${state}` }, `${one.counts[state]} ${STATES[state].toLowerCase()}`));
  return el("li", {},
    el("a", { href: submissionPath(one.id) }, one.title),
    el("p", { class: "meta" }, "kept ", dayOf(one.created), ", changed ", dayOf(one.changed)),
    el("p", { class: "tags" }, counts.length ? counts : el("span", { class: "tag" }, "nobody listed yet")));
}

$("#search").addEventListener("input", afterPause(() => { offset = 0; load(); }, 150));
const turn = (by) => { offset = Math.max(0, offset + by); load(); scrollTo(0, 0); };
$("#newer").addEventListener("click", () => turn(-PAGE));
$("#older").addEventListener("click", () => turn(PAGE));
$("button", views.failure).addEventListener("click", () => load());
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => save("GET", `desk/export?format=${button.dataset.format}`));
$("#calendar").addEventListener("click", () => save("GET", "desk/due/calendar"));
const loadAll = () => { load(); showDue().catch(() => {}); }; // the list is of use without what is due
onReturn(loadAll);
loadAll();
