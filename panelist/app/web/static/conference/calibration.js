// The scores of a conference's reviews: sent, compared with the assignment, calibrated, kept, and shown.
import { $, bar, download, el, plural, toast } from "../dom.js";
import { askJson, save } from "../api.js";
import { calibrationPlots } from "../plots.js";
import { windowed } from "../windowed.js";
import { begin, change, id, knownLabels, paperPage } from "./shell.js";
import { sent, takeReviews } from "./upload.js";

const query = () =>
  new URLSearchParams({
    accept: $("#accept").value || "0.25",
    target: $("#target").value,
    lower_is_better: $("#lower").checked,
  });

async function show() {
  const { texts, scores, calibrated } = await askJson("GET", `conferences/${id}/reviews`);
  const labels = await knownLabels();
  $("#sent").replaceChildren(sent(scores ?? texts));
  $("#run").disabled = !(scores ?? texts);
  $("#run-help").textContent = scores || !texts ? "" : "The scores are those of the reviews that were sent as texts.";
  if (!calibrated) return;
  const calibration = await askJson("GET", `conferences/${id}/calibration`);
  const { settings, stale } = calibration;
  $("#accept").value = settings.accept;
  $("#target").value = settings.target;
  $("#lower").checked = settings.lower_is_better;
  $("#stale").hidden = !stale;
  $("#result").replaceChildren(...calibrationView(calibration, labels));
  $("#status").textContent = `${plural(calibration.papers.length, "paper")} calibrated`;
}

async function calibrate() {
  $("#problem").hidden = true;
  $("#loading").hidden = false;
  try {
    await change("POST", `/calibration?${query()}`);
  } catch (problem) {
    $("#problem").textContent = problem.message;
    $("#problem").hidden = problem.status === 409;
  } finally {
    $("#loading").hidden = true;
  }
}

/** The whole view of a calibration, as a list of elements; `labels` has titles and names. */
function calibrationView(calibration, labels) {
  const { reviews, papers, reviewers, accepted, messages } = calibration;
  const grey = new Set(calibration.grey_zone);
  return [
    el(
      "p",
      { class: "lead" },
      `${plural(reviews, "review")} of ${plural(papers.length, "paper")} by ${plural(reviewers.length, "reviewer")}. ` +
        `If ${accepted.toLocaleString("en")} are accepted, the scores decide all but `,
      el("strong", {}, plural(grey.size, "paper")),
      ".",
    ),
    el(
      "ul",
      { class: "notes" },
      messages.map((message) => el("li", {}, message)),
    ),
    shares(calibration),
    el("div", { class: "pictures" }, calibrationPlots(calibration)),
    paperSheet(
      "The grey zone: papers to discuss",
      papers.filter((row) => grey.has(row.paper)),
      labels,
      "No paper is in doubt.",
    ),
    paperSheet("All papers, best first", papers, labels),
    sheet("Reviewers, harshest first", ["reviewer", "reviews", "offset"], reviewers, (row) => [
      labels.name(row.reviewer),
      row.reviews,
      `${row.bias >= 0 ? "+" : "−"}${Math.abs(row.bias).toFixed(2)} ± ${row.bias_sd.toFixed(2)}`,
    ]),
    el(
      "div",
      { class: "actions" },
      el(
        "button",
        { type: "button", onclick: () => save("GET", `conferences/${id}/calibration/report`) },
        "Download the report",
      ),
      el("button", { type: "button", onclick: () => table(papers, "calibrated-papers.csv") }, "Papers as CSV"),
      el("button", { type: "button", onclick: () => table(reviewers, "calibrated-reviewers.csv") }, "Reviewers as CSV"),
    ),
  ];
}

/** What makes scores differ, as shares of the variance. */
function shares({ alpha_f: quality, alpha_b: generosity, covariates, sigma2: noise }) {
  const parts = [
    ["quality of papers", quality],
    ["generosity of reviewers", generosity],
    ...Object.entries(covariates).map(([name, { variance }]) => [name, variance]),
    ["opinion and noise", noise],
  ];
  const total = parts.reduce((sum, [, variance]) => sum + variance, 0);
  return el(
    "section",
    { class: "shares", "aria-label": "What makes scores differ" },
    el("h2", {}, "What makes scores differ"),
    parts.map(([name, variance]) =>
      el(
        "div",
        { class: "row" },
        el("span", {}, name),
        bar(variance / total),
        el("span", {}, `${Math.round((100 * variance) / total)}%`),
      ),
    ),
  );
}

function paperSheet(title, rows, labels, nothing = "") {
  if (!rows.length) return el("section", {}, el("h3", {}, title), el("p", { class: "help" }, nothing));
  const change = (row) =>
    el(
      "span",
      { class: row.rank_change > 0 ? "up" : row.rank_change < 0 ? "down" : null },
      row.rank_change > 0 ? `▲ ${row.rank_change}` : row.rank_change < 0 ? `▼ ${-row.rank_change}` : "–",
    );
  return sheet(
    title,
    ["paper", "reviews", "raw mean", "calibrated", "P(accept)", "rank", "change"],
    rows,
    (row) => [
      el("a", { href: paperPage(row.paper), title: row.paper }, labels.title(row.paper)),
      row.reviews,
      row.raw_mean.toFixed(2),
      `${row.score.toFixed(2)} ± ${row.score_sd.toFixed(2)}`,
      row.p_accept.toFixed(2),
      row.rank,
      change(row),
    ],
    (row) => {
      location.href = paperPage(row.paper);
    },
  );
}

function table(rows, name) {
  // As panelist/spreadsheet.py does: what a spreadsheet would take for a formula gets an apostrophe before it.
  const plain = (value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value));
  const quoted = (value) => (/[",\n\r]/.test(plain(value)) ? `"${plain(value).replaceAll('"', '""')}"` : plain(value));
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((line) =>
    line.map(quoted).join(","),
  );
  download(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }), name);
  toast(`Saved ${name}`);
}

/** A list under a heading; `cells(row)` are texts or elements. */
function sheet(title, head, rows, cells, open = null) {
  const box = el("div", { class: "rows of-sheet" });
  box.style.setProperty("--columns", `minmax(12rem, 5fr) repeat(${head.length - 1}, minmax(4.5rem, 1fr))`);
  windowed(box, { label: title, head, rows, cells, open }).reset();
  return el("section", {}, el("h3", {}, title), box);
}

takeReviews("scores", "Drop a CSV file of scores here", "with the columns paper, reviewer, score", calibrate);
$("#settings").addEventListener("submit", (event) => {
  event.preventDefault();
  calibrate();
});
begin(show);
