// The component that shows calibrated scores: what makes them differ, pictures, papers, reviewers, downloads.
import { bar, download, el, plural, toast } from "./dom.js";
import { calibrationPlots } from "./plots.js";
import { sheet } from "./sheet.js";

/** The whole view of a calibration, as a list of elements; `report()` saves the page to keep, `link(paper)` leads to a paper, `labels` has titles and names. */
export function calibrationView(found, { report, link, labels }) {
  const grey = new Set(found.grey_zone);
  return [
    el("p", { class: "lead" }, `${plural(found.reviews, "review")} of ${plural(found.papers.length, "paper")} by ${plural(found.reviewers.length, "reviewer")}. `
      + `If ${found.accepted.toLocaleString("en")} are accepted, the scores decide all but `, el("strong", {}, plural(grey.size, "paper")), "."),
    el("ul", { class: "notes" }, found.messages.map((message) => el("li", {}, message))),
    shares(found),
    el("div", { class: "pictures" }, calibrationPlots(found)),
    papers("The grey zone: papers to discuss", found.papers.filter((row) => grey.has(row.paper)), { link, labels }, "No paper is in doubt."),
    papers("All papers, best first", found.papers, { link, labels }),
    reviewers(found.reviewers, labels),
    el("div", { class: "actions" },
      el("button", { type: "button", onclick: report }, "Download the report"),
      el("button", { type: "button", onclick: () => table(found.papers, "calibrated-papers.csv") }, "Papers as CSV"),
      el("button", { type: "button", onclick: () => table(found.reviewers, "calibrated-reviewers.csv") }, "Reviewers as CSV")),
  ];
}

/** What makes scores differ, as shares of the variance. */
function shares(found) {
  const parts = [["quality of papers", found.alpha_f], ["generosity of reviewers", found.alpha_b],
    ...Object.entries(found.covariates).map(([name, { variance }]) => [name, variance]), ["opinion and noise", found.sigma2]];
  const total = parts.reduce((sum, [, variance]) => sum + variance, 0);
  return el("section", { class: "shares", "aria-label": "What makes scores differ" },
    el("h2", {}, "What makes scores differ"),
    parts.map(([name, variance]) => el("div", { class: "row" }, el("span", {}, name),
      bar(variance / total), el("span", {}, `${Math.round((100 * variance) / total)}%`))));
}

function papers(title, rows, { link, labels }, nothing = "") {
  if (!rows.length) return el("section", {}, el("h3", {}, title), el("p", { class: "help" }, nothing));
  const change = (row) => el("td", { class: row.rank_change > 0 ? "up" : row.rank_change < 0 ? "down" : null },
    row.rank_change > 0 ? `▲ ${row.rank_change}` : row.rank_change < 0 ? `▼ ${-row.rank_change}` : "–");
  return sheet(title, ["paper", "reviews", "raw mean", "calibrated", "P(accept)", "rank", "change"], rows, (row) => [
    el("td", {}, el("a", { href: link(row.paper), title: row.paper }, labels.title(row.paper))), row.reviews, row.raw_mean.toFixed(2), `${row.score.toFixed(2)} ± ${row.score_sd.toFixed(2)}`, row.p_accept.toFixed(2), row.rank, change(row)]);
}

function reviewers(rows, labels) {
  return sheet("Reviewers, harshest first", ["reviewer", "reviews", "offset"], rows, (row) => [
    labels.name(row.reviewer), row.reviews, `${row.bias >= 0 ? "+" : "−"}${Math.abs(row.bias).toFixed(2)} ± ${row.bias_sd.toFixed(2)}`]);
}

function table(rows, name) {
  // As panelist/spreadsheet.py does: what a spreadsheet would take for a formula gets an apostrophe before it.
  const plain = (value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value));
  const quoted = (value) => (/[",\n\r]/.test(plain(value)) ? `"${plain(value).replaceAll('"', '""')}"` : plain(value));
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((line) => line.map(quoted).join(","));
  download(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }), name);
  toast(`Saved ${name}`);
}
