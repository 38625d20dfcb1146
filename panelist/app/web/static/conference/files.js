// The files of a conference: dropped or chosen, sent one after the other, shown with what is odd about them.
import { $, download, el, momentOf, reveal, takeFiles, toast } from "../dom.js";
import { askJson } from "../api.js";
import { begin, change, id, knownLabels, onConference } from "./shell.js";
import { guess, KINDS, OPENREVIEW } from "./kinds.js";
import { oddities, wrongLines } from "./upload.js";

const LEFT_OUT = new Set(["constraints", "bids", "quotas", "demands"]);
const when = (text) => momentOf(text).textContent;
const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

async function show() {
  const [{ files }, labels] = await Promise.all([askJson("GET", `conferences/${id}/files`), knownLabels()]);
  const known = Object.fromEntries(files.map((file) => [file.kind, file]));
  $("#kinds").replaceChildren(...Object.entries(KINDS).map(([kind, about]) => card(kind, about, known[kind], labels)));
  $("#to-assign").hidden = !known.scores;
  $("#to-score").hidden = Boolean(known.scores) || !(known.submissions && known.committee);
}

function card(kind, about, file, labels) {
  const heading = `kind-${kind}`;
  const odd = file ? [...file.odd, ...file.odd_beside_others] : [];
  return el("li", { class: file ? "kind there" : "kind", "data-kind": kind, "aria-labelledby": heading },
    el("div", { class: "about-kind" },
      el("h2", { id: heading }, about.title, " ", file ? null : el("span", { class: "optional" }, about.need)),
      file ? el("p", { class: "summary" }, file.summary) : el("p", { class: "help" }, about.help),
      file ? el("p", { class: "help" }, `${file.name} · ${size(file.bytes)} · ${when(file.at)}`) : null),
    el("div", { class: "buttons" },
      el("button", { type: "button", "aria-label": `${file ? "Replace" : "Add"} ${about.title.toLowerCase()}`, onclick: () => choose(kind) }, file ? "Replace" : "Add"),
      file ? el("button", { type: "button", "aria-label": `Remove ${about.title.toLowerCase()}`, onclick: () => remove(kind, about) }, "Remove")
        : el("button", { type: "button", class: "link sample", "aria-label": `Sample of ${about.title.toLowerCase()}`, onclick: () => download(new Blob([about.sample], { type: "text/csv" }), `${kind}-sample.csv`) }, "Sample")),
    oddities(odd, labels),
    file && LEFT_OUT.has(kind) && file.odd_beside_others.length
      ? el("button", { type: "button", class: "leave-out", onclick: () => leaveOut(kind) }, "Leave these lines out") : null);
}

let wanted = null;

function choose(kind) {
  wanted = kind;
  $("#chosen").multiple = kind === null;
  $("#chosen").click();
}

async function send(file, kind) {
  $("#status").textContent = `Checking ${file.name} …`;
  $("#drop").setAttribute("aria-busy", "true");
  try {
    const found = await change("PUT", `/files/${kind}?${new URLSearchParams({ name: file.name })}`, { body: file, type: "application/octet-stream" });
    const kinds = kind === OPENREVIEW ? ["submissions", "committee"] : [kind];
    const kept = found.files.filter((one) => kinds.includes(one.kind));
    $("#status").textContent = kept.map((one) => `${KINDS[one.kind].title}: ${one.summary}`).join("; ");
  } catch (problem) {
    fail(file, problem);
  } finally {
    $("#drop").removeAttribute("aria-busy");
  }
}

function fail(file, problem) {
  $("#status").textContent = "";
  reveal($("#problem"), `${file.name} was not kept. ${problem.message}`);
  $("#errors").replaceChildren(wrongLines(problem.errors));
}

async function take(files, kind) {
  $("#problem").hidden = true;
  $("#errors").replaceChildren();
  for (const file of files) {
    const known = kind ?? await guess(file) ?? await askKind(file);
    if (known) await send(file, known);
    if (!$("#problem").hidden) break;
  }
}

/** Ask what a file is whose name does not say it. */
function askKind(file) {
  const dialog = $("#kind-dialog");
  $("#kind-file").textContent = file.name;
  $("#kind").replaceChildren(...Object.entries(KINDS).map(([kind, { title }]) => el("option", { value: kind }, title)));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok" ? $("#kind").value : null), { once: true }));
}

function remove(kind, about) {
  toast(`Remove ${about.title.toLowerCase()}?`, { question: true, label: "Remove", run: () => change("DELETE", `/files/${kind}`).catch((problem) => toast(problem.message)) });
}

async function leaveOut(kind) {
  try {
    await change("POST", `/files/${kind}/known`);
    toast("Left out; the history says how many lines");
  } catch (problem) {
    toast(problem.message);
  }
}

$("#choose").addEventListener("click", () => choose(null));
takeFiles(document, $("#chosen"), (files, dropped) => take(files, dropped ? null : wanted), $("#drop"));
onConference(show);
begin();
