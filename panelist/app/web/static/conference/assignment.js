// The assignment of a conference: try settings, compare, choose, export. Changes by hand are made on the page of a paper.
import { $, el, plural, reveal, toast } from "../dom.js";
import { askJson, OPEN, progressWords, save } from "../api.js";
import { assignmentControls } from "../assignment-controls.js";
import { attempt, followSolution, infeasible, sideBySide, solutionTable } from "./solutions.js";
import { begin, button, change, id, paperPage, refresh } from "./shell.js";

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
let latest = null; // look at the server
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
    await finish(
      await followSolution(await askJson("POST", `conferences/${id}/solutions/${solution.number}/again`), report),
    );
  },
};

function report(solution) {
  $("#status").textContent = OPEN.includes(solution.state)
    ? `Solution ${solution.number}: ${progressWords(solution)} …`
    : `Solution ${solution.number}: ${solution.state}`;
  $("#progress").hidden = !OPEN.includes(solution.state);
  $("#progress").textContent = $("#status").textContent;
}

async function tryOut(body) {
  $("#problem").hidden = true;
  try {
    await finish(
      await attempt(body, (solution) => {
        report(solution);
        if (!following.has(solution.number)) {
          following.add(solution.number);
          show();
        }
      }),
    );
  } catch (problem) {
    fail(problem);
  }
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
  const mine = Symbol("show");
  latest = mine;
  const answer = await askJson("GET", `conferences/${id}/assignment`);
  if (latest !== mine) return; // a later look has begun
  overview = answer;
  if (controls === null) makeControls();
  const done = overview.solutions.filter((solution) => solution.state === "done").map((solution) => solution.number);
  if (done.length && done[0] !== newestDone) shown = [overview.chosen ?? done[1] ?? done[0], done[0]];
  newestDone = done[0] ?? 0;
  if (!done.includes(shown[0])) shown[0] = overview.chosen ?? done[0] ?? 0;
  if (!done.includes(shown[1]) || shown[1] === shown[0]) shown[1] = done.find((number) => number !== shown[0]) ?? 0;
  $("#no-scores").hidden = overview.known.scores;
  $("#try").disabled = !overview.known.scores;
  const newest = overview.solutions[0];
  $("#infeasible").replaceChildren(...(newest?.state === "infeasible" ? [await infeasible(newest, tryOut)] : []));
  $("#solutions").replaceChildren(...(overview.solutions.length ? [solutionTable(overview, act)] : []));
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
  $("#sides").replaceChildren(
    await sideBySide(overview, shown, act, (at, number) => {
      shown[at] = number;
      drawSides();
    }),
  );
}

function makeControls() {
  controls = assignmentControls(options, overview.known);
  const last = overview.solutions.find((solution) => solution.chosen) ?? overview.solutions[0];
  if (last ?? overview.proposed) controls.fill(last?.settings ?? overview.proposed);
  askUnable();
  controls.form.addEventListener("submit", (event) => {
    event.preventDefault();
    tryOut({ settings: controls.settings() });
  });
  $("#controls").replaceChildren(controls.form);
}

/** Name the papers that nobody of the committee is able to review, before anything is tried. */
async function askUnable() {
  if (!overview.known.scores) return;
  const { rows } = await askJson(
    "GET",
    `conferences/${id}/papers?${new URLSearchParams({ sort: "able", limit: FEW })}`,
  );
  const unable = rows.filter((row) => !row.hidden && row.able === 0);
  $("#unable").hidden = !unable.length;
  $("#unable").replaceChildren(
    `${unable.length < FEW ? "" : "At least "}${plural(unable.length, "paper has", "papers have")} no able reviewer: `,
    ...unable.slice(0, 5).flatMap((row, at) => [at ? ", " : "", el("a", { href: paperPage(row.id) }, row.title)]),
    unable.length > 5 ? " and more" : "",
  );
}

function showChosen() {
  $("#chosen").hidden = overview.chosen === null;
  if (overview.chosen === null) return;
  $("#chosen-heading").textContent = `Who reviews what: solution ${overview.chosen}`;
  const chosen = overview.solutions.find((solution) => solution.chosen);
  const { drawn } = options.methods.find(({ name }) => name === chosen.settings.method);
  $("#exports").replaceChildren(
    ...Object.entries(FORMS)
      .filter(
        ([form]) => (form !== "marginals" || drawn) && !(chosen.settings.levels?.length && BY_LEVEL.includes(form)),
      )
      .map(([form, label]) => {
        const path = `conferences/${id}/solutions/${overview.chosen}/export?format=${form}`;
        const without = () => save("GET", `${path}&pending=leave`);
        const exporter = button(label, () =>
          chosen.pending
            ? toast(`${plural(chosen.pending, "change")} by hand since: the file will not have them.`, {
                question: true,
                label: "Export without them",
                run: without,
              })
            : save("GET", path),
        );
        exporter.dataset.format = form;
        return exporter;
      }),
    ...(chosen.settings.levels?.length
      ? [el("a", { href: `/conferences/${encodeURIComponent(id)}/levels` }, "Levels, one by one, for systems")]
      : []),
  );
}

$("#try").addEventListener("click", () => tryOut({ settings: controls.settings() }));
begin(show);
