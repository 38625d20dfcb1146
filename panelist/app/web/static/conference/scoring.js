// Scoring: begin it, follow it, cancel it, and resume what was cut off.
import { $, plural, reveal } from "../dom.js";
import { ask, askJson, OPEN } from "../api.js";
import { id, onConference, refresh, who } from "./shell.js";

const FIELDS = ["model", "profile", "keep", "references"];
const OVER = {
  failed: (job) => job.error, cancelled: () => "Scoring was cancelled. What it had computed is kept: it goes on from there.",
  lost: () => "The server was stopped while it scored. What it had computed is kept: it goes on from there.",
};
let polling = null;
let seen = null;

/** Show how far scoring is, now and until it is over. */
export function followScoring() {
  $("#score").addEventListener("submit", (event) => { event.preventDefault(); start(); });
  $("#cancel").addEventListener("click", async () => { $("#cancel").disabled = true; await ask("DELETE", `conferences/${id}/score`); });
  onConference(async (conference) => {
    if (polling) return;
    const state = await askJson("GET", `conferences/${id}/score`);
    // Who has scores comes to look at them; who has none, or lost some, comes to score.
    if (seen === null) $("#scoring").open = !conference.files.includes("scores") || state.job?.state in OVER;
    show(state);
  });
}

function settings() {
  const values = Object.fromEntries(FIELDS.map((field) => [field, $(`#${field}`).value]));
  return { ...values, profile: Number(values.profile), keep: Number(values.keep) };
}

async function start() {
  $("#problem").hidden = true;
  try {
    show(await askJson("POST", `conferences/${id}/score?${new URLSearchParams({ who: who() })}`, { json: settings() }));
  } catch (problem) {
    reveal($("#problem"), problem.message);
  }
}

function show(state) {
  const job = state.job;
  const running = job !== null && OPEN.includes(job.state);
  if (state.settings && seen === null) for (const field of FIELDS) $(`#${field}`).value = state.settings[field] ?? "";
  seen = job?.id ?? "";
  $("#run").disabled = running || !state.ready;
  $("#run").textContent = !running && job && ["cancelled", "lost"].includes(job.state) ? "Resume scoring" : "Score";
  $("#not-ready").hidden = state.ready;
  $("#running").hidden = !running;
  if (running) {
    tell(job);
    polling = setTimeout(poll, 500);
    return;
  }
  polling = null;
  $("#cancel").disabled = false;
  const over = job ? OVER[job.state] : null;
  $("#problem").textContent = over ? over(job) : "";
  $("#problem").hidden = !over;
}

async function poll() {
  polling = null;
  try {
    const state = await askJson("GET", `conferences/${id}/score`);
    show(state);
    if (!polling) await refresh();
  } catch (problem) {
    $("#stage").textContent = problem.message;
    polling = setTimeout(poll, 2000); // the server may be restarting
  }
}

function tell(job) {
  const bar = $("#progress");
  if (job.total > 0) {
    bar.max = job.total;
    bar.value = job.done;
  } else bar.removeAttribute("value");
  const stage = job.state === "waiting" ? "Waiting for other jobs" : `${job.stage[0].toUpperCase()}${job.stage.slice(1)}`;
  const counted = job.total > 1 ? `: ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "";
  $("#stage").textContent = `${stage}${counted}${left(job.seconds_left)}`;
}

function left(seconds) {
  if (seconds === null) return "";
  if (seconds < 60) return ", less than a minute left of this step";
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `, about ${plural(minutes, "minute")} left of this step` : `, about ${Math.round(minutes / 60)} hours left of this step`;
}
