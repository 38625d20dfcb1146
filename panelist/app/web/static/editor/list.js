// The kept submissions, the latest changed first.
import { $, afterPause, dayOf, html, items, onClick, pageParts, plural, put, takeFiles } from "../dom.js";
import { askJson, save } from "../api.js";
import { onReturn, STATES, submissionPath, today } from "./desk.js";

const PAGE = 50;
const page = pageParts(["loading", "empty", "failure", "list"], load);
let offset = 0;
let current = 0; // the newest request; answers of older ones are dropped

async function load() {
  const request = ++current;
  const query = new URLSearchParams({ search: $("#search").value.trim(), offset, limit: PAGE });
  try {
    const { submissions, total } = await askJson("GET", `submissions?${query}`);
    if (request !== current) return;
    put($("#submissions"), submissions.map(row));
    const last = offset + submissions.length;
    $("#range").textContent = submissions.length ? `${offset + 1}–${last} of ${total.toLocaleString("en")}` : "";
    $("#newer").disabled = offset === 0;
    $("#older").disabled = last >= total;
    $("#pages").hidden = total <= PAGE;
    const shown = total || $("#search").value.trim() !== "";
    $("#status").textContent = shown ? plural(total, "submission") : "";
    page.show(shown ? "list" : "empty");
  } catch (problem) {
    if (request === current) page.fail(problem);
  }
}

/** Reports and reminders of this week, and those that are late. */
async function showDue() {
  const deadlines = await askJson("GET", "desk/due?days=7");
  $("#due").hidden = deadlines.length === 0;
  const lines = deadlines.map(({ day, what: task, name, submission, title }) => {
    const late = day < today();
    const words = task === "report" ? `report of ${name}` : `remind ${name}`;
    return html`
      <li class=${late && "late"}>${dayOf(day)}${late && " (late)"}: ${words}, <a href=${submissionPath(submission)}>${title}</a></li>`;
  });
  put($("#deadlines"), lines);
}

function row({ id, title, created, changed, counts }) {
  const tags = Object.keys(STATES)
    .filter((state) => counts[state])
    .map((state) => html`<span class="tag state-${state}">${counts[state]} ${STATES[state].toLowerCase()}</span>`);
  return html`
    <li>
      <a href=${submissionPath(id)}>${title}</a>
      <p class="meta">kept ${dayOf(created)}, changed ${dayOf(changed)}</p>
      <p class="tags">${tags.length ? tags : html`<span class="tag">nobody listed yet</span>`}</p>
    </li>`;
}

/** Send the journal's report, and say what was read of it. */
async function sendReport([file]) {
  const status = $("#imported");
  put(status, "Reading the report …");
  const query = new URLSearchParams({ name: file.name, source: $("#source").value.trim() });
  try {
    const read = await askJson("PUT", `desk/history?${query}`, { body: file, type: "application/octet-stream" });
    const parts = [
      [read.events, "read"],
      [read.changed, "new or changed"],
      [read.found - read.possible, "of people known here"],
      [read.possible, "possibly of people known here, by name"],
      [read.events - read.found, "of people not known here"],
      [read.left_out, "left out: the invitation was taken back, or nobody is named"],
      [read.erased, "left out: erased here before"],
      [read.rejected, "rejected"],
    ].filter(([number], row) => number || row === 0);
    const reasons = read.rejections.slice(0, 5).map(({ line, reason }) => (line ? `line ${line}: ${reason}` : reason));
    const words = [...parts.map(([number, outcome]) => `${plural(number, "review")} ${outcome}`), ...reasons];
    put(status, html`<ul class="coauthors">${items(words)}</ul>`);
  } catch (problem) {
    put(status, html`<p class="problem" role="alert">Nothing was imported. ${problem.message}</p>`);
  }
}

const searchAgain = () => {
  offset = 0;
  load();
};
$("#search").addEventListener("input", afterPause(searchAgain, 150));
takeFiles($("#history"), $("#report-file"), sendReport);
const turn = (distance) => {
  offset = Math.max(0, offset + distance);
  load();
  scrollTo(0, 0);
};
onClick({
  report: () => $("#report-file").click(),
  newer: () => turn(-PAGE),
  older: () => turn(PAGE),
  calendar: () => save("GET", "desk/due/calendar"),
});
for (const button of document.querySelectorAll("[data-format]"))
  button.addEventListener("click", () => save("GET", `desk/export?format=${button.dataset.format}`));
const loadAll = () => {
  load();
  showDue().catch(() => {}); // the list is of use without what is due
};
onReturn(loadAll);
loadAll();
