// The scores of a conference: begin, follow, cancel or resume scoring, then look at them in numbers and in a plot.
import { $, facts, firstOf, html, onSubmit, plural, put, tryingHere, visit } from "../dom.js";
import { ask, follow, OPEN, progressWords } from "../api.js";
import { scorePlot } from "../plots.js";
import { begin, paperPage, path, read, readLabels, refresh, start } from "./shell.js";

const FIELDS = ["model", "profile", "keep", "references", "history"];
const OVER = {
  failed: (job) => job.error,
  cancelled: () => "Scoring was cancelled. What it had computed is kept: it goes on from there.",
  lost: () => "The server was stopped while it scored. What it had computed is kept: it goes on from there.",
};
let following = false;
let seen = false;
const number = (value) => value.toFixed(3);
const summary = () => read("/scores", { threshold: $("#threshold").value });

async function show(conference) {
  const scored = conference.files.includes("scores");
  $("#none").hidden = scored;
  $("#found").hidden = !scored;
  if (!scored) return;
  const labels = await readLabels();
  tell(await summary(), labels);
  const [best, third, tenth] = ["best", "third", "tenth"].map((name) => html`<span class="key ${name}">${name}</span>`);
  const caption = html`
    Every submission: its ${best}, ${third} and ${tenth} best reviewer. Above the line are as many pairs as have an able reviewer. <span id="pointed" aria-live="polite"></span>`;
  const open = (paper) => visit(paperPage(paper));
  put($("#plot"), scorePlot(await read("/scores/plot"), open, caption, labels.title));
}

function tell(figures, labels) {
  const written = figures.own_papers.map(([paper, reviewer]) => `${labels.title(paper)} (${labels.name(reviewer)})`);
  const outside = figures.outside.map(labels.title);
  $("#lead").textContent =
    `${figures.summary}: ${plural(figures.papers, "submission")} and ${plural(figures.reviewers, "reviewer")}, scores from ${number(figures.lowest)} to ${number(figures.highest)}.`;
  put(
    $("#notes"),
    figures.stale && html`<li>Files were changed since: these scores are of the old ones. Score again.</li>`,
    outside.length > 0 &&
      html`<li>Nobody of the committee works on ${plural(outside.length, "submission")}, no paper is near: ${firstOf(outside, 3)}</li>`,
    written.length > 0 &&
      html`<li>${plural(written.length, "submission is", "submissions are")} in a reviewer’s own profile: ${firstOf(written, 3)}</li>`,
  );
  put(
    $("#facts"),
    facts(
      ["submissions with fewer than 3 able reviewers", figures.thin],
      ["reviewers able for no submission", figures.unwanted],
      ["pairs with a certain conflict", figures.conflicts],
      ["pairs with a possible conflict", figures.possible_conflicts],
    ),
  );
  $("#threshold").placeholder = figures.threshold.toFixed(4);
}

// Scoring --------------------------------------------------------------------------------------------------------

const scoring = () => read("/score");

/** Show how far scoring is, now and until it is over. */
async function showScoring(conference) {
  if (following) return;
  const state = await scoring();
  // Who has scores comes to look at them; who has none, or lost some, comes to score.
  if (!seen) $("#scoring").open = !conference.files.includes("scores") || state.job?.state in OVER;
  if (!seen && state.settings) for (const field of FIELDS) $(`#${field}`).value = state.settings[field] ?? "";
  seen = true;
  await watch(state);
}

const score = () =>
  tryingHere(async () => {
    const values = Object.fromEntries(FIELDS.map((field) => [field, $(`#${field}`).value]));
    const json = { ...values, profile: Number(values.profile), keep: Number(values.keep) };
    await watch(await start("/score", json));
  });

async function watch({ job, ready }) {
  tellJob(job, ready);
  if (!job || !OPEN.includes(job.state)) return;
  following = true;
  const current = async () => (await scoring()).job;
  await follow(current, (now) => tellJob(now, ready));
  following = false;
  await refresh();
}

function tellJob(job, ready) {
  const running = Boolean(job) && OPEN.includes(job.state);
  $("#run").disabled = running || !ready;
  $("#run").textContent = job && ["cancelled", "lost"].includes(job.state) ? "Resume scoring" : "Score";
  $("#not-ready").hidden = ready;
  $("#running").hidden = !running;
  if (running) {
    if (job.total > 0) Object.assign($("#progress"), { max: job.total, value: job.done });
    else $("#progress").removeAttribute("value");
    const words = progressWords(job);
    $("#stage").textContent = `${words[0].toUpperCase()}${words.slice(1)}${left(job.seconds_left)}`;
    return;
  }
  $("#cancel").disabled = false;
  const over = job ? OVER[job.state] : null;
  $("#problem").textContent = over ? over(job) : "";
  $("#problem").hidden = !over;
}

function left(seconds) {
  if (seconds === null) return "";
  if (seconds < 60) return ", less than a minute left of this step";
  const minutes = Math.round(seconds / 60);
  return minutes < 90
    ? `, about ${plural(minutes, "minute")} left of this step`
    : `, about ${Math.round(minutes / 60)} hours left of this step`;
}

onSubmit($("#score"), score);
$("#cancel").addEventListener("click", async () => {
  $("#cancel").disabled = true;
  await ask("DELETE", path("/score"));
});
$("#threshold").addEventListener("change", async () => tell(await summary(), await readLabels()));
begin(show, showScoring);
