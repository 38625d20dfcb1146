// What the tabs of a conference share: its name, whose changes they are, changes that know what they began from, and what stands beside a name.
import { $, afterPause, button, html, onClick, options, question, reveal, toast, trying, visit } from "../dom.js";
import { ask, askJson, save } from "../api.js";

export const id = decodeURIComponent(location.pathname.split("/")[2]);
const NAME = "panelist-who"; // where the name of the chair is kept
const PAUSE = 3000; // milliseconds

/** The address of something of this conference, in the API and, after a slash, in the pages; what is empty is not asked for. */
export function path(place, query = {}) {
  const given = Object.entries(query).filter(([, value]) => (value ?? "") !== "");
  return `conferences/${encodeURIComponent(id)}${place}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

/** The pages about one paper and one person of this conference. */
export const paperPage = (paper) => `/${path("/paper", { id: paper })}`;
export const personPage = (reviewer) => `/${path("/person", { id: reviewer })}`;

/** What the API answers about this conference. */
export const read = (place, query, content) => askJson("GET", path(place, query), content);

/** Ask the API to begin something, for the history in the name of the chair. */
export const start = (place, json) => askJson("POST", path(place, { who: chair() }), { json });

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
export async function readLabels() {
  labels ??= read("/labels");
  const { titles, names } = await labels;
  const bearers = Map.groupBy(Object.values(names), (name) => name);
  return {
    title: (paper) => titles[paper] ?? paper,
    name: (reviewer) =>
      bearers.get(names[reviewer])?.length > 1 ? `${names[reviewer]} (${reviewer})` : (names[reviewer] ?? reviewer),
  };
}

/** Read the conference again, and tell everybody. */
export async function refresh() {
  conference = await read("");
  labels = null;
  $("#conference-name").textContent = conference.name;
  $("#rename").value = conference.name;
  document.title = `${conference.name} · Panelist`;
  $("#changed").hidden = true;
  await Promise.all(listeners.map((listener) => listener(conference))); // none waits for another
}

/** The name that the chair gave, for the history. */
export const chair = () => localStorage.getItem(NAME) ?? "";

/** Keep the name in a field. */
export function keepName(field) {
  field.value = chair();
  field.addEventListener("change", () => localStorage.setItem(NAME, field.value.trim()));
}

/** Change something of this conference; refused where it was changed elsewhere since this page read it. */
export async function change(method, place, content = {}, query = {}) {
  try {
    const answer = await ask(method, path(place, { ...query, revision: conference.revision, who: chair() }), content);
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
export const tryChange = (method, place, content, done) =>
  trying(async () => {
    await change(method, place, content);
    toast(done);
  });

/** Make a change by hand. */
export const note = (json, done = "Noted. The next solution knows it.") =>
  tryChange("POST", "/changes", { json }, done);

/** A button that makes one change by hand; `fields()` are those that are chosen when it is pressed. */
export const noteButton = (label, body, done, fields = () => ({})) =>
  button(label, () => note({ ...body, ...fields() }, done), { "data-action": body.action });

/** A choice of somebody else for a paper, noted when it is pressed; nothing where nobody could. */
export function replacement(paper, reviewer, people) {
  if (!people.length) return null;
  const choice = html`<select aria-label="Somebody else">
    ${options(people.map((person) => [person.reviewer, `${person.name} (${person.score.toFixed(3)})`]))}
  </select>`;
  const replace = { paper, action: "replace", reviewer };
  return html`<span class="choice">
    ${choice}${noteButton("Replace", replace, undefined, () => ({ other: choice.value }))}
  </span>`;
}

/** How many entries of a list are to be shown: more on demand, as at first when one of `selects` changes; a search shows others. */
export function listed(show, step, ...selects) {
  let limit = step;
  const showTo = (count) => {
    limit = count;
    show();
  };
  for (const select of selects) $(select).addEventListener("change", () => showTo(step));
  $("#search").addEventListener("input", afterPause(show));
  onClick({ more: () => showTo(Math.min(limit + step, 500)) });
  return () => limit;
}

/** What is searched for on this page. */
export const search = () => $("#search").value.trim();

/** Of several answers only the newest counts: `await newest(answer)` is null for one after which something was asked. */
export function newestOnly() {
  let last = null;
  return async (answer) => {
    last = answer;
    const value = await answer;
    return last === answer ? value : null;
  };
}

/** A difference, with its sign. */
export const signed = (value, digits = 2) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(digits)}`;

/** A word or two that stand out. */
export const tag = (words) => html`<span class="tag">${words}</span>`;

/** A conflict as a badge; nothing where there is none, or somebody dismissed it. */
const conflictBadge = ({ certain, possible, evidence }) =>
  (certain || possible) &&
  html`<span class="tag ${certain ? "bad" : "warn"}" title=${evidence}>${certain ? "conflict" : "possible conflict"}</span>`;

/** All badges of an assigned pair. */
export const badges = ({ conflict, confidence, by_hand: byHand, role }) => [
  conflict && conflictBadge(conflict),
  confidence === "low" && tag("weak match"),
  byHand && tag("by hand"),
  role && role !== "reviewer" && tag(role),
];

/** A conflict in words: its reasons, what was decided, and buttons to decide. */
export function conflictCard(conflict, heading) {
  const { submission: paper, reviewer, reasons, decision, certain } = conflict;
  const act = (action, label, done) => noteButton(label, { action, paper, reviewer }, done);
  const verdict = decision?.verdict;
  return html`
    <li class="conflict ${certain ? "certain" : conflict.possible ? "possible" : "dismissed"}">
      <p><strong>${heading}</strong> ${tag(verdict ?? (certain ? "certain" : "possible"))}</p>
      <ul>${reasons.map(({ evidence }) => html`<li>${evidence}</li>`)}</ul>
      ${decision && html`<p class="help">${verdict} by ${decision.by || "somebody"}${decision.note ? `: ${decision.note}` : ""}</p>`}
      ${
        reasons.some((reason) => reason.certain) // ids say so: nobody decides
          ? null
          : html`<div class="buttons">
              ${verdict !== "confirmed" && act("confirm", "Confirm", "Confirmed: the pair will not be assigned.")}
              ${verdict !== "dismissed" && act("dismiss", "Dismiss", "Dismissed: the pair may be assigned.")}
            </div>`
      }
    </li>`;
}

/** Begin: fill in the frame, then let the tab show itself, now and whenever the conference has changed. */
export async function begin(...shows) {
  shows.forEach(onConference);
  import("./steps.js"); // what to do next, which itself needs this module
  keepName($("#who"));
  $("#look")?.addEventListener("submit", (event) => event.preventDefault());
  const forget = async () => {
    await ask("DELETE", path(""));
    visit("/conferences");
  };
  onClick({
    "save-name": () => tryChange("PATCH", "", { json: { name: $("#rename").value } }, "Renamed"),
    export: () => save("GET", path("/export")),
    forget: () =>
      question(`Forget “${conference.name}” with all its files and its history?`, "Forget it for good", forget),
  });
  try {
    await refresh();
  } catch (problem) {
    $("#conference-name").textContent = "This conference cannot be shown";
    reveal($("#changed"), problem.message);
    return;
  }
  setInterval(look, PAUSE);
  document.addEventListener("visibilitychange", look);
}

/** Show what others changed meanwhile; nobody is disturbed who is choosing or typing. */
async function look() {
  const busy = "dialog[open], main select:focus, main input:focus, main textarea:focus";
  if (document.visibilityState !== "visible" || $(busy)) return;
  const now = await read("").catch(() => conference);
  if (now.revision > conference.revision) await refresh();
}
