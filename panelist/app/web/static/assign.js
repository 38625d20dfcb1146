// The page that assigns reviewers: scores in, a method, plots, a table, downloads.
import { $, el, field, plural, sleep, takeFiles } from "./dom.js";
import { sheet } from "./sheet.js";
import { askJson, OPEN, save, showAbout } from "./api.js";
import { assignmentControls, assignOptions } from "./assignment-controls.js";

const FILES = {
  constraints: "Conflicts and locks", quotas: "Quotas", demands: "Demands", reviewers: "About the reviewers", bids: "Bids",
};
const POLL = 400;

const job = new URLSearchParams(location.search).get("job"); // an affinity job whose scores are taken
const files = {};
let current = null;

const scores = el("input", { type: "file", id: "scores", accept: ".csv,text/csv", hidden: true });
const name = el("strong", { id: "scores-name" }, job ? `Scores of job ${job}` : "Drop a CSV file of scores here");
const drop = el("div", { class: "drop", id: "drop" },
  el("p", {}, name, el("br"), el("span", {}, "lines of ", el("code", {}, "paper, reviewer, score"), ", without a header")),
  el("button", { type: "button", class: "primary", id: "choose", onclick: () => scores.click() }, "Choose a file"),
  el("button", { type: "button", id: "invented", onclick: () => take(invented(), "Invented scores") }, "Use invented scores"), scores);
const controls = assignmentControls(await assignOptions());
const settings = el("div", { id: "settings" }, el("div", { class: "settings" },
  field("Or scores of an affinity job", el("input", { id: "job", type: "text", maxlength: 40, autocomplete: "off", value: job ?? "" }), "the id that the API gave")), controls.form);
const more = el("details", {}, el("summary", {}, "More files: conflicts, quotas, demands, reviewers, bids"),
  el("div", { class: "settings" }, Object.entries(FILES).map(([key, label]) => field(label,
    el("input", { id: `file-${key}`, type: "file", accept: ".csv,text/csv",
      onchange: async (event) => { files[key] = await event.target.files[0]?.text(); run(); } })))));
const [status, problem, loading, result] = ["#status", "#problem", "#loading", "#result"].map((id) => $(id));
$("#assignment").replaceChildren(drop, settings, more);

function request() {
  const asked = { ...controls.settings(), alternates: 2 };
  if (files.scores) asked.scores = files.scores;
  else asked.job = $("#job").value.trim();
  for (const key of Object.keys(FILES)) if (files[key]) asked[key] = files[key];
  return asked;
}

async function run() {
  if (!files.scores && !$("#job").value.trim()) return;
  const mine = Symbol("run");
  current = mine;
  problem.hidden = true;
  result.hidden = true;
  loading.hidden = false;
  status.textContent = "Assigning …";
  try {
    let state = await askJson("POST", "assignments", { json: request() });
    while (OPEN.includes(state.state)) {
      await sleep(POLL);
      if (current !== mine) return;
      state = await askJson("GET", `jobs/${state.id}`);
      status.textContent = `Assigning: ${state.stage} …`;
    }
    if (state.state !== "done") throw new Error(state.error ?? `The job is ${state.state}.`);
    const made = await askJson("GET", `assignments/${state.id}`);
    if (current !== mine) return;
    render(made, state.id);
    result.hidden = false;
    status.textContent = `${plural(made.pairs.length, "review")} assigned`;
  } catch (error) {
    if (current !== mine) return;
    status.textContent = "";
    problem.textContent = error.message;
    problem.hidden = false;
  } finally {
    if (current === mine) loading.hidden = true;
  }
}

function render({ summary, pictures, pairs }, id) {
  const proof = summary.certified ? "no assignment has a higher lowest sum" : `no assignment can have more than ${summary.bound.toFixed(3)}`;
  const part = summary.greatest_total > 0 ? summary.total / summary.greatest_total : 1;
  const drawn = summary.seed === null ? "" : ` Drawn with seed ${summary.seed}; expected quality ${summary.quality.toFixed(4)}.`;
  const warnings = [...summary.notes, `Conflicts of interest: ${summary.conflicts.words}`,
    ...(summary.unscored.length ? [`${plural(summary.unscored.length, "pair")} without a score, as a last resort`] : []),
    ...(summary.short.length ? [`${plural(summary.short.length, "paper lacks", "papers lack")} reviews`] : [])];
  result.replaceChildren(
    el("p", { class: "lead" }, el("strong", {}, plural(summary.pairs, "review")), ` of ${plural(summary.papers, "paper")} by ${plural(summary.reviewers, "reviewer")}: `
      + `${(100 * part).toFixed(1)}% of the greatest total; lowest paper sum ${summary.lowest.toFixed(3)}, ${proof}.${drawn}`),
    el("ul", { class: "notes" }, warnings.map((text) => el("li", {}, text))),
    el("div", { class: "pictures" }, pictures.map(({ png, alt, caption }) => el("figure", {},
      el("img", { src: `data:image/png;base64,${png}`, alt, width: "832", height: "390" }), el("figcaption", {}, caption || alt)))),
    sheet("Who reviews what", ["paper", "reviewer", "score", "probability", "possible conflict"], pairs, (row) => [
      row.paper, row.reviewer, row.scored ? row.score.toFixed(4) : "none", row.probability.toFixed(3), row.conflict]),
    summary.thin.length ? sheet("Papers that remain thin", ["paper", "sum", "part of its own best"], summary.thin, (row) => [
      row.paper, row.sum.toFixed(3), `${Math.round(100 * row.share)}%`]) : el("p", { class: "help" }, "Every paper has at least half of what its own best reviewers would give it."),
    summary.recruits.length ? sheet("Whom to recruit: another reviewer like …", ["like", "gain, at most", "for"], summary.recruits, (row) => [
      row.like, row.gain.toFixed(3), row.papers.join(", ")]) : "",
    el("div", { class: "actions" },
      saveButton(id, "csv", "Assignment as CSV"), saveButton(id, "openreview", "OpenReview’s JSON"),
      saveButton(id, "alternates", "Alternates"), saveButton(id, "marginals", "Probabilities"), saveButton(id, "report", "Report")),
  );
}

function take(text, label) {
  files.scores = text;
  name.textContent = label;
  run();
}

function saveButton(id, form, label) {
  return el("button", { type: "button", "data-format": form, onclick: () => save("GET", `assignments/${id}?format=${form}`) }, label);
}

/** Scores of forty papers and thirty reviewers in five fields, the same every time. */
function invented() {
  let state = 7;
  const dice = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
  const lines = [];
  for (let paper = 1; paper <= 40; paper += 1) {
    for (let reviewer = 1; reviewer <= 30; reviewer += 1) {
      const near = paper % 5 === reviewer % 5 ? 0.5 : 0.05;
      lines.push(`paper-${paper},reviewer-${reviewer},${(near + 0.45 * dice()).toFixed(4)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

takeFiles(drop, scores, async ([file]) => take(await file.text(), file.name));
$("#job").addEventListener("change", () => { files.scores = undefined; name.textContent = "Drop a CSV file of scores here"; });
settings.addEventListener("change", run);
settings.addEventListener("submit", (event) => { event.preventDefault(); run(); });
run();
showAbout();
