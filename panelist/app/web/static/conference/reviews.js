// The texts of a conference's reviews: sent, checked in the background, shown paper by paper.
import { $, afterPause, el, momentOf, plural, toast, trying } from "../dom.js";
import { askJson, follow, OPEN, progressWords, save } from "../api.js";
import { reviewsView } from "../reviews-view.js";
import { begin, button, change, id, knownLabels, paperPage, refresh } from "./shell.js";
import { attempt } from "./solutions.js";
import { sent, takeReviews } from "./upload.js";

const FIRST = 10;
let watching = false;

async function show() {
  const { texts, check } = await askJson("GET", `conferences/${id}/reviews`);
  await showLate();
  $("#sent").replaceChildren(sent(texts));
  $("#tools").hidden = check.state !== "done";
  $("#check").replaceChildren(...(texts ? [state(check)] : []));
  if (check.state === "done") await showPapers();
  else $("#result").replaceChildren();
  if (OPEN.includes(check.state)) watch();
}

function state(check) {
  if (check.state === "done") return "";
  if (OPEN.includes(check.state))
    return el("p", { class: "help", role: "status" }, `Checking: ${progressWords(check)} …`);
  const why =
    {
      none: "",
      stale: "The texts or the submissions have changed since the last check.",
      lost: "The server was stopped before the check had finished.",
      cancelled: "The check was cancelled.",
      failed: check.error,
    }[check.state] ?? "";
  return el(
    "div",
    { class: "actions" },
    button("Check the texts", checkTexts, { primary: true, id: "begin-check" }),
    el("p", { class: check.state === "failed" ? "problem" : "help" }, why),
  );
}

async function checkTexts() {
  await askJson("POST", `conferences/${id}/reviews/check`);
  await show();
}

async function watch() {
  if (watching) return;
  watching = true;
  await trying(() =>
    follow(
      async () => (await askJson("GET", `conferences/${id}/reviews`)).check,
      (check) => $("#check").replaceChildren(state(check)),
    ),
  );
  watching = false;
  await show();
}

async function showPapers() {
  const load = (offset, limit, signal) =>
    askJson(
      "GET",
      `conferences/${id}/reviews/checked?${new URLSearchParams({ offset, limit, search: $("#paper-search").value })}`,
      { signal },
    );
  const first = await load(0, FIRST);
  $("#result").replaceChildren(reviewsView(first, await knownLabels(), load));
  $("#status").textContent = `${plural(first.summary.reviews, "review")} checked`;
}

/** Papers that lack reviews: whose they are, and who could step in. */
async function showLate() {
  const late = await askJson("GET", `conferences/${id}/late`).catch((problem) => {
    if (problem.status === 404) return [];
    throw problem;
  }); // no scores
  $("#late").hidden = !late.length;
  $("#late-heading").textContent = `${plural(late.length, "paper lacks", "papers lack")} reviews`;
  $("#late-papers").replaceChildren(
    ...late.map((paper) =>
      el(
        "li",
        { class: "card reviewer" },
        el(
          "div",
          { class: "body" },
          el(
            "p",
            {},
            el("a", { href: paperPage(paper.paper) }, el("strong", {}, paper.title)),
            ` lacks ${plural(paper.missing, paper.role === "reviewer" ? "review" : paper.role)} since `,
            momentOf(paper.since),
          ),
          paper.absent.length
            ? el("p", { class: "help" }, paper.absent.map(({ name, why }) => `${name}: ${why}`).join(" · "))
            : null,
          paper.people.length
            ? el(
                "ul",
                { class: "buttons" },
                paper.people.map((person) => el("li", {}, stepIn(paper, person))),
              )
            : el("p", { class: "help" }, "Nobody of the committee who is able has room."),
        ),
      ),
    ),
  );
}

/** A button that assigns somebody to the one paper, for who is absent, and touches no other. */
function stepIn({ paper, absent: [absent] }, { reviewer, name, score, confidence, room, sent: came, due }) {
  const known = [
    score.toFixed(3),
    confidence ? `${confidence} confidence` : null,
    `room for ${room}`,
    came ? `sent ${plural(came, "review")}` : null,
    due ? `owes ${due}` : null,
  ];
  return button(`${name} (${known.filter(Boolean).join(", ")})`, async () => {
    await change("POST", "/changes", {
      json:
        absent?.why === "no review"
          ? { action: "replace", paper, reviewer: absent.reviewer, other: reviewer }
          : { action: "lock", paper, reviewer },
    });
    const solution = await attempt({ only: paper }, ({ number, ...state }) => {
      $("#status").textContent = `Solution ${number}: ${progressWords(state)} …`;
    });
    if (solution.state !== "done") throw new Error(`Solution ${solution.number}: ${solution.error ?? solution.state}`);
    await refresh();
    toast(
      `Solution ${solution.number} has ${name}, and all pairs of other papers: compare it above, or choose it on the page Solutions.`,
    );
  });
}

takeReviews(
  "texts",
  "Drop a CSV file of reviews here",
  "with the columns paper, reviewer, text and perhaps score",
  () => trying(checkTexts),
);
$("#paper-search").addEventListener(
  "input",
  afterPause(() => $("#result .reviews")?.search()),
);
for (const kind of ["authors", "sentences", "chair"]) {
  $(`[data-export=${kind}]`).addEventListener("click", () =>
    save("GET", `conferences/${id}/reviews/export?kind=${kind}`),
  );
}
begin(show);
