// The assignment as a component: scores in, a method, plots, a table, downloads. Any page can hold it.
import { $, download, el, plural, takeFiles, toast } from "./dom.js";
import { sheet } from "./sheet.js";
import { ask, askJson } from "./api.js";
import { assignmentControls, field } from "./assignment-controls.js";

const FILES = {
  constraints: "Conflicts and locks", quotas: "Quotas", demands: "Demands", reviewers: "About the reviewers", bids: "Bids",
};
const POLL = 400;

/** Build the component inside `root`; `job` is an affinity job whose scores are taken. */
export function assignmentDesk(root, { job = null } = {}) {
  const files = {};
  let current = null;

  const scores = el("input", { type: "file", id: "scores", accept: ".csv,text/csv", hidden: true });
  const name = el("strong", { id: "scores-name" }, job ? `Scores of job ${job}` : "Drop a CSV file of scores here");
  const drop = el("div", { class: "drop", id: "drop" },
    el("p", {}, name, el("br"), el("span", {}, "lines of ", el("code", {}, "paper, reviewer, score"), ", without a header")),
    el("button", { type: "button", class: "primary", id: "choose", onclick: () => scores.click() }, "Choose a file"),
    el("button", { type: "button", id: "invented", onclick: () => take(invented(), "Invented scores") }, "Use invented scores"), scores);
  const controls = assignmentControls();
  const settings = el("div", { id: "settings" }, el("div", { class: "settings" },
    field("job", "Or scores of an affinity job", el("input", { id: "job", type: "text", maxlength: 40, autocomplete: "off", value: job ?? "" }), "the id that the API gave")), controls.form);
  const more = el("details", { class: "more-files" }, el("summary", {}, "More files: conflicts, quotas, demands, reviewers, bids"),
    el("div", { class: "settings" }, Object.entries(FILES).map(([key, label]) => field(`file-${key}`, label,
      el("input", { id: `file-${key}`, type: "file", accept: ".csv,text/csv",
        onchange: async (event) => { files[key] = await event.target.files[0]?.text(); run(); } })))));
  const status = el("p", { id: "status", class: "visually-hidden", role: "status", "aria-live": "polite" });
  const problem = el("p", { id: "problem", class: "problem", role: "alert", hidden: true });
  const loading = el("div", { id: "loading", class: "cards", hidden: true, "aria-hidden": "true" }, el("div", { class: "skeleton" }));
  const result = el("div", { id: "result", class: "outcome", hidden: true });
  root.replaceChildren(drop, settings, more,
    el("section", { id: "outcome", class: "outcome", "aria-label": "Result", tabindex: "-1" }, status, problem, loading, result));

  function request() {
    const asked = { ...controls.settings(), alternates: 2 };
    if (files.scores) asked.scores = files.scores;
    else asked.job = $("#job", root).value.trim();
    for (const key of Object.keys(FILES)) if (files[key]) asked[key] = files[key];
    return asked;
  }

  async function run() {
    if (!files.scores && !$("#job", root).value.trim()) return;
    const mine = Symbol("run");
    current = mine;
    problem.hidden = true;
    result.hidden = true;
    loading.hidden = false;
    status.textContent = "Assigning …";
    try {
      let state = await askJson("POST", "assignments", { json: request() });
      while (state.state === "waiting" || state.state === "running") {
        await new Promise((resolve) => { setTimeout(resolve, POLL); });
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
    const warnings = [...summary.notes,
      ...(summary.unscored.length ? [`${plural(summary.unscored.length, "pair")} without a score, as a last resort`] : []),
      ...(summary.short.length ? [`${plural(summary.short.length, "paper lacks", "papers lack")} reviews`] : [])];
    result.replaceChildren(
      el("p", { class: "lead" }, el("strong", {}, plural(summary.pairs, "review")), ` of ${plural(summary.papers, "paper")} by ${plural(summary.reviewers, "reviewer")}: `
        + `${(100 * part).toFixed(1)}% of the greatest total; lowest paper sum ${summary.lowest.toFixed(3)}, ${proof}.${drawn}`),
      el("ul", { class: "notes" }, warnings.map((text) => el("li", {}, text))),
      el("div", { class: "pictures" }, pictures.map(({ png, alt, caption }) => el("figure", {},
        el("img", { src: `data:image/png;base64,${png}`, alt, width: "832", height: "390" }), el("figcaption", {}, caption || alt)))),
      sheet("Who reviews what", ["paper", "reviewer", "score", "probability"], pairs, (row) => [
        row.paper, row.reviewer, row.scored ? row.score.toFixed(4) : "none", row.probability.toFixed(3)]),
      summary.thin.length ? sheet("Papers that remain thin", ["paper", "sum", "part of its own best"], summary.thin, (row) => [
        row.paper, row.sum.toFixed(3), `${Math.round(100 * row.share)}%`]) : el("p", { class: "help" }, "Every paper has at least half of what its own best reviewers would give it."),
      summary.recruits.length ? sheet("Whom to recruit: another reviewer like …", ["like", "gain, at most", "for"], summary.recruits, (row) => [
        row.like, row.gain.toFixed(3), row.papers.join(", ")]) : null,
      el("div", { class: "actions" },
        save(id, "csv", "assignment.csv", "Assignment as CSV", "secondary"), save(id, "openreview", "assignment.json", "OpenReview’s JSON"),
        save(id, "alternates", "alternates.csv", "Alternates"), save(id, "marginals", "marginals.csv", "Probabilities"),
        save(id, "report", "assignment.html", "Report")),
    );
  }

  function take(text, label) {
    files.scores = text;
    name.textContent = label;
    run();
  }

  takeFiles(drop, scores, async ([file]) => take(await file.text(), file.name));
  $("#job", root).addEventListener("change", () => { files.scores = undefined; name.textContent = "Drop a CSV file of scores here"; });
  settings.addEventListener("change", run);
  settings.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  run();
}

function save(id, form, file, label, kind = null) {
  return el("button", { type: "button", class: kind, "data-format": form, onclick: async () => {
    try {
      download(await (await ask("GET", `assignments/${id}?format=${form}`)).blob(), file);
      toast(`Saved ${file}`);
    } catch (error) {
      toast(error.message);
    }
  } }, label);
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
