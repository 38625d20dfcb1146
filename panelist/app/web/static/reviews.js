// The page that checks reviews: a file in, the view and its exports out.
import { $, el, plural, showOutcome, takeFiles } from "./dom.js";
import { askJson, save, showAbout } from "./api.js";
import { reviewsView } from "./reviews-view.js";

let file = null;
let type = "text/csv";

const query = () => new URLSearchParams({ exact: $("#exact").checked, hints: $("#hints").checked });

async function check() {
  if (!file) return;
  await showOutcome("Reading the reviews …", async () => {
    const found = await askJson("POST", `reviews/check?${query()}`, { body: file, type });
    $("#result").replaceChildren(reviewsView(found), exportsOf());
    return `${plural(found.summary.reviews, "review")} checked`;
  });
}

function exportsOf() {
  const button = (kind, label) => el("button", { type: "button", "data-export": kind, onclick: () => save("POST", `reviews/export?kind=${kind}&exact=${$("#exact").checked}`, { body: file, type }) }, label);
  return el("div", { class: "actions" }, button("authors", "For authors (CSV)"), button("sentences", "Sentences (CSV)"),
    button("chair", "For the chair, with flags (CSV)"));
}

function take(chosen, name) {
  file = chosen;
  type = /\.jsonl$/i.test(name) ? "application/x-ndjson" : /\.json$/i.test(name) ? "application/json" : "text/csv";
  $("#file-name").textContent = name;
  check();
}

takeFiles($("#drop"), $("#file"), ([one]) => take(one, one.name));
$("#choose").addEventListener("click", () => $("#file").click());
$("#sample").addEventListener("click", async () => take(await (await fetch("/static/sample-review-texts.csv")).blob(), "invented-reviews.csv"));
$("#settings").addEventListener("change", check);
$("#settings").addEventListener("submit", (event) => event.preventDefault());
showAbout();
