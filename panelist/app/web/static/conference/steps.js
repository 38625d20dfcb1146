// What to do next, with its button: the bar above every page of a conference.
import { $, el, toast } from "../dom.js";
import { ask, askJson, follow, progressWords } from "../api.js";
import { remember } from "../session.js";
import { attempt } from "./solutions.js";
import { change, id, newestOnly, onConference, refresh, who } from "./shell.js";

const place = (tab) => {
  location.href = `/conferences/${encodeURIComponent(id)}${tab}`;
};

const newest = newestOnly();
let shown = null;

const DO = {
  files: () => place("/files"),
  committee: () => place("/committee"),
  conflicts: () => place("/conflicts"),
  late: () => place("/reviews"),
  compare: () => place("/assignment"),
  score: async () => {
    await ask("POST", `conferences/${id}/score?${new URLSearchParams({ who: who() })}`, { json: {} });
    await follow(
      async () => (await askJson("GET", `conferences/${id}/score`)).job,
      (job) => job && say(`Scoring: ${progressWords(job)} …`),
    );
    await refresh();
  },
  assign: () => solve({}),
  resolve: () => solve({ keep: true }),
  repair: (base) => solve({ keep: true, base: Number(base) }),
  avoid: async (base) => {
    const { settings } = await askJson("GET", `conferences/${id}/solutions/${base}`);
    await solve({ keep: true, base: Number(base), settings: { ...settings, possible: "avoid" } });
  },
  choose: async (number) => {
    await change("POST", `/solutions/${number}/choose`);
    toast(`Solution ${number} is chosen`);
  },
  find: async (paper) => {
    const { title, abstract } = await askJson("GET", `conferences/${id}/paper?${new URLSearchParams({ id: paper })}`);
    const committee = [];
    for (let total = 1; committee.length < total;) {
      const some = await askJson(
        "GET",
        `conferences/${id}/people?${new URLSearchParams({ limit: 500, offset: committee.length })}`,
      );
      total = some.total;
      committee.push(...some.rows);
    }
    const { name } = await askJson("GET", `conferences/${id}`);
    remember({
      values: { title, abstract },
      people: [],
      excluded: committee.flatMap((row) =>
        [row.id, ...row.profiles]
          .filter((key) => !/\s/.test(key))
          .map((key) => ({ author: { id: key, name: row.name } })),
      ),
      conference: { id, name },
    });
    location.href = "/";
  },
};

async function solve(body) {
  const solution = await attempt(body, (now) => say(`Solution ${now.number}: ${progressWords(now)} …`));
  if (solution.state === "done") {
    await refresh();
    $("#outcome")?.scrollIntoView({ block: "start" }); // of the page Solutions
    return;
  }
  place("/assignment"); // why there is none, and what would help
}

const say = (words) => {
  $("#steps-status").textContent = words;
};

async function show() {
  const steps = await newest(askJson("GET", `conferences/${id}/next`));
  if (!steps) return;
  say(steps.length ? "" : "A solution is chosen, and nothing waits for you: take its files from the page Solutions.");
  if (shown === JSON.stringify(steps)) return; // a button that stays is not replaced under the finger
  shown = JSON.stringify(steps);
  $("#steps").replaceChildren(
    ...steps.map((step) =>
      el(
        "li",
        {},
        el("span", {}, step.words),
        el(
          "button",
          {
            type: "button",
            class: step === steps[0] ? "primary" : null,
            "data-action": step.action,
            onclick: async () => {
              const disable = (disabled) => {
                for (const button of $("#steps").querySelectorAll("button")) button.disabled = disabled;
              };
              disable(true);
              try {
                await DO[step.action](step.value);
              } catch (problem) {
                say(problem.message);
              } finally {
                disable(false);
              }
            },
          },
          step.label,
        ),
        step.action === "resolve" && step.value
          ? el(
              "button",
              {
                type: "button",
                "data-action": "undo",
                onclick: () =>
                  change("POST", `/changes/${step.value}/undo`).then(
                    () => toast("Undone"),
                    (problem) => say(problem.message),
                  ),
              },
              "Undo",
            )
          : null,
      ),
    ),
  );
}

onConference(show);
