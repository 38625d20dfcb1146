// The scores of a conference: begin, follow, cancel or resume scoring, then look at them in numbers and in a plot.
import { $, el, facts, plural, reveal } from "../dom.js";
import { ask, askJson, follow, OPEN, progressWords } from "../api.js";
import { scorePlot } from "../plots.js";
import { begin, id, knownLabels, paperPage, refresh, who } from "./shell.js";

const FIELDS = ["model", "profile", "keep", "references", "history"];
const OVER = {
  failed: (job) => job.error,
  cancelled: () => "Scoring was cancelled. What it had computed is kept: it goes on from there.",
  lost: () => "The server was stopped while it scored. What it had computed is kept: it goes on from there.",
};
let following = false;
let seen = false;
const number = (value) => value.toFixed(3);
const summary = () =>
  askJson(
    "GET",
    `conferences/${id}/scores?${new URLSearchParams($("#threshold").value === "" ? {} : { threshold: $("#threshold").value })}`,
  );

async function show(conference) {
  const scored = conference.files.includes("scores");
  $("#none").hidden = scored;
  $("#found").hidden = !scored;
  if (!scored) return;
  const labels = await knownLabels();
  tell(await summary(), labels);
  const key = (name) => el("span", { class: `key ${name}` }, name);
  const caption = [
    "Every submission: its ",
    key("best"),
    ", ",
    key("third"),
    " and ",
    key("tenth"),
    " best reviewer. Above the line are as many scores as there are able reviewers of submissions. ",
    el("span", { id: "pointed", "aria-live": "polite" }),
  ];
  $("#plot").replaceChildren(
    scorePlot(
      await askJson("GET", `conferences/${id}/scores/plot`),
      (paper) => {
        location.href = paperPage(paper);
      },
      caption,
      labels.title,
    ),
  );
}

function tell(figures, labels) {
  const some = (all) =>
    `${all.slice(0, 3).join(", ")}${all.length > 3 ? ` and ${(all.length - 3).toLocaleString("en")} more` : ""}`;
  const own = figures.own_papers.map(([paper, who]) => `${labels.title(paper)} (${labels.name(who)})`);
  const outside = figures.outside.map(labels.title);
  $("#lead").textContent =
    `${figures.summary}: ${plural(figures.papers, "submission")} and ${plural(figures.reviewers, "reviewer")}, scores from ${number(figures.lowest)} to ${number(figures.highest)}.`;
  $("#notes").replaceChildren(
    ...[
      figures.stale ? "Files were changed since: these scores are of the old ones. Score again." : null,
      outside.length
        ? `Nobody of the committee works on ${plural(outside.length, "submission")}, no paper is near: ${some(outside)}`
        : null,
      own.length
        ? `${plural(own.length, "submission is", "submissions are")} in a reviewer’s own profile: ${some(own)}`
        : null,
    ]
      .filter(Boolean)
      .map((text) => el("li", {}, text)),
  );
  $("#facts").replaceChildren(
    ...facts(
      ["submissions with fewer than 3 able reviewers", figures.thin],
      ["reviewers able for no submission", figures.unwanted],
      ["pairs with a certain conflict", figures.conflicts],
      ["pairs with a possible conflict", figures.possible_conflicts],
    ),
  );
  $("#threshold").placeholder = figures.threshold.toFixed(4);
}

// Scoring --------------------------------------------------------------------------------------------------------

const scoring = () => askJson("GET", `conferences/${id}/score`);

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

async function start() {
  $("#problem").hidden = true;
  const values = Object.fromEntries(FIELDS.map((field) => [field, $(`#${field}`).value]));
  try {
    const json = { ...values, profile: Number(values.profile), keep: Number(values.keep) };
    await watch(await askJson("POST", `conferences/${id}/score?${new URLSearchParams({ who: who() })}`, { json }));
  } catch (problem) {
    reveal($("#problem"), problem.message);
  }
}

async function watch({ job, ready }) {
  tellJob(job, ready);
  if (!job || !OPEN.includes(job.state)) return;
  following = true;
  await follow(
    async () => (await scoring()).job,
    (now) => tellJob(now, ready),
  );
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

$("#score").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
$("#cancel").addEventListener("click", async () => {
  $("#cancel").disabled = true;
  await ask("DELETE", `conferences/${id}/score`);
});
$("#threshold").addEventListener("change", async () => tell(await summary(), await knownLabels()));
begin(show, showScoring);
