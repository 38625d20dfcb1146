// The solutions that were tried: a table of all, two of them side by side, and what can be done about one that failed.
import { button, el, facts, field, firstOf, html, items, options, plural, putAnswer, toast } from "../dom.js";
import { ask, follow, OPEN } from "../api.js";
import { inWords } from "../assignment-controls.js";
import { curve, loads, short } from "../plots.js";
import { change, read, readLabels, start, tag } from "./shell.js";

const FEW_LOADS = 5; // that a button can name
const percent = (share) => `${(100 * share).toFixed(1)}%`;

/** Try an assignment and wait until it is made; `report(solution)` hears how far it is. */
export const attempt = async (json, report) => followSolution(await start("/solutions", json), report);

/** Wait until a solution is made, or is not going to be. */
export const followSolution = ({ number }, report) => follow(() => read(`/solutions/${number}`), report);

/** The columns of the table: what they are called, what they mean where that is not plain, and whether they hold words. */
const COLUMNS = [
  [""],
  ["settings", null, "words"],
  ["state", null, "words"],
  ["total", "All scores of the assigned pairs, added up"],
  ["share of the best possible", "The total as a share of the greatest one that any assignment has"],
  ["lowest paper", "The sum of scores of the paper that has the least"],
  ["share of the papers’ best", "What papers have of the sum that their best reviewers would give, on average"],
  ["most loaded", "The most papers of one reviewer"],
  ["without paper", "Reviewers who got no paper"],
  [""],
];

/** All solutions as a table; `act` has `choose`, `discard`, `again`, `repair`. */
export const solutionTable = ({ solutions }, act) => html`
  <div class="scroll" tabindex="0" role="region" aria-label="Solutions">
    <table class="solutions">
      <caption>Solutions</caption>
      <thead>
        <tr>${COLUMNS.map(columnHead)}</tr>
      </thead>
      <tbody>${solutions.map((solution) => solutionRow(solution, act))}</tbody>
    </table>
  </div>`;

const columnHead = ([name, meaning, kind]) =>
  name ? html`<th scope="col" title=${meaning} class=${kind}>${name}</th>` : html`<td></td>`;

const solutionRow = (solution, act) => html`
  <tr class=${solution.chosen && "chosen"}>
    <th scope="row">${solution.number}</th>
    <td class="words">${inWords(solution.settings)}</td>
    <td class="words">${remarks(solution)}</td>
    ${figures(solution.summary).map((value) => html`<td>${value}</td>`)}
    <td class="buttons">${buttons(solution, act)}</td>
  </tr>`;

function figures(summary) {
  if (!summary) return Array(6).fill("–");
  const { total, greatest_total: greatest, lowest, mean_share: share, greatest_load: load, idle } = summary;
  return [short(total), greatest > 0 ? percent(total / greatest) : "–", short(lowest), percent(share), load, idle];
}

const remarks = ({ chosen, state, base, stale, conflicts }) =>
  [
    chosen ? "chosen" : state !== "done" && state,
    base && `keeps ${base}`,
    stale && "scores changed since",
    conflicts && `${plural(conflicts, "pair")} with a conflict: repair it`,
  ]
    .filter(Boolean)
    .join(", ");

function buttons(solution, act) {
  const { number, state, chosen, conflicts, job } = solution;
  const named = (label, run, name = `${label} solution ${number}`, id = null) =>
    button(label, run, { "aria-label": name, id });
  return [
    conflicts > 0 && named("Repair", () => act.repair(solution)),
    state === "done" && !chosen && named("Choose", () => act.choose(solution), undefined, `choose-${number}`),
    ["lost", "cancelled"].includes(state) &&
      named("Make it again", () => act.again(solution), `Make solution ${number} again`),
    OPEN.includes(state)
      ? named("Cancel", () => ask("DELETE", `jobs/${job}`))
      : !chosen && named("Discard", () => act.discard(solution)),
  ];
}

/** Two solutions side by side; `pick(side, number)` when another one is to be shown. */
export async function sideBySide({ solutions }, shown, act, pick) {
  const labels = await readLabels();
  const done = solutions.filter((solution) => solution.state === "done");
  if (!done.length) return el("div");
  const both = shown.map((number) => done.find((solution) => solution.number === number)).filter(Boolean);
  const top = (key) => Math.max(...both.map((solution) => Math.max(0, ...solution.plots[key])));
  const most = Math.max(...both.map((solution) => solution.plots.loads.length - 1));
  const scale = { sums: top("sums"), loads: top("loads"), most };
  const choices = done.map(({ number, chosen }) => [number, `Solution ${number}${chosen ? " (chosen)" : ""}`]);
  const select = (index, label) => {
    const change = ({ target }) => pick(index, Number(target.value));
    const control = html`<select id="side-${index}" onchange=${change}>
      ${options(index ? [[0, "nothing"], ...choices] : choices, shown[index] || null)}
    </select>`;
    return field(label, control);
  };
  const differences = el("div");
  if (both.length === 2) showDifferences(differences, ...both);
  return html`
    <section class="sides" aria-label="Side by side">
      <div class="settings">${select(0, "Look at")}${done.length > 1 && select(1, "Beside it")}</div>
      <div class="columns">${both.map((solution) => side(solution, scale, act, labels))}</div>
      ${differences}
    </section>`;
}

function side(solution, scale, act, labels) {
  const { number, chosen, settings, summary, plots } = solution;
  const { total, greatest_total: greatest } = summary;
  const proof = summary.certified
    ? "no assignment has more"
    : `no assignment can have more than ${short(summary.bound)}`;
  const notes = notesOf(summary, labels);
  const choose = () => act.choose(solution);
  return html`
    <article class="card side" aria-label="Solution ${number}">
      <h3>Solution ${number}${chosen && tag("chosen")}</h3>
      <p class="help">${inWords(settings)}</p>
      <dl class="facts">
        ${facts(
          [greatest > 0 ? `total, ${percent(total / greatest)} of the best possible` : "total", short(total)],
          [`lowest paper, ${proof}`, short(summary.lowest)],
          ["what an average paper has of its best reviewers’ sum", percent(summary.mean_share)],
          [`most loaded; ${plural(summary.idle, "reviewer")} without a paper`, summary.greatest_load],
        )}
      </dl>
      <div class="plots">
        ${curve(plots.sums, scale.sums, "Sums of papers")}${curve(plots.shares, 1, "Share of the papers’ best")}
        ${loads(plots.loads, plots.full, scale.loads, scale.most)}
      </div>
      ${notes.length > 0 && html`<ul class="notes">${items(notes)}</ul>`}
      ${!chosen && html`<div class="actions">${button("Choose this one", choose, { class: "primary", id: `take-${number}` })}</div>`}
    </article>`;
}

/** What to know about a solution, in sentences. */
function notesOf({ notes, conflicts, unscored, short: lacking, thin }, { title, name }) {
  const list = (items, words, text) => items.length > 0 && `${words}: ${firstOf(items.map(text))}`;
  return [
    ...notes,
    conflicts && `Conflicts of interest: ${conflicts.words}`,
    list(
      unscored,
      `${plural(unscored.length, "pair")} without a score, as a last resort`,
      (pair) => `${title(pair.paper)} – ${name(pair.reviewer)}`,
    ),
    list(
      lacking,
      `${plural(lacking.length, "paper lacks", "papers lack")} reviews`,
      ({ paper, missing }) => `${title(paper)} (${missing})`,
    ),
    list(
      thin,
      `${plural(thin.length, "paper has", "papers have")} less than half of what their best reviewers would give`,
      ({ paper }) => title(paper),
    ),
  ].filter(Boolean);
}

/** How the total of a solution compares with that of another one. */
function against({ number, summary: { total } }, { number: other, summary: { total: before } }) {
  const change = before > 0 ? total / before - 1 : 0;
  return Math.abs(change) < 0.0005
    ? `The total of ${number} is that of ${other}.`
    : `The total of ${number} is ${percent(Math.abs(change))} ${change > 0 ? "above" : "below"} that of ${other}.`;
}

const showDifferences = (root, one, other) =>
  putAnswer(root, async () => differences(await read(`/solutions/${one.number}/against/${other.number}`), one, other));

function differences(found, one, other) {
  const { common, changed_papers: changed } = found;
  const list = (title, pairs, total) => html`
    <div>
      <h3>${title}: ${total}</h3>
      <p class="help">${firstOf(pairs.map((pair) => pair.join(" – "))) || "none"}</p>
    </div>`;
  return html`
    <p id="differences">${plural(common, "pair")} in both; ${plural(changed, "paper")} differ${changed === 1 && "s"}. ${against(other, one)}</p>
    ${
      changed > 0 &&
      html`<div class="columns">
        ${list(`Only in ${one.number}`, found.gone, found.gone_total)}${list(`Only in ${other.number}`, found.new, found.new_total)}
      </div>`
    }`;
}

/** Why there is no assignment, in words, with a button for each cure that is a setting. */
export async function infeasible(solution, retry) {
  const { title, name } = await readLabels();
  const names = (words, list) =>
    list.length > 0 &&
    html`<details>
      <summary>${words}: ${list.length.toLocaleString("en")}</summary><p class="help named" tabindex="0">${list.join(", ")}</p>
    </details>`;
  const entry = (cure) => {
    if (!cure.settings && !cure.quotas) return html`<li class="words help">${cure.words}</li>`;
    const raised = Object.entries(cure.quotas ?? {}).map(([reviewer, most]) => `${name(reviewer)} to ${most}`);
    const act = () => cured(solution, cure, retry);
    if (raised.length <= FEW_LOADS) return html`<li>${button(cure.words, act)}</li>`;
    const label = `Raise the loads of ${raised.length.toLocaleString("en")} reviewers`;
    return html`<li class="words">${button(label, act)}${names("Whose, and to what", raised)}</li>`;
  };
  return html`
    <div class="infeasible" role="group" aria-label="Solution ${solution.number} cannot be">
      <p class="problem">Solution ${solution.number}: ${solution.error}.</p>
      ${names("Papers concerned", solution.cut.papers.map(title))}
      ${names("Who could review them", solution.cut.reviewers.map(name))}
      <p>What would help:</p>
      <ul class="cures">${solution.cures.map(entry)}</ul>
    </div>`;
}

async function cured(solution, cure, retry) {
  const keep = solution.base !== null;
  if (cure.quotas) await change("POST", "/changes", { json: { action: "quota", quotas: cure.quotas } });
  await retry({ settings: cure.settings ?? solution.settings, keep });
  if (cure.settings)
    toast(`${cure.words}: this stays a setting.`, {
      label: "Undo",
      run: () => retry({ settings: solution.settings, keep }),
    });
}
