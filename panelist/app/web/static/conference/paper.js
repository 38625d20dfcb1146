// All about one paper: its reviewers, their scores, what the scores are worth, and what they wrote.
import { $, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { paperReviews } from "../reviews-view.js";
import { begin, id, onConference } from "./shell.js";

const paper = new URLSearchParams(location.search).get("id") ?? "";
const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;

async function show() {
  try {
    render(await askJson("GET", `conferences/${id}/paper?${new URLSearchParams({ id: paper })}`));
  } catch (problem) {
    $("#paper").replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
}

function render(found) {
  const { calibrated } = found;
  const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  $("#paper").replaceChildren(
    el("h2", { id: "paper-heading" }, found.title || found.paper), found.title ? el("p", { class: "help" }, found.paper) : "",
    found.abstract ? el("details", { class: "more" }, el("summary", {}, "Abstract"), el("p", {}, found.abstract)) : "",
    calibrated ? el("dl", { class: "facts", id: "worth" },
      fact(`calibrated score ± ${calibrated.score_sd.toFixed(2)}`, calibrated.score.toFixed(2)), fact(`raw mean of ${plural(calibrated.reviews, "review")}`, calibrated.raw_mean.toFixed(2)),
      fact(`probability of acceptance, if ${found.accepted.toLocaleString("en")} of ${plural(found.papers, "paper")} are accepted`, `${Math.round(100 * calibrated.p_accept)}%`),
      fact(`rank; by raw means ${calibrated.raw_rank}`, String(calibrated.rank))) : el("p", { class: "help" }, "No calibrated score yet."),
    found.stale ? el("p", { class: "help" }, "The scores have changed since they were calibrated.") : "",
    reviewers(found), alternates(found),
    found.reviews ? el("div", { class: "reviews" }, paperReviews(found.reviews)) : "");
  document.title = `${found.title || found.paper} · Panelist`;
}

function reviewers(found) {
  if (!found.reviewers.length) return el("p", { class: "help" }, found.solution === null ? "No solution is chosen yet." : "Nobody is assigned to this paper.");
  const head = ["reviewer", "match", "remarks", "score", "offset of the reviewer"];
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Reviewers" }, el("table", { id: "reviewers" }, el("caption", {}, "Reviewers"),
    el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, found.reviewers.map(({ reviewer, assigned, confidence, score, offset, offset_sd: spread }) => el("tr", {}, el("th", { scope: "row" }, reviewer),
      [assigned ? (assigned.scored ? [assigned.score.toFixed(4), confidence && `${confidence} confidence`].filter(Boolean).join(", ") : "none") : "–",
        [assigned ? null : "not assigned", assigned && assigned.role !== "reviewer" ? assigned.role : null, assigned?.locked ? "locked" : null, assigned?.conflict ? `possible conflict: ${assigned.conflict}` : null].filter(Boolean).join(", "),
        score === null || score === undefined ? "not yet" : String(score), offset === null ? "–" : `${signed(offset)} ± ${spread.toFixed(2)}`].map((text) => el("td", {}, text)))))));
}

function alternates(found) {
  if (!found.alternates.length) return "";
  return el("p", { class: "help" }, `Who could step in: ${found.alternates.map((one) => `${one.reviewer} (${one.score.toFixed(3)}${one.conflict ? `; possible conflict: ${one.conflict}` : ""})`).join(", ")}`);
}

onConference(show);
begin();
