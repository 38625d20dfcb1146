// The pairs of one submission or reviewer, and why a pair fits: the papers and words that match.
import { $, afterPause, bar, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { conflicts, gradeTag, highlight } from "../cards.js";
import { windowed } from "../windowed.js";
import { conflictBadge } from "./badges.js";
import { id, paperPage } from "./shell.js";

const dialog = $("#pairs");
let list = null;

/** Show the pairs of a submission or of a reviewer. */
export function openPairs(of, key, title) {
  const other = of === "paper" ? "Reviewer" : "Submission";
  $("#pairs-heading").textContent = title;
  $("#pair-search").value = "";
  $("#pair-search").closest(".field").hidden = false;
  $("#pair-rows").hidden = false;
  $("#pair-rows").className = "rows of-pairs";
  $("#why").hidden = true;
  list = windowed($("#pair-rows"), {
    label: `${other}s of ${title}`, head: [other, "Score", "Confidence", "Rank", "Conflict"], empty: "No pair has a score.",
    load: (offset, limit, signal) => askJson("GET", `conferences/${id}/scores/pairs?${new URLSearchParams({ of, id: key, search: $("#pair-search").value.trim(), offset, limit })}`, { signal }),
    cells: (row) => [el("span", { title: of === "paper" ? row.reviewer : row.paper }, (of === "paper" ? row.name || row.reviewer : row.title || row.paper)), row.score.toFixed(4), row.confidence ?? "–", String(row.rank),
      conflictBadge(row.conflict) ?? ""],
    open: (row) => showWhy(row.paper, row.reviewer),
  });
  list.reset();
  if (!dialog.open) dialog.showModal();
  list.element.focus();
}

async function showWhy(paper, reviewer) {
  const box = $("#why");
  box.hidden = false;
  box.replaceChildren(el("p", { class: "help" }, "Comparing papers …"));
  try {
    const why = await askJson("GET", `conferences/${id}/scores/why?${new URLSearchParams({ paper, reviewer })}`);
    box.replaceChildren(...explained(why));
  } catch (problem) {
    box.replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
  box.focus();
  box.scrollIntoView({ block: "nearest" });
}

function explained(why) {
  const best = Math.max(...why.papers.map((one) => one.match), 0) || 1;
  const score = why.score === null ? "no score" : `score ${why.score.toFixed(4)}, rank ${why.rank}`;
  const sure = why.confidence ? gradeTag(why.confidence) : null;
  return [
    el("h3", {}, why.name || why.reviewer),
    el("p", { class: "help" }, `${score} · ${plural(why.profile, "paper")} compared `, sure),
    el("p", {}, el("strong", {}, "Submission: "), el("a", { href: paperPage(why.paper) }, why.title || why.paper)),
    why.conflict ? conflicts(why.conflict.reasons) : null,
    why.note ? el("p", { class: "help" }, why.note) : null,
    el("ol", { class: "papers", "aria-label": "Papers that match" }, why.papers.map((one) => matching(one, best))),
  ].filter(Boolean);
}

function matching(paper, best) {
  const title = highlight(paper.title, paper.terms);
  const quote = paper.sentence && paper.sentence !== paper.title ? paper.sentence : null;
  return el("li", { class: "paper" },
    el("span", { class: "name" }, paper.url ? el("a", { href: paper.url, target: "_blank", rel: "noopener noreferrer" }, title) : title),
    el("span", { class: "score" }, bar(paper.match / best), el("span", { class: "meta" }, [`match ${paper.match.toFixed(3)}`, paper.year, paper.venue].filter(Boolean).join(" · "))),
    quote ? el("q", { class: "quote" }, highlight(quote, paper.terms)) : null,
    paper.terms.length ? el("ul", { class: "terms", "aria-label": "Shared terms" }, paper.terms.map((term) => el("li", {}, term))) : null);
}

$("#pair-search").addEventListener("input", afterPause(() => list?.reset()));
$(".close", dialog).addEventListener("click", () => dialog.close());
