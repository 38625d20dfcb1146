// What to do next, with its button: the bar above every page of a conference.
import { $, button, html, put, toast, visit } from "../dom.js";
import { follow, progressWords } from "../api.js";
import { remember } from "../session.js";
import { attempt } from "./solutions.js";
import { change, id, newestOnly, onConference, path, read, refresh, start } from "./shell.js";

const go = (tab) => visit(`/${path(tab)}`);
const newest = newestOnly();
let shown = null;

const DO = {
  files: () => go("/files"),
  committee: () => go("/committee"),
  conflicts: () => go("/conflicts"),
  late: () => go("/reviews"),
  compare: () => go("/assignment"),
  score: async () => {
    await start("/score", {});
    const current = async () => (await read("/score")).job;
    await follow(current, (job) => job && say(`Scoring: ${progressWords(job)} …`));
    await refresh();
  },
  assign: () => solve({}),
  resolve: () => solve({ keep: true }),
  repair: (base) => solve({ keep: true, base: Number(base) }),
  avoid: async (base) => {
    const { settings } = await read(`/solutions/${base}`);
    await solve({ keep: true, base: Number(base), settings: { ...settings, possible: "avoid" } });
  },
  choose: async (number) => {
    await change("POST", `/solutions/${number}/choose`);
    toast(`Solution ${number} is chosen`);
  },
  find: async (paper) => {
    const { title, abstract } = await read("/paper", { id: paper });
    const committee = [];
    for (let total = 1; committee.length < total;) {
      const slice = await read("/people", { limit: 500, offset: committee.length });
      total = slice.total;
      committee.push(...slice.rows);
    }
    const { name } = await read("");
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
    visit("/");
  },
};

async function solve(body) {
  const solution = await attempt(body, (now) => say(`Solution ${now.number}: ${progressWords(now)} …`));
  if (solution.state === "done") {
    await refresh();
    $("#outcome")?.scrollIntoView({ block: "start" }); // of the page Solutions
    return;
  }
  go("/assignment"); // why there is none, and what would help
}

const say = (words) => {
  $("#steps-status").textContent = words;
};

async function show() {
  const steps = await newest(read("/next"));
  if (!steps) return;
  say(steps.length ? "" : "A solution is chosen, and nothing waits for you: take its files from the page Solutions.");
  if (shown === JSON.stringify(steps)) return; // a button that stays is not replaced under the finger
  shown = JSON.stringify(steps);
  put($("#steps"), steps.map(entry));
}

const entry = ({ words, label, action, value }, index) => html`
  <li>
    <span>${words}</span>
    ${button(label, () => act(() => DO[action](value)), { class: index === 0 && "primary", "data-action": action })}
    ${action === "resolve" && value && button("Undo", () => act(() => undo(value)), { "data-action": "undo" })}
  </li>`;

async function undo(number) {
  await change("POST", `/changes/${number}/undo`);
  toast("Undone");
}

/** Do one thing at a time. */
async function act(work) {
  const disable = (disabled) => {
    for (const other of $("#steps").querySelectorAll("button")) other.disabled = disabled;
  };
  disable(true);
  try {
    await work();
  } catch (problem) {
    say(problem.message);
  } finally {
    disable(false);
  }
}

onConference(show);
