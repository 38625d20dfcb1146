// The history of a conference: who changed what and when; changes by hand can be undone, by one more event.
import { $, momentOf, onClick, plural, question } from "../dom.js";
import { save } from "../api.js";
import { windowed } from "../windowed.js";
import { begin, path, read, tryChange } from "./shell.js";

const BY_HAND = /^(lock|forbid|release|replace|exchange|decline|quota|demand|confirm|dismiss|distinguish|curate|undo)$/;

const words = ({ kind, detail }) =>
  detail.words ?? [kind, detail.name ?? detail.file, detail.summary].filter(Boolean).join(": ");

async function show() {
  const events = await read("/events");
  const undone = new Set(); // events that do not hold any more: an undone “undo” undoes nothing
  for (const { kind, number, detail } of events) if (kind === "undo" && !undone.has(number)) undone.add(detail.of);
  $("#status").textContent = plural(events.length, "event");
  windowed($("#events"), {
    label: "History",
    head: ["When", "Who", "What", ""],
    rows: events,
    cells: (event) => [
      momentOf(event.at),
      event.who || "somebody",
      words(event),
      undone.has(event.number) ? "undone" : "",
    ],
    open: (event) => {
      if (BY_HAND.test(event.kind) && !undone.has(event.number)) offer(event);
    },
  }).reset();
}

const offer = (event) =>
  question(`Undo “${words(event)}”?`, "Undo", () => tryChange("POST", `/changes/${event.number}/undo`, {}, "Undone"));

onClick({
  "save-csv": () => save("GET", path("/events/export")),
  "save-json": () => save("GET", path("/events"), { name: "history.json" }),
});
begin(show);
