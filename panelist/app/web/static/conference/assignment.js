// The assignment of a conference: try settings, compare, choose, export. Changes by hand are made on the page of a paper.
import { $, button, html, onSubmit, plural, put, question, reveal, toast } from "../dom.js";
import { askJson, OPEN, progressWords, save } from "../api.js";
import { assignmentControls } from "../assignment-controls.js";
import { attempt, followSolution, infeasible, sideBySide, solutionTable } from "./solutions.js";
import { begin, change, newestOnly, paperPage, path, read, refresh } from "./shell.js";

const FORMS = {
  csv: "OpenReview’s CSV",
  openreview: "OpenReview’s JSON",
  easychair: "For EasyChair",
  cmt: "For CMT",
  hotcrp: "For HotCRP",
  people: "For a spreadsheet",
  run: "TREC run",
  alternates: "Alternates",
  marginals: "Probabilities",
  report: "Report",
  zip: "All of it",
};

const BY_LEVEL = ["easychair", "cmt", "hotcrp"]; // what takes the levels of a committee one by one

const FEW = 50; // papers that are looked at for able reviewers

const options = await askJson("GET", "assignments/options");
let controls = null;
let overview = null;
let shown = [0, 0];
let newestDone = 0; // the last solution that was made, which is shown at once, whoever made it
const newest = newestOnly();
const following = new Set(); // solutions that somebody waits for

const act = {
  choose: async (solution) => {
    await change("POST", `/solutions/${solution.number}/choose`);
    toast(`Solution ${solution.number} is chosen`);
    $("#chosen").focus({ preventScroll: true }); // the button that was pressed is gone
  },
  repair: (solution) => tryOut({ keep: true, base: solution.number }),
  discard: (solution) => change("DELETE", `/solutions/${solution.number}`),
  again: async (solution) => {
    following.add(solution.number);
    const begun = await askJson("POST", path(`/solutions/${solution.number}/again`));
    await finish(await followSolution(begun, report));
  },
};

function report(solution) {
  const open = OPEN.includes(solution.state);
  $("#status").textContent = `Solution ${solution.number}: ${open ? `${progressWords(solution)} …` : solution.state}`;
  $("#progress").hidden = !open;
  $("#progress").textContent = $("#status").textContent;
}

async function tryOut(body) {
  $("#problem").hidden = true;
  const follow = (solution) => {
    report(solution);
    if (following.has(solution.number)) return;
    following.add(solution.number);
    show();
  };
  await attempt(body, follow).then(finish).catch(fail);
}

async function finish(solution) {
  following.delete(solution.number);
  if (solution.settings) controls.fill(solution.settings);
  await refresh(); // what to do next, too
  if (solution.state === "failed") fail(new Error(solution.error));
  $("#outcome").focus({ preventScroll: true });
  $("#outcome").scrollIntoView({ block: "start" });
}

function fail(problem) {
  reveal($("#problem"), problem.message);
  $("#progress").hidden = true;
}

async function show() {
  const answer = await newest(read("/assignment"));
  if (!answer) return; // a later look has begun
  overview = answer;
  if (controls === null) makeControls();
  const done = overview.solutions.filter((solution) => solution.state === "done").map((solution) => solution.number);
  if (done.length && done[0] !== newestDone) shown = [overview.chosen ?? done[1] ?? done[0], done[0]];
  newestDone = done[0] ?? 0;
  if (!done.includes(shown[0])) shown[0] = overview.chosen ?? done[0] ?? 0;
  if (!done.includes(shown[1]) || shown[1] === shown[0]) shown[1] = done.find((number) => number !== shown[0]) ?? 0;
  $("#no-scores").hidden = overview.known.scores;
  $("#try").disabled = !overview.known.scores;
  const [last] = overview.solutions;
  put($("#infeasible"), last?.state === "infeasible" && (await infeasible(last, tryOut)));
  put($("#solutions"), last && solutionTable(overview, act));
  await drawSides();
  showChosen();
  for (const solution of overview.solutions) {
    if (OPEN.includes(solution.state) && !following.has(solution.number)) {
      following.add(solution.number);
      followSolution(solution, report).then(finish, fail);
    }
  }
}

async function drawSides() {
  const pick = (index, number) => {
    shown[index] = number;
    drawSides();
  };
  put($("#sides"), await sideBySide(overview, shown, act, pick));
}

const tryControls = () => tryOut({ settings: controls.settings() });

function makeControls() {
  controls = assignmentControls(options, overview.known);
  const last = overview.solutions.find((solution) => solution.chosen) ?? overview.solutions[0];
  if (last ?? overview.proposed) controls.fill(last?.settings ?? overview.proposed);
  askUnable();
  onSubmit(controls.form, tryControls);
  put($("#controls"), controls.form);
}

/** Name the papers that nobody of the committee is able to review, before anything is tried. */
async function askUnable() {
  if (!overview.known.scores) return;
  const { rows } = await read("/papers", { sort: "able", limit: FEW });
  const unable = rows.filter((row) => !row.hidden && row.able === 0);
  $("#unable").hidden = !unable.length;
  put(
    $("#unable"),
    `${unable.length < FEW ? "" : "At least "}${plural(unable.length, "paper has", "papers have")} no able reviewer: `,
    unable.slice(0, 5).map((row, index) => [index > 0 && ", ", html`<a href=${paperPage(row.id)}>${row.title}</a>`]),
    unable.length > 5 && " and more",
  );
}

function showChosen() {
  $("#chosen").hidden = overview.chosen === null;
  if (overview.chosen === null) return;
  $("#chosen-heading").textContent = `Who reviews what: solution ${overview.chosen}`;
  const { settings, pending } = overview.solutions.find((solution) => solution.chosen);
  const { drawn } = options.methods.find(({ name }) => name === settings.method);
  const levels = settings.levels?.length > 0;
  const offered = (format) => (format !== "marginals" || drawn) && !(levels && BY_LEVEL.includes(format));
  const exporter = ([format, label]) => button(label, () => exportAs(format, pending), { "data-format": format });
  const exporters = Object.entries(FORMS).filter(([format]) => offered(format));
  const others = levels && html`<a href="/${path("/levels")}">Levels, one by one, for systems</a>`;
  put($("#exports"), exporters.map(exporter), others);
}

function exportAs(format, pending) {
  const file = (query) => save("GET", path(`/solutions/${overview.chosen}/export`, { format, ...query }));
  if (!pending) return file();
  const words = `${plural(pending, "change")} by hand since: the file will not have them.`;
  return question(words, "Export without them", () => file({ pending: "leave" }));
}

$("#try").addEventListener("click", tryControls);
begin(show);
