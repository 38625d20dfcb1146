// The solutions that were tried: a table of all, two of them side by side, and what can be done about one that failed.
import { el, facts, field, plural, toast } from "../dom.js";
import { ask, askJson, follow, OPEN } from "../api.js";
import { inWords } from "../assignment-controls.js";
import { curve, loads, short } from "../plots.js";
import { button, change, id, knownLabels, who } from "./shell.js";

const FEW_LOADS = 5; // that a button can name
const part = (share) => `${(100 * share).toFixed(1)}%`;

/** Try an assignment and wait until it is made; `report(solution)` hears how far it is. */
export const attempt = async (json, report) =>
  followSolution(
    await askJson("POST", `conferences/${id}/solutions?${new URLSearchParams({ who: who() })}`, { json }),
    report,
  );

/** Wait until a solution is made, or is not going to be. */
export const followSolution = ({ number }, report) =>
  follow(() => askJson("GET", `conferences/${id}/solutions/${number}`), report);

/** All solutions as a table; `act` has `choose`, `discard`, `again`, `repair`. */
export function solutionTable(overview, act) {
  const rows = overview.solutions.map((solution) => {
    const { summary } = solution;
    const figures = summary
      ? [
          short(summary.total),
          summary.greatest_total > 0 ? part(summary.total / summary.greatest_total) : "–",
          short(summary.lowest),
          part(summary.mean_share),
          summary.greatest_load,
          summary.idle,
        ]
      : Array(6).fill("–");
    const state = solution.chosen ? "chosen" : solution.state === "done" ? "" : solution.state;
    const buttons = [
      solution.conflicts
        ? button("Repair", () => act.repair(solution), { name: `Repair solution ${solution.number}` })
        : null,
      solution.state === "done" && !solution.chosen
        ? button("Choose", () => act.choose(solution), {
            name: `Choose solution ${solution.number}`,
            id: `choose-${solution.number}`,
          })
        : null,
      ["lost", "cancelled"].includes(solution.state)
        ? button("Make it again", () => act.again(solution), { name: `Make solution ${solution.number} again` })
        : null,
      OPEN.includes(solution.state)
        ? button("Cancel", () => ask("DELETE", `jobs/${solution.job}`), { name: `Cancel solution ${solution.number}` })
        : solution.chosen
          ? null
          : button("Discard", () => act.discard(solution), { name: `Discard solution ${solution.number}` }),
    ];
    const notes = [
      state,
      solution.base ? `keeps ${solution.base}` : null,
      solution.stale ? "scores changed since" : null,
      solution.conflicts ? `${plural(solution.conflicts, "pair")} with a conflict: repair it` : null,
    ]
      .filter(Boolean)
      .join(", ");
    return el(
      "tr",
      { class: solution.chosen ? "chosen" : null },
      el("th", { scope: "row" }, String(solution.number)),
      el("td", { class: "words" }, inWords(solution.settings)),
      el("td", { class: "words" }, notes),
      figures.map((value) => el("td", {}, String(value))),
      el("td", { class: "buttons" }, buttons),
    );
  });
  const head = [
    "",
    "settings",
    "state",
    "total",
    "share of the best possible",
    "lowest paper",
    "share of the papers’ best",
    "most loaded",
    "without paper",
    "",
  ];
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Solutions" },
    el(
      "table",
      { class: "solutions" },
      el("caption", {}, "Solutions"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((name) =>
            name
              ? el(
                  "th",
                  {
                    scope: "col",
                    title: MEANINGS[name] ?? null,
                    class: ["settings", "state"].includes(name) ? "words" : null,
                  },
                  name,
                )
              : el("td"),
          ),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

/** Two solutions side by side; `pick(left, right)` when others are to be shown. */
export async function sideBySide(overview, shown, act, pick) {
  const labels = await knownLabels();
  const done = overview.solutions.filter((solution) => solution.state === "done");
  if (!done.length) return el("div");
  const both = shown.map((number) => done.find((solution) => solution.number === number)).filter(Boolean);
  const top = (key) => Math.max(...both.map((solution) => Math.max(0, ...solution.plots[key])));
  const most = Math.max(...both.map((solution) => solution.plots.loads.length - 1));
  const select = (at, label) =>
    field(
      label,
      el(
        "select",
        { id: `side-${at}`, onchange: (event) => pick(at, Number(event.target.value)) },
        at === 1 && done.length > 1 ? el("option", { value: 0 }, "nothing") : null,
        done.map((solution) =>
          el(
            "option",
            { value: solution.number, selected: solution.number === shown[at] },
            `Solution ${solution.number}${solution.chosen ? " (chosen)" : ""}`,
          ),
        ),
      ),
    );
  const differences = el("div", { class: "differences" });
  if (both.length === 2) showDifferences(differences, ...both);
  return el(
    "section",
    { class: "sides", "aria-label": "Side by side" },
    el("div", { class: "settings" }, select(0, "Look at"), done.length > 1 ? select(1, "Beside it") : null),
    el(
      "div",
      { class: "columns" },
      both.map((solution) => side(solution, { sums: top("sums"), loads: top("loads"), most }, act, labels)),
    ),
    differences,
  );
}

function side(solution, scale, act, { title, name }) {
  const { summary, plots } = solution;
  const proof = summary.certified
    ? "no assignment has more"
    : `no assignment can have more than ${short(summary.bound)}`;
  const notes = [
    ...summary.notes,
    ...(summary.conflicts ? [`Conflicts of interest: ${summary.conflicts.words}`] : []),
    ...(summary.unscored.length
      ? [
          `${plural(summary.unscored.length, "pair")} without a score, as a last resort: ${some(summary.unscored.map((pair) => `${title(pair.paper)} – ${name(pair.reviewer)}`))}`,
        ]
      : []),
    ...(summary.short.length
      ? [
          `${plural(summary.short.length, "paper lacks", "papers lack")} reviews: ${some(summary.short.map((paper) => `${title(paper.paper)} (${paper.missing})`))}`,
        ]
      : []),
    ...(summary.thin.length
      ? [
          `${plural(summary.thin.length, "paper has", "papers have")} less than half of what their best reviewers would give: ${some(summary.thin.map((paper) => title(paper.paper)))}`,
        ]
      : []),
  ];
  return el(
    "article",
    { class: "card side", "aria-label": `Solution ${solution.number}` },
    el("h3", {}, `Solution ${solution.number}`, solution.chosen ? el("span", { class: "tag" }, "chosen") : null),
    el("p", { class: "help" }, inWords(solution.settings)),
    el(
      "dl",
      { class: "facts" },
      facts(
        [
          summary.greatest_total > 0
            ? `total, ${part(summary.total / summary.greatest_total)} of the best possible`
            : "total",
          short(summary.total),
        ],
        [`lowest paper, ${proof}`, short(summary.lowest)],
        ["what an average paper has of its best reviewers’ sum", part(summary.mean_share)],
        [`most loaded; ${plural(summary.idle, "reviewer")} without a paper`, summary.greatest_load],
      ),
    ),
    el(
      "div",
      { class: "plots" },
      curve(plots.sums, scale.sums, "Sums of papers"),
      curve(plots.shares, 1, "Share of the papers’ best"),
      loads(plots.loads, plots.full, scale.loads, scale.most),
    ),
    notes.length
      ? el(
          "ul",
          { class: "notes" },
          notes.map((note) => el("li", {}, note)),
        )
      : null,
    solution.chosen
      ? null
      : el(
          "div",
          { class: "actions" },
          button("Choose this one", () => act.choose(solution), { primary: true, id: `take-${solution.number}` }),
        ),
  );
}

/** What the figures of a solution mean, shown where they are pointed at. */
const MEANINGS = {
  total: "All scores of the assigned pairs, added up",
  "share of the best possible": "The total as a share of the greatest one that any assignment has",
  "lowest paper": "The sum of scores of the paper that has the least",
  "share of the papers’ best": "What papers have of the sum that their best reviewers would give, on average",
  "most loaded": "The most papers of one reviewer",
  "without paper": "Reviewers who got no paper",
};

/** How the total of a solution compares with that of another one. */
function against({ number, summary: { total } }, { number: other, summary: { total: before } }) {
  const change = before > 0 ? total / before - 1 : 0;
  return Math.abs(change) < 0.0005
    ? `The total of ${number} is that of ${other}.`
    : `The total of ${number} is ${part(Math.abs(change))} ${change > 0 ? "above" : "below"} that of ${other}.`;
}

const some = (names) =>
  names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ");

async function showDifferences(root, one, other) {
  const [first, second] = [one.number, other.number];
  try {
    const differences = await askJson("GET", `conferences/${id}/solutions/${first}/against/${second}`);
    const list = (title, pairs, total) =>
      el(
        "div",
        {},
        el("h3", {}, `${title}: ${total}`),
        el("p", { class: "help" }, some(pairs.map(([paper, reviewer]) => `${paper} – ${reviewer}`)) || "none"),
      );
    root.replaceChildren(
      el(
        "p",
        { id: "differences" },
        `${plural(differences.common, "pair")} in both; ${plural(differences.changed_papers, "paper")} differ${differences.changed_papers === 1 ? "s" : ""}. ${against(other, one)}`,
      ),
      differences.changed_papers === 0
        ? ""
        : el(
            "div",
            { class: "columns" },
            list(`Only in ${first}`, differences.gone, differences.gone_total),
            list(`Only in ${second}`, differences.new, differences.new_total),
          ),
    );
  } catch (problem) {
    root.replaceChildren(el("p", { class: "problem" }, problem.message));
  }
}

/** Why there is no assignment, in words, with a button for each cure that is a setting. */
export async function infeasible(solution, retry) {
  const { title, name } = await knownLabels();
  const names = (title, list) =>
    list.length
      ? el(
          "details",
          {},
          el("summary", {}, `${title}: ${list.length.toLocaleString("en")}`),
          el("p", { class: "help named", tabindex: "0" }, list.join(", ")),
        )
      : null;
  return el(
    "div",
    { class: "infeasible", role: "group", "aria-label": `Solution ${solution.number} cannot be` },
    el("p", { class: "problem" }, `Solution ${solution.number}: ${solution.error}.`),
    names("Papers concerned", solution.cut.papers.map(title)),
    names("Who could review them", solution.cut.reviewers.map(name)),
    el("p", {}, "What would help:"),
    el(
      "ul",
      { class: "cures" },
      solution.cures.map((cure) => {
        if (!cure.settings && !cure.quotas) return el("li", { class: "words help" }, cure.words);
        const loads = Object.entries(cure.quotas ?? {}).map(([reviewer, most]) => `${name(reviewer)} to ${most}`);
        if (loads.length <= FEW_LOADS)
          return el(
            "li",
            {},
            button(cure.words, () => cured(solution, cure, retry)),
          );
        return el(
          "li",
          { class: "words" },
          button(`Raise the loads of ${loads.length.toLocaleString("en")} reviewers`, () =>
            cured(solution, cure, retry),
          ),
          names("Whose, and to what", loads),
        );
      }),
    ),
  );
}

async function cured(solution, cure, retry) {
  if (cure.quotas) await change("POST", "/changes", { json: { action: "quota", quotas: cure.quotas } });
  await retry({ settings: cure.settings ?? solution.settings, keep: solution.base !== null });
  if (cure.settings)
    toast(`${cure.words}: this stays a setting.`, {
      label: "Undo",
      run: () => retry({ settings: solution.settings, keep: solution.base !== null }),
    });
}
