// The texts of a conference's reviews: sent, checked in the background, shown paper by paper.
import { $, afterPause, el, plural, toast } from "../dom.js";
import { askJson, follow, OPEN, progressWords, save } from "../api.js";
import { reviewsView } from "../reviews-view.js";
import { button } from "./solutions.js";
import { begin, change, id, knownLabels, onConference } from "./shell.js";
import { refused, sent, upload } from "./upload.js";

const FIRST = 10;
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
  if (OPEN.includes(check.state)) return el("p", { class: "help", role: "status" }, `Checking: ${progressWords(check)} …`);
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
  await follow(async () => (await askJson("GET", `conferences/${id}/reviews`)).check, (check) => $("#check").replaceChildren(state(check))).catch((problem) => toast(problem.message));
  watching = false;
  await show();
}

async function showPapers() {
  const load = (offset, limit, signal) => askJson("GET", `conferences/${id}/reviews/checked?${new URLSearchParams({ offset, limit, search: $("#paper-search").value })}`, { signal });
  const found = await load(0, FIRST);
  $("#result").replaceChildren(reviewsView(found, await knownLabels(), load));
  $("#status").textContent = `${plural(found.summary.reviews, "review")} checked`;
}

$("#upload").replaceChildren(upload({
  id: "texts", title: "Drop a CSV file of reviews here", help: "with the columns paper, reviewer, text and perhaps score",
  take: async (file) => {
    $("#refused").replaceChildren();
    try {
      await change("PUT", `/reviews/texts?${new URLSearchParams({ name: file.name })}`, { body: file, type: "text/csv" });
      await checkTexts();
    } catch (problem) {
      refused($("#refused"), problem);
    }
  },
}));
$("#paper-search").addEventListener("input", afterPause(() => $("#result .reviews")?.search()));
for (const kind of ["authors", "sentences", "chair"]) {
  $(`[data-export=${kind}]`).addEventListener("click", () => save("GET", `conferences/${id}/reviews/export?kind=${kind}`));
}
onConference(show);
begin();
