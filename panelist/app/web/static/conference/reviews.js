// The texts of a conference's reviews: sent, checked in the background, shown paper by paper.
import { $, afterPause, el, plural, trying } from "../dom.js";
import { askJson, follow, OPEN, progressWords, save } from "../api.js";
import { reviewsView } from "../reviews-view.js";
import { begin, button, id, knownLabels } from "./shell.js";
import { sent, takeReviews } from "./upload.js";

const FIRST = 10;
let watching = false;

async function show() {
  const { texts, check } = await askJson("GET", `conferences/${id}/reviews`);
  $("#sent").replaceChildren(sent(texts, await knownLabels()));
  $("#tools").hidden = check.state !== "done";
  $("#check").replaceChildren(...(texts ? [state(check)] : []));
  if (check.state === "done") await showPapers();
  else $("#result").replaceChildren();
  if (OPEN.includes(check.state)) watch();
}

function state(check) {
  if (check.state === "done") return "";
  if (OPEN.includes(check.state)) return el("p", { class: "help", role: "status" }, `Checking: ${progressWords(check)} …`);
  const why = { none: "", stale: "The texts or the submissions have changed since the last check.", lost: "The server was stopped before the check had finished.", cancelled: "The check was cancelled.", failed: check.error }[check.state] ?? "";
  return el("div", { class: "actions" }, button("Check the texts", checkTexts, { primary: true, id: "begin-check" }), el("p", { class: check.state === "failed" ? "problem" : "help" }, why));
}

async function checkTexts() {
  await askJson("POST", `conferences/${id}/reviews/check`);
  await show();
}

async function watch() {
  if (watching) return;
  watching = true;
  await trying(() => follow(async () => (await askJson("GET", `conferences/${id}/reviews`)).check, (check) => $("#check").replaceChildren(state(check))));
  watching = false;
  await show();
}

async function showPapers() {
  const load = (offset, limit, signal) => askJson("GET", `conferences/${id}/reviews/checked?${new URLSearchParams({ offset, limit, search: $("#paper-search").value })}`, { signal });
  const first = await load(0, FIRST);
  $("#result").replaceChildren(reviewsView(first, await knownLabels(), load));
  $("#status").textContent = `${plural(first.summary.reviews, "review")} checked`;
}

takeReviews("texts", "Drop a CSV file of reviews here", "with the columns paper, reviewer, text and perhaps score", () => trying(checkTexts));
$("#paper-search").addEventListener("input", afterPause(() => $("#result .reviews")?.search()));
for (const kind of ["authors", "sentences", "chair"]) {
  $(`[data-export=${kind}]`).addEventListener("click", () => save("GET", `conferences/${id}/reviews/export?kind=${kind}`));
}
begin(show);
