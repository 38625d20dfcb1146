// The page that checks reviews: a file in, the view and its exports out.
import { $, download, el, plural, toast } from "./dom.js";
import { ask, askJson, showAbout } from "./api.js";
import { reviewsView } from "./reviews-view.js";

let file = null;
let type = "text/csv";

const query = () => new URLSearchParams({ exact: $("#exact").checked, hints: $("#hints").checked });

async function check() {
  if (!file) return;
  $("#problem").hidden = true;
  $("#result").hidden = true;
  $("#loading").hidden = false;
  $("#status").textContent = "Reading the reviews …";
  try {
    const found = await askJson("POST", `reviews/check?${query()}`, { body: file, type });
    $("#result").replaceChildren(reviewsView(found), exportsOf());
    $("#result").hidden = false;
    $("#status").textContent = `${plural(found.summary.reviews, "review")} checked`;
  } catch (problem) {
    $("#status").textContent = "";
    $("#problem").textContent = problem.message;
    $("#problem").hidden = false;
  } finally {
    $("#loading").hidden = true;
  }
}

function exportsOf() {
  const button = (kind, label) => el("button", { type: "button", "data-export": kind, onclick: () => save(kind) }, label);
  return el("div", { class: "actions" }, button("authors", "For authors (CSV)"), button("sentences", "Sentences (CSV)"),
    button("chair", "For the chair, with flags (CSV)"));
}

async function save(kind) {
  try {
    const response = await ask("POST", `reviews/export?kind=${kind}&exact=${$("#exact").checked}`, { body: file, type });
    download(await response.blob(), `reviews-${kind}.csv`);
    toast(`Saved reviews-${kind}.csv`);
  } catch (problem) {
    toast(problem.message);
  }
}

function take(chosen, name) {
  if (!chosen) return;
  file = chosen;
  type = /\.jsonl$/i.test(name) ? "application/x-ndjson" : /\.json$/i.test(name) ? "application/json" : "text/csv";
  $("#file-name").textContent = name;
  check();
}

const drop = $("#drop");
drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("dragging"); });
drop.addEventListener("dragleave", () => drop.classList.remove("dragging"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("dragging");
  take(event.dataTransfer.files[0], event.dataTransfer.files[0]?.name);
});
$("#choose").addEventListener("click", () => $("#file").click());
$("#file").addEventListener("change", (event) => { take(event.target.files[0], event.target.files[0]?.name); });
$("#sample").addEventListener("click", async () => take(await (await fetch("/static/sample-review-texts.csv")).blob(), "invented-reviews.csv"));
$("#settings").addEventListener("change", check);
$("#settings").addEventListener("submit", (event) => event.preventDefault());
showAbout().catch(() => { $("#about").textContent = "The server cannot be reached."; });
