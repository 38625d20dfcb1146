// The scores of a conference: begin or resume scoring, then look at coverage, pairs and conflicts.
import { $, afterPause, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { drawScores } from "../plots.js";
import { openPairs } from "./pairs.js";
import { followScoring } from "./scoring.js";
import { begin, id, knownLabels, onConference } from "./shell.js";

const number = (value) => (value === null ? "–" : value.toFixed(3));
const LISTS = {
  papers: {
    label: "Submissions", head: ["Submission", "Able", "Best", "Third"], empty: "No submission matches.",
    sorts: { able: "fewest able reviewers", third: "lowest third best", best: "highest best score", id: "the file" },
    cells: (row) => [el("span", { title: row.id }, row.title || row.id), String(row.able), number(row.best), number(row.third)],
    open: (row) => openPairs("paper", row.id, row.title || row.id),
  },
  reviewers: {
    label: "Reviewers", head: ["Reviewer", "Wanted by", "Best", "Papers"], empty: "No reviewer matches.",
    sorts: { wanted: "wanted by the fewest", best: "highest best score", id: "the file" },
    cells: (row) => [el("span", { title: row.id }, row.name || row.id), String(row.wanted), number(row.best), row.papers === null ? "–" : String(row.papers)],
    open: (row) => openPairs("reviewer", row.id, row.name || row.id),
  },
};

const asked = () => ($("#threshold").value === "" ? {} : { threshold: $("#threshold").value });
let list = null;
let shown = null;

async function show(conference) {
  const scored = conference.files.includes("scores");
  $("#none").hidden = scored;
  $("#found").hidden = !scored;
  if (!scored) return;
  tell(await askJson("GET", `conferences/${id}/scores?${new URLSearchParams(asked())}`));
  if (shown !== conference.revision) {
    shown = conference.revision;
    choose();
    const labels = await knownLabels();
    drawScores($("#plot"), await askJson("GET", `conferences/${id}/scores/plot`), (paper) => openPairs("paper", paper, labels.title(paper)), $("#pointed"), labels.title);
  }
}

function tell(summary) {
  const fact = (value, text) => el("div", {}, el("dt", {}, text), el("dd", {}, value.toLocaleString("en")));
  $("#lead").textContent = `${summary.summary}: ${plural(summary.papers, "submission")} and ${plural(summary.reviewers, "reviewer")}, scores from ${number(summary.lowest)} to ${number(summary.highest)}.`;
  $("#notes").replaceChildren(...[
    summary.stale ? "Files were changed since: these scores are of the old ones. Score again." : null,
    summary.own_papers.length ? `${plural(summary.own_papers.length, "submission is", "submissions are")} in a reviewer’s own profile: ${summary.own_papers.slice(0, 3).map(([paper, who]) => `${paper} (${who})`).join(", ")}${summary.own_papers.length > 3 ? ` and ${(summary.own_papers.length - 3).toLocaleString("en")} more` : ""}` : null,
  ].filter(Boolean).map((text) => el("li", {}, text)));
  $("#facts").replaceChildren(fact(summary.thin, "submissions with fewer than 3 able reviewers"), fact(summary.unwanted, "reviewers wanted by nobody"),
    fact(summary.conflicts, "pairs with a certain conflict"), fact(summary.possible_conflicts, "pairs with a possible conflict"));
  $("#threshold").placeholder = summary.threshold.toFixed(4);
}

/** Show another list. */
function choose() {
  const kind = $("#list").value;
  const about = LISTS[kind];
  $("#sort").replaceChildren(...Object.entries(about.sorts).map(([value, text]) => el("option", { value }, text)));
  $("#rows").className = `rows of-${kind}`;
  list = windowed($("#rows"), { ...about, load: (offset, limit, signal) => slice(kind, offset, limit, signal) });
  list.reset();
}

function slice(kind, offset, limit, signal) {
  const sort = $("#sort").value;
  return askJson("GET", `conferences/${id}/scores/${kind}?${new URLSearchParams({ offset, limit, search: $("#search").value.trim(), sort, ...asked() })}`, { signal });
}

$("#search").addEventListener("input", afterPause(() => list?.reset()));
$("#list").addEventListener("change", choose);
$("#sort").addEventListener("change", () => list?.reset());
$("#threshold").addEventListener("change", async () => {
  list?.reset();
  tell(await askJson("GET", `conferences/${id}/scores?${new URLSearchParams(asked())}`));
});
$("#look").addEventListener("submit", (event) => event.preventDefault());
onConference(show);
followScoring();
begin();
