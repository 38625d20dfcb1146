// The history of a conference: who changed what and when; changes by hand can be undone, by one more event.
import { $, momentOf, plural, toast } from "../dom.js";
import { askJson, save } from "../api.js";
import { windowed } from "../windowed.js";
import { begin, change, id, onConference } from "./shell.js";

const BY_HAND = ["lock", "forbid", "release", "replace", "exchange", "decline", "quota", "demand", "confirm", "dismiss", "undo"];
let events = [];

const words = ({ kind, detail }) => detail.words ?? [kind, detail.name ?? detail.file, detail.summary].filter(Boolean).join(": ");

async function show() {
  events = await askJson("GET", `conferences/${id}/events`);
  const undone = off();
  $("#status").textContent = plural(events.length, "event");
  windowed($("#events"), {
    label: "History", head: ["When", "Who", "What", ""],
    rows: events,
    cells: (event) => [momentOf(event.at), event.who || "somebody", words(event), undone.has(event.number) ? "undone" : ""],
    open: (event) => { if (BY_HAND.includes(event.kind) && !undone.has(event.number)) offer(event); },
  }).reset();
}

function offer(event) {
  toast(`Undo “${words(event)}”?`, { question: true, label: "Undo", run: () => change("POST", `/changes/${event.number}/undo`).then(() => toast("Undone"), (problem) => toast(problem.message)) });
}

/** The events that do not hold any more: an undone “undo” undoes nothing. */
function off() {
  const found = new Set();
  for (const event of events) if (event.kind === "undo" && !found.has(event.number)) found.add(event.detail.of);
  return found;
}

$("#save-csv").addEventListener("click", () => save("GET", `conferences/${id}/events/export`));
$("#save-json").addEventListener("click", () => save("GET", `conferences/${id}/events`, { name: "history.json" }));
onConference(show);
begin();
