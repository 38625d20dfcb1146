// The texts of a conference's reviews: sent, checked in the background, shown paper by paper.
import { $, afterPause, button, dotted, html, items, momentOf, plural, put, toast, trying } from "../dom.js";
import { askJson, follow, OPEN, progressWords, save } from "../api.js";
import { reviewsView } from "../reviews-view.js";
import { begin, change, paperPage, path, read, readLabels, refresh } from "./shell.js";
import { attempt } from "./solutions.js";
import { sent, takeReviews } from "./upload.js";

const FIRST = 10;
let watching = false;

async function show() {
  const { texts, check } = await read("/reviews");
  await showLate();
  put($("#sent"), sent(texts));
  $("#tools").hidden = check.state !== "done";
  put($("#check"), texts && state(check));
  if (check.state === "done") await showPapers();
  else put($("#result"));
  if (OPEN.includes(check.state)) watch();
}

function state(check) {
  if (check.state === "done") return null;
  if (OPEN.includes(check.state)) return html`<p class="help" role="status">Checking: ${progressWords(check)} …</p>`;
  const reasons = {
    none: "",
    stale: "The texts or the submissions have changed since the last check.",
    lost: "The server was stopped before the check had finished.",
    cancelled: "The check was cancelled.",
    failed: check.error,
  };
  return html`
    <div class="actions">
      ${button("Check the texts", checkTexts, { class: "primary", id: "begin-check" })}
      <p class=${check.state === "failed" ? "problem" : "help"}>${reasons[check.state]}</p>
    </div>`;
}

async function checkTexts() {
  await askJson("POST", path("/reviews/check"));
  await show();
}

async function watch() {
  if (watching) return;
  watching = true;
  const check = async () => (await read("/reviews")).check;
  await trying(() => follow(check, (now) => put($("#check"), state(now))));
  watching = false;
  await show();
}

async function showPapers() {
  const load = (offset, limit, signal) =>
    read("/reviews/checked", { offset, limit, search: $("#paper-search").value }, { signal });
  const first = await load(0, FIRST);
  put($("#result"), reviewsView(first, await readLabels(), load));
  $("#status").textContent = `${plural(first.summary.reviews, "review")} checked`;
}

/** Papers that lack reviews: whose they are, and who could step in. */
async function showLate() {
  const late = await read("/late").catch((problem) => {
    if (problem.status === 404) return []; // no scores
    throw problem;
  });
  $("#late").hidden = !late.length;
  $("#late-heading").textContent = `${plural(late.length, "paper lacks", "papers lack")} reviews`;
  put($("#late-papers"), late.map(lacking));
}

function lacking(late) {
  const missing = plural(late.missing, late.role === "reviewer" ? "review" : late.role);
  return html`
    <li class="card reviewer">
      <div class="body">
        <p><a href=${paperPage(late.paper)}><strong>${late.title}</strong></a> lacks ${missing} since ${momentOf(late.since)}</p>
        ${late.absent.length > 0 && html`<p class="help">${dotted(...late.absent.map(({ name, why }) => `${name}: ${why}`))}</p>`}
        ${
          late.people.length
            ? html`<ul class="buttons">${items(late.people.map((person) => stepIn(late, person)))}</ul>`
            : html`<p class="help">Nobody of the committee who is able has room.</p>`
        }
      </div>
    </li>`;
}

/** A button that assigns somebody to the one paper, for who is absent, and touches no other. */
function stepIn({ paper, absent: [absent] }, { reviewer, name, score, confidence, room, sent: came, due }) {
  const known = [
    score.toFixed(3),
    confidence && `${confidence} confidence`,
    `room for ${room}`,
    came && `sent ${plural(came, "review")}`,
    due && `owes ${due}`,
  ];
  return button(`${name} (${known.filter(Boolean).join(", ")})`, async () => {
    const replaced = absent?.why === "no review";
    const json = replaced
      ? { action: "replace", paper, reviewer: absent.reviewer, other: reviewer }
      : { action: "lock", paper, reviewer };
    await change("POST", "/changes", { json });
    const solution = await attempt({ only: paper }, ({ number, ...job }) => {
      $("#status").textContent = `Solution ${number}: ${progressWords(job)} …`;
    });
    if (solution.state !== "done") throw new Error(`Solution ${solution.number}: ${solution.error ?? solution.state}`);
    await refresh();
    toast(
      `Solution ${solution.number} has ${name}, and all pairs of other papers: compare it above, or choose it on the page Solutions.`,
    );
  });
}

const help = "with the columns paper, reviewer, text and perhaps score";
takeReviews("texts", "Drop a CSV file of reviews here", help, () => trying(checkTexts));
$("#paper-search").addEventListener(
  "input",
  afterPause(() => $("#result .reviews")?.search()),
);
for (const exporter of document.querySelectorAll("[data-export]"))
  exporter.onclick = () => save("GET", path("/reviews/export", { kind: exporter.dataset.export }));
begin(show);
