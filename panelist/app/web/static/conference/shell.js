// What the tabs of a conference share: its name, whose changes they are, changes that know what they began from, and what stands beside a name.
import { $, afterPause, el, onClick, reveal, toast, trying } from "../dom.js";
import { ask, askJson, save } from "../api.js";

export const id = decodeURIComponent(location.pathname.split("/")[2]);
const WHO = "panelist-who";
const LOOK = 3000; // milliseconds

/** The pages about one paper and one person of this conference. */
export const paperPage = (paper) =>
  `/conferences/${encodeURIComponent(id)}/paper?${new URLSearchParams({ id: paper })}`;
export const personPage = (reviewer) =>
  `/conferences/${encodeURIComponent(id)}/person?${new URLSearchParams({ id: reviewer })}`;

/** The conference as this page knows it. */
let conference = null;
const listeners = [];

/** Call `listener(conference)` now that the conference is known, and whenever it has changed. */
export function onConference(listener) {
  listeners.push(listener);
  if (conference) listener(conference);
}

let labels = null;

/** Titles and names by id: `title(paper)`, `name(reviewer)`, with the id where several have the name; the id where nothing is known. Read once for a page. */
export async function knownLabels() {
  labels ??= askJson("GET", `conferences/${id}/labels`);
  const { titles, names } = await labels;
  const counts = new Map();
  for (const name of Object.values(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const namesake = (name) => counts.get(name) > 1;
  return {
    title: (paper) => titles[paper] ?? paper,
    name: (reviewer) =>
      namesake(names[reviewer]) ? `${names[reviewer]} (${reviewer})` : (names[reviewer] ?? reviewer),
  };
}

/** Read the conference again, and tell everybody. */
export async function refresh() {
  conference = await askJson("GET", `conferences/${id}`);
  labels = null;
  $("#conference-name").textContent = conference.name;
  $("#rename").value = conference.name;
  document.title = `${conference.name} · Panelist`;
  $("#changed").hidden = true;
  await Promise.all(listeners.map((listener) => listener(conference))); // none waits for another
}

/** The name that the chair gave, for the history. */
export const who = () => localStorage.getItem(WHO) ?? "";

/** Keep the name in a field. */
export function keepWho(field) {
  field.value = who();
  field.addEventListener("change", () => localStorage.setItem(WHO, field.value.trim()));
}

/** Change something of this conference; refused where it was changed elsewhere since this page read it. */
export async function change(method, path, content = {}) {
  const query = new URLSearchParams({ revision: conference.revision, who: who() });
  const joined = `conferences/${id}${path}${path.includes("?") ? "&" : "?"}${query}`;
  try {
    const answer = await ask(method, joined, content);
    const result = answer.status === 204 ? null : await answer.json();
    await refresh();
    return result;
  } catch (problem) {
    if (problem.status === 409) {
      await refresh().catch(() => {});
      reveal($("#changed"), problem.message);
      problem.told = true;
    }
    throw problem;
  }
}

/** Make a change and say that it was made, or what went wrong. */
export const tryChange = (method, path, content, done) =>
  trying(async () => {
    await change(method, path, content);
    toast(done);
  });

/** Make a change by hand. */
export const note = (json, done = "Noted. The next solution knows it.") =>
  tryChange("POST", "/changes", { json }, done);

/** A button that makes one change by hand. */
export const noteButton = (label, body, done) =>
  el("button", { type: "button", "data-action": body.action, onclick: () => note(body, done) }, label);

/** A choice of somebody else for a paper, noted when it is pressed; nothing where nobody could. */
export function replacement(paper, reviewer, people) {
  if (!people.length) return null;
  const choice = el(
    "select",
    { "aria-label": "Somebody else" },
    people.map((person) => el("option", { value: person.reviewer }, `${person.name} (${person.score.toFixed(3)})`)),
  );
  return el(
    "span",
    { class: "choice" },
    choice,
    el(
      "button",
      {
        type: "button",
        "data-action": "replace",
        onclick: () => note({ paper, action: "replace", reviewer, other: choice.value }),
      },
      "Replace",
    ),
  );
}

/** How many entries of a list are to be shown: more on demand, as at first when one of `selects` changes; a search shows others. */
export function listed(show, step, ...selects) {
  let limit = step;
  for (const select of selects)
    $(select).addEventListener("change", () => {
      limit = step;
      show();
    });
  $("#search").addEventListener("input", afterPause(show));
  onClick({
    more: () => {
      limit = Math.min(limit + step, 500);
      show();
    },
  });
  return () => limit;
}

/** Of several answers only the newest counts: `await newest(answer)` is null for one after which something was asked. */
export function newestOnly() {
  let last = null;
  return async (answer) => {
    last = answer;
    const value = await answer;
    return last === answer ? value : null;
  };
}

/** A conflict as a badge; nothing where there is none, or somebody dismissed it. */
function conflictBadge(conflict) {
  if (!conflict || (!conflict.certain && !conflict.possible)) return null;
  return el(
    "span",
    { class: `tag ${conflict.certain ? "bad" : "warn"}`, title: conflict.evidence },
    conflict.certain ? "conflict" : "possible conflict",
  );
}

/** All badges of an assigned pair. */
export const badges = ({ conflict, confidence, by_hand: byHand, role }) =>
  [
    conflictBadge(conflict),
    confidence === "low" ? el("span", { class: "tag" }, "weak match") : null,
    byHand ? el("span", { class: "tag" }, "by hand") : null,
    role && role !== "reviewer" ? el("span", { class: "tag" }, role) : null,
  ].filter(Boolean);

/** A conflict in words: its reasons, what was decided, and buttons to decide. */
export function conflictCard(conflict, heading) {
  const { submission: paper, reviewer, reasons, decision, certain } = conflict;
  const act = (action, label, done) => noteButton(label, { action, paper, reviewer }, done);
  const byIds = reasons.some((reason) => reason.certain);
  return el(
    "li",
    { class: `conflict ${certain ? "certain" : conflict.possible ? "possible" : "dismissed"}` },
    el(
      "p",
      {},
      el("strong", {}, heading),
      " ",
      el("span", { class: "tag" }, decision ? decision.verdict : certain ? "certain" : "possible"),
    ),
    el(
      "ul",
      {},
      reasons.map((reason) => el("li", {}, reason.evidence)),
    ),
    decision
      ? el(
          "p",
          { class: "help" },
          `${decision.verdict} by ${decision.by || "somebody"}${decision.note ? `: ${decision.note}` : ""}`,
        )
      : null,
    byIds
      ? null
      : el(
          "div",
          { class: "buttons" },
          decision?.verdict === "confirmed"
            ? null
            : act("confirm", "Confirm", "Confirmed: the pair will not be assigned."),
          decision?.verdict === "dismissed" ? null : act("dismiss", "Dismiss", "Dismissed: the pair may be assigned."),
        ),
  );
}

/** A button that does something which may fail. */
export function button(label, run, { primary = false, name = null, id: key = null } = {}) {
  return el(
    "button",
    {
      type: "button",
      id: key,
      class: primary ? "primary" : null,
      "aria-label": name,
      onclick: async ({ target }) => {
        target.disabled = true;
        await trying(run);
        target.disabled = false;
      },
    },
    label,
  );
}

/** Begin: fill in the frame, then let the tab show itself, now and whenever the conference has changed. */
export async function begin(...shows) {
  shows.forEach(onConference);
  import("./steps.js"); // what to do next, which itself needs this module
  keepWho($("#who"));
  $("#look")?.addEventListener("submit", (event) => event.preventDefault());
  const forget = () =>
    trying(async () => {
      await ask("DELETE", `conferences/${id}`);
      location.href = "/conferences";
    });
  onClick({
    "save-name": () => tryChange("PATCH", "", { json: { name: $("#rename").value } }, "Renamed"),
    export: () => save("GET", `conferences/${id}/export`),
    forget: () =>
      toast(`Forget “${conference.name}” with all its files and its history?`, {
        question: true,
        label: "Forget it for good",
        run: forget,
      }),
  });
  try {
    await refresh();
  } catch (problem) {
    $("#conference-name").textContent = "This conference cannot be shown";
    reveal($("#changed"), problem.message);
    return;
  }
  setInterval(look, LOOK);
  document.addEventListener("visibilitychange", look);
}

/** Show what others changed meanwhile; nobody is disturbed who is choosing or typing. */
async function look() {
  if (
    document.visibilityState !== "visible" ||
    document.querySelector("dialog[open], main select:focus, main input:focus, main textarea:focus")
  )
    return;
  const now = await askJson("GET", `conferences/${id}`).catch(() => conference);
  if (now.revision > conference.revision) await refresh();
}
