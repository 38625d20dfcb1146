// What to do next, with its button: the bar above every list of a conference.
import { $, el, toast } from "../dom.js";
import { ask, askJson } from "../api.js";
import { remember } from "../session.js";
import { attempt } from "./solutions.js";
import { change, id, onConference, refresh, who } from "./shell.js";

const place = (tab) => { location.href = `/conferences/${encodeURIComponent(id)}${tab}`; };
const OPEN_JOB = ["waiting", "running"];

const DO = {
  files: () => place("/files"),
  score: async () => {
    await ask("POST", `conferences/${id}/score?${new URLSearchParams({ who: who() })}`, { json: {} });
    await follow(() => askJson("GET", `conferences/${id}/score`).then((state) => state.job), "Scoring");
  },
  assign: () => solve({}),
  resolve: () => solve({ keep: true }),
  repair: (base) => solve({ keep: true, base: Number(base) }),
  avoid: async (base) => {
    const { settings } = await askJson("GET", `conferences/${id}/solutions/${base}`);
    await solve({ keep: true, base: Number(base), settings: { ...settings, possible: "avoid" } });
  },
  choose: async (number) => { await change("POST", `/solutions/${number}/choose`); toast(`Solution ${number} is chosen`); },
  find: async (paper) => {
    const found = await askJson("GET", `conferences/${id}/paper?${new URLSearchParams({ id: paper })}`);
    const committee = await askJson("GET", `conferences/${id}/people?limit=200`);
    remember({ values: { title: found.title, abstract: found.abstract }, people: [], excluded: committee.rows.map((row) => ({ author: { id: row.id, name: row.name } })) });
    location.href = "/";
  },
};

async function solve(body) {
  const made = await attempt(body, (one) => say(`Solution ${one.number}: ${one.stage || one.state} …`));
  if (made.state === "done") { await refresh(); return; }
  place("/assignment"); // why there is none, and what would help
}

async function follow(read, what) {
  for (let job = await read(); job && OPEN_JOB.includes(job.state); job = await read()) {
    const done = job.total > 1 ? ` ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "";
    say(job.state === "waiting" ? `${what}: waiting for other jobs …` : `${what}: ${job.stage}${done} …`);
    await new Promise((resolve) => { setTimeout(resolve, 400); });
  }
  await refresh();
}

function say(words) {
  $("#steps-status").textContent = words;
}

async function show() {
  const steps = await askJson("GET", `conferences/${id}/next`);
  say(steps.length ? "" : "Nothing is left to do here.");
  $("#steps").replaceChildren(...steps.map((step) => el("li", {}, el("span", {}, step.words),
    el("button", { type: "button", class: step === steps[0] ? "primary" : null, "data-action": step.action, onclick: async (event) => {
      for (const one of $("#steps").querySelectorAll("button")) one.disabled = true;
      try { await DO[step.action](step.value); } catch (problem) { say(problem.message); } finally { event.target.disabled = false; }
    } }, step.label))));
}

/** Show the bar, now and whenever the conference has changed. */
export function followSteps() {
  onConference(show);
}
