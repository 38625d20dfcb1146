// The texts of a conference's reviews: sent, checked in the background, shown some papers at a time.
import { $, el, plural, sleep, toast } from "../dom.js";
import { askJson, OPEN, save } from "../api.js";
import { reviewsView } from "../reviews-view.js";
import { button } from "./solutions.js";
import { begin, change, id, knownLabels, onConference } from "./shell.js";
import { refused, sent, upload } from "./upload.js";

const PAGE = 10;
const POLL = 500;
let offset = 0;
let watching = false;

async function show() {
  const found = await askJson("GET", `conferences/${id}/reviews`);
  $("#sent").replaceChildren(sent(found.texts, await knownLabels()));
  $("#tools").hidden = found.check.state !== "done";
  $("#check").replaceChildren(...(found.texts ? [state(found.check)] : []));
  if (found.check.state === "done") await showPapers();
  else $("#result").replaceChildren();
  if (OPEN.includes(found.check.state)) watch();
}

function state(check) {
  if (check.state === "done") return "";
  if (OPEN.includes(check.state)) return el("p", { class: "help", role: "status" }, `Checking: ${check.stage || "waiting for other jobs"}${check.total ? ` ${Math.round((100 * check.done) / check.total)}%` : ""} …`);
  const said = { none: "", stale: "The texts or the submissions have changed since the last check.", lost: "The server was stopped before the check had finished.", cancelled: "The check was cancelled.", failed: check.error }[check.state] ?? "";
  return el("div", { class: "actions" }, button("Check the texts", checkTexts, { primary: true, id: "begin-check" }), el("p", { class: check.state === "failed" ? "problem" : "help" }, said));
}

async function checkTexts() {
  await askJson("POST", `conferences/${id}/reviews/check`);
  await show();
}

async function watch() {
  if (watching) return;
  watching = true;
  await sleep(POLL);
  watching = false;
  await show().catch((problem) => toast(problem.message));
}

async function showPapers() {
  const found = await askJson("GET", `conferences/${id}/reviews/checked?${new URLSearchParams({ offset, limit: PAGE, search: $("#paper-search").value })}`);
  const last = Math.min(offset + PAGE, found.total);
  $("#range").textContent = found.total ? `papers ${offset + 1} to ${last} of ${found.total.toLocaleString("en")}` : "No paper is called that.";
  $("#before").disabled = offset === 0;
  $("#after").disabled = last >= found.total;
  $("#result").replaceChildren(reviewsView(found, await knownLabels()));
  $("#status").textContent = `${plural(found.summary.reviews, "review")} checked`;
}

const move = (by) => () => { offset = Math.max(offset + by, 0); showPapers().catch((problem) => toast(problem.message)); };

$("#upload").replaceChildren(upload({
  id: "texts", title: "Drop a CSV file of reviews here", help: "with the columns paper, reviewer, text and perhaps score",
  take: async (file) => {
    $("#refused").replaceChildren();
    try {
      offset = 0;
      await change("PUT", `/reviews/texts?${new URLSearchParams({ name: file.name })}`, { body: file, type: "text/csv" });
      await checkTexts();
    } catch (problem) {
      refused($("#refused"), problem);
    }
  },
}));
$("#before").addEventListener("click", move(-PAGE));
$("#after").addEventListener("click", move(PAGE));
$("#paper-search").addEventListener("change", () => { offset = 0; move(0)(); });
for (const kind of ["authors", "sentences", "chair"]) {
  $(`[data-export=${kind}]`).addEventListener("click", () => save("GET", `conferences/${id}/reviews/export?kind=${kind}`));
}
onConference(show);
begin();
