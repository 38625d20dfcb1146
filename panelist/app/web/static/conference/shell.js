// What every tab of a conference has: its name, whose changes they are, and changes that know what they began from.
import { $, reveal, toast } from "../dom.js";
import { ask, askJson, Problem, save } from "../api.js";

export const id = decodeURIComponent(location.pathname.split("/")[2]);
const WHO = "panelist-who";
const LOOK = 3000; // milliseconds

/** The page about one paper of this conference. */
export const paperPage = (paper) => `/conferences/${encodeURIComponent(id)}/paper?${new URLSearchParams({ id: paper })}`;

/** The conference as this page knows it. */
let conference = null;
const listeners = [];

/** Call `listener(conference)` now that the conference is known, and whenever it has changed. */
export function onConference(listener) {
  listeners.push(listener);
  if (conference) listener(conference);
}

let labels = null;

/** Titles and names by id: `title(paper)`, `name(reviewer)`, `words(text)` with ids in it; the id where nothing is known. Read once for a page. */
export async function knownLabels() {
  labels ??= askJson("GET", `conferences/${id}/labels`);
  const { titles, names } = await labels;
  const words = (text) => text.split(" ").map((word) => titles[word] ?? names[word] ?? word).join(" ");
  return { title: (paper) => titles[paper] ?? paper, name: (reviewer) => names[reviewer] ?? reviewer, words };
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
export function who() {
  return localStorage.getItem(WHO) ?? "";
}

/** Keep the name in a field. */
export function keepWho(field) {
  field.value = who();
  field.addEventListener("change", () => localStorage.setItem(WHO, field.value.trim()));
}

/** Change something of this conference; refused where it was changed elsewhere since this page read it. */
export async function change(method, path, content = {}) {
  const asked = new URLSearchParams({ revision: conference.revision, who: who() });
  const joined = `conferences/${id}${path}${path.includes("?") ? "&" : "?"}${asked}`;
  try {
    const answer = await ask(method, joined, content);
    const result = answer.status === 204 ? null : await answer.json();
    await refresh();
    return result;
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 409) {
      await refresh().catch(() => {});
      reveal($("#changed"), problem.message);
    }
    throw problem;
  }
}

/** Make a change by hand and say so. */
export async function note(json, said = "Noted. The next solution knows it.") {
  try {
    await change("POST", "/changes", { json });
    toast(said);
  } catch (problem) {
    if (problem.status !== 409) toast(problem.message);
  }
}

/** Begin: fill in the frame, then let the tab show itself. */
export async function begin() {
  import("./steps.js"); // what to do next, which itself needs this module
  keepWho($("#who"));
  $("#save-name").addEventListener("click", () => change("PATCH", "", { json: { name: $("#rename").value } })
    .then(() => toast("Renamed")).catch((problem) => toast(problem.message)));
  $("#export").addEventListener("click", () => save("GET", `conferences/${id}/export`));
  $("#forget").addEventListener("click", () => toast(`Forget “${conference.name}” with all its files and its history?`, {
    question: true,
    label: "Forget it for good",
    run: () => ask("DELETE", `conferences/${id}`).then(() => { location.href = "/conferences"; }, (problem) => toast(problem.message)),
  }));
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
  if (document.visibilityState !== "visible" || document.querySelector("dialog[open], main select:focus, main input:focus, main textarea:focus")) return;
  const now = await askJson("GET", `conferences/${id}`).catch(() => conference);
  if (now.revision > conference.revision) await refresh();
}
