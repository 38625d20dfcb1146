// Talking to the server: the token, problems in words, and answers.
import { $, dayOf, dotted, download, html, plural, toast, trying } from "./dom.js";

export class Problem extends Error {
  constructor(detail, status = 0, errors = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
}

const TOKEN = "panelist-token"; // where it is stored

/** Ask the server; `json` or `body` is sent, the response is returned once it is a good one. */
export async function ask(method, path, { json, body, type, signal } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    const headers = {};
    const token = sessionStorage.getItem(TOKEN);
    if (token) headers.Authorization = `Bearer ${token}`;
    if (json !== undefined || type) headers["Content-Type"] = json === undefined ? type : "application/json";
    let response;
    try {
      const sent = json === undefined ? body : JSON.stringify(json);
      response = await fetch(`/api/v1/${path}`, { method, headers, signal, body: sent });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem("The server cannot be reached. Check that it is running and try again.");
    }
    if (response.ok) return response;
    if (response.headers.get("WWW-Authenticate")?.startsWith("Session")) {
      location.href = `/signin?${new URLSearchParams({ next: location.pathname + location.search })}`;
      return new Promise(() => {}); // this page is being left
    }
    if (response.status === 401 && path !== "session") {
      await askForToken(Boolean(token) || attempt > 0);
      continue;
    }
    const { detail, errors } = await response.json().catch(() => ({})); // not every answer is a problem document
    throw new Problem(detail || `The server answered ${response.status}.`, response.status, errors || []);
  }
}

export const askJson = async (...args) => (await ask(...args)).json();

export const OPEN = ["waiting", "running"]; // states of a job that is not over
const POLL = 400;

/** Ask about a job, or what it makes, until it is over; `report(job)` hears how far it is, and the end is returned. */
export async function follow(read, report) {
  for (let failures = 0; ;) {
    try {
      const job = await read();
      report(job);
      if (!job || !OPEN.includes(job.state)) return job;
      failures = 0;
    } catch (problem) {
      if (problem.status || (failures += 1) > 150) throw problem; // the server may be restarting
    }
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}

/** How far a job is: its stage and steps; one that waits says what for. */
export function progressWords({ state, stage, done = 0, total = 0 }) {
  if (state === "waiting") return "waiting for other jobs";
  const words = stage || "starting";
  return total > 1 ? `${words}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : words;
}

/** Ask for a file and save it, under the name that the server gives it; what goes wrong is said. */
export const save = (method, path, { name, ...content } = {}) =>
  trying(async () => {
    const response = await ask(method, path, content);
    const file = name ?? /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition"))[1];
    download(await response.blob(), file);
    toast(`Saved ${file}`);
  });

let asking = null;

/** Ask the user for the token, once however many requests need it. */
function askForToken(wrong) {
  asking ??= new Promise((resolve) => {
    const dialog = $("#token-dialog");
    const note = $(".problem", dialog);
    note.textContent = "That token was not accepted.";
    note.hidden = !wrong;
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    const close = () => {
      sessionStorage.setItem(TOKEN, $("#token").value.trim());
      $("#token").value = "";
      asking = null;
      resolve();
    };
    dialog.addEventListener("close", close, { once: true });
    if (!dialog.open) dialog.showModal();
  });
  return asking;
}

/** Who is signed in, with a button to sign out; nothing where there are no users. */
async function showViewer() {
  const { name } = await askJson("GET", "session");
  if (!name || $("#signed-in")) return;
  const leave = async () => {
    await ask("DELETE", "session");
    location.href = "/signin";
  };
  $("header.top").append(
    html`<span id="signed-in">${name} <button type="button" onclick=${leave}>Sign out</button></span>`,
  );
}

/** The line at the foot of every page: what is served. */
async function showAbout() {
  showViewer().catch(() => {});
  const { index, corpus, model, version } = await askJson("GET", "info");
  $("#about").textContent = dotted(
    `${plural(index.papers, "paper")} by ${plural(index.authors, "person", "people")}${corpus.newest_year ? `, up to ${corpus.newest_year}` : ""}`,
    `indexed ${dayOf(index.built).textContent}`,
    `model ${model.name}`,
    `Panelist ${version}`,
  );
}

if (!$("#sign-in"))
  showAbout().catch(() => {
    $("#about").textContent = "The server cannot be reached.";
  }); // also where a provider sends back who may not sign in
