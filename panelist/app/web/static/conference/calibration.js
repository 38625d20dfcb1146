// The scores of a conference's reviews: sent, compared with the assignment, calibrated, kept, and shown.
import { $, bar, button, download, html, items, onSubmit, plural, put, toast, tryingHere, visit } from "../dom.js";
import { save } from "../api.js";
import { calibrationPlots } from "../plots.js";
import { windowed } from "../windowed.js";
import { begin, change, paperPage, path, read, readLabels, signed } from "./shell.js";
import { sent, takeReviews } from "./upload.js";

async function show() {
  const { texts, scores, calibrated } = await read("/reviews");
  const labels = await readLabels();
  put($("#sent"), sent(scores ?? texts));
  $("#run").disabled = !(scores ?? texts);
  $("#run-help").textContent = scores || !texts ? "" : "The scores are those of the reviews that were sent as texts.";
  if (!calibrated) return;
  const calibration = await read("/calibration");
  const { settings, stale } = calibration;
  $("#accept").value = settings.accept;
  $("#target").value = settings.target;
  $("#lower").checked = settings.lower_is_better;
  $("#stale").hidden = !stale;
  put($("#result"), calibrationView(calibration, labels));
  $("#status").textContent = `${plural(calibration.papers.length, "paper")} calibrated`;
}

async function calibrate() {
  $("#loading").hidden = false;
  await tryingHere(() => {
    const accept = $("#accept").value || "0.25";
    const settings = { accept, target: $("#target").value, lower_is_better: $("#lower").checked };
    return change("POST", "/calibration", {}, settings);
  });
  $("#loading").hidden = true;
}

/** The view of a calibration, as a list of elements; `labels` has titles and names. */
function calibrationView(calibration, labels) {
  const { reviews, papers, reviewers, accepted, messages } = calibration;
  const grey = new Set(calibration.grey_zone);
  const inDoubt = papers.filter((row) => grey.has(row.paper));
  return html`
    <p class="lead">
      ${plural(reviews, "review")} of ${plural(papers.length, "paper")} by ${plural(reviewers.length, "reviewer")}. If ${accepted.toLocaleString("en")} are accepted, the scores decide all but <strong>${plural(grey.size, "paper")}</strong>.
    </p>
    <ul class="notes">${items(messages)}</ul>
    ${shares(calibration)}
    <div class="pictures">${calibrationPlots(calibration)}</div>
    ${paperSheet("The grey zone: papers to discuss", inDoubt, labels, "No paper is in doubt.")}
    ${paperSheet("All papers, best first", papers, labels)}
    ${sheet("Reviewers, harshest first", ["reviewer", "reviews", "offset"], reviewers, (row) => [
      labels.name(row.reviewer),
      row.reviews,
      `${signed(row.bias)} ± ${row.bias_sd.toFixed(2)}`,
    ])}
    <div class="actions">
      ${button("Download the report", () => save("GET", path("/calibration/report")))}
      ${button("Papers as CSV", () => table(papers, "calibrated-papers.csv"))}
      ${button("Reviewers as CSV", () => table(reviewers, "calibrated-reviewers.csv"))}
    </div>`;
}

/** What makes scores differ, as shares of the variance. */
function shares({ alpha_f: quality, alpha_b: generosity, covariates, sigma2: noise }) {
  const sources = [
    ["quality of papers", quality],
    ["generosity of reviewers", generosity],
    ...Object.entries(covariates).map(([name, { variance }]) => [name, variance]),
    ["opinion and noise", noise],
  ];
  const total = sources.reduce((sum, [, variance]) => sum + variance, 0);
  const row = ([name, variance]) => html`
    <div class="row">
      <span>${name}</span>${bar(variance / total)}<span>${Math.round((100 * variance) / total)}%</span>
    </div>`;
  return html`
    <section class="shares" aria-label="What makes scores differ">
      <h2>What makes scores differ</h2>${sources.map(row)}
    </section>`;
}

function paperSheet(title, rows, labels, nothing = "") {
  if (!rows.length) return html`<section><h3>${title}</h3><p class="help">${nothing}</p></section>`;
  const change = ({ rank_change: places }) =>
    places > 0
      ? html`<span class="up">▲ ${places}</span>`
      : places < 0
        ? html`<span class="down">▼ ${-places}</span>`
        : html`<span>–</span>`;
  return sheet(
    title,
    ["paper", "reviews", "raw mean", "calibrated", "P(accept)", "rank", "change"],
    rows,
    (row) => [
      html`<a href=${paperPage(row.paper)} title=${row.paper}>${labels.title(row.paper)}</a>`,
      row.reviews,
      row.raw_mean.toFixed(2),
      `${row.score.toFixed(2)} ± ${row.score_sd.toFixed(2)}`,
      row.p_accept.toFixed(2),
      row.rank,
      change(row),
    ],
    (row) => visit(paperPage(row.paper)),
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
  const box = html`<div class="rows"></div>`;
  box.style.setProperty("--columns", `minmax(12rem, 5fr) repeat(${head.length - 1}, minmax(4.5rem, 1fr))`);
  windowed(box, { label: title, head, rows, cells, open }).reset();
  return html`<section><h3>${title}</h3>${box}</section>`;
}

takeReviews("scores", "Drop a CSV file of scores here", "with the columns paper, reviewer, score", calibrate);
onSubmit($("#settings"), calibrate);
begin(show);
