// All about one paper: its reviewers, their scores, what the scores are worth, and what they wrote.
import { $, button, dotted, facts, field, fold, html, items, options, plural, put, putAnswer, trying } from "../dom.js";
import { gradeTag, paperItem } from "../cards.js";
import { paperReviews } from "../reviews-view.js";
import { badges, begin, conflictCard, noteButton, personPage, read, readLabels, replacement, signed } from "./shell.js";

const paper = new URLSearchParams(location.search).get("id") ?? "";

const show = () => putAnswer($("#paper"), async () => view(await read("/paper", { id: paper }), await readLabels()));

function view(about, labels) {
  const { authors } = about;
  document.title = `${about.title || about.paper} · Panelist`;
  return html`
    <div>
      <p class="help">${about.number && `Paper ${about.number}`}</p>
      <h2 id="paper-heading" title=${about.paper}>${about.title || about.paper}</h2>
    </div>
    ${authors.length > 0 && fold(plural(authors.length, "author"), html`<p>${authors.join(", ")}</p>`, { id: "authors" })}
    ${about.abstract && fold("Abstract", html`<p>${about.abstract}</p>`)}
    ${about.calibrated ? worth(about) : html`<p class="help">No calibrated score yet.</p>`}
    ${about.stale && html`<p class="help">The scores have changed since they were calibrated.</p>`}
    ${reviewers(about)}${alternates(about)}${forbidden(about)}${about.solution !== null && changes(about)}${conflictsOf(about)}
    ${about.reviews && html`<div class="reviews">${paperReviews(about.reviews, labels)}</div>`}`;
}

const worth = ({ calibrated, accepted, papers }) => html`
  <dl class="facts" id="worth">
    ${facts(
      [`calibrated score ± ${calibrated.score_sd.toFixed(2)}`, calibrated.score.toFixed(2)],
      [`raw mean of ${plural(calibrated.reviews, "review")}`, calibrated.raw_mean.toFixed(2)],
      [
        `probability of acceptance, if ${accepted.toLocaleString("en")} of ${plural(papers, "paper")} are accepted`,
        `${Math.round(100 * calibrated.p_accept)}%`,
      ],
      [`rank; by raw means ${calibrated.raw_rank}`, calibrated.rank],
    )}
  </dl>`;

function reviewers(about) {
  if (!about.reviewers.length)
    return html`<p class="help">${about.solution === null ? "No solution is chosen yet." : "Nobody is assigned to this paper."}</p>`;
  return html`
    <section aria-label="Reviewers" id="reviewers">
      <h3>Reviewers</h3>
      <ul class="cards people">${about.reviewers.map((person) => card(about, person))}</ul>
    </section>`;
}

function card(about, person) {
  const { reviewer, name, assigned, confidence, conflict, hand } = person;
  const evidence = html`<div aria-live="polite"></div>`;
  const others = about.alternates.filter(({ role }) => role === assigned?.role);
  return html`
    <li class="card reviewer">
      <div class="body">
        <p><a href=${personPage(reviewer)} title=${reviewer}><strong>${name}</strong></a> ${badges({ conflict, confidence, by_hand: hand === 1 })}</p>
        <p class="help">${standing(person)}</p>
        ${conflict && !conflict.decision && html`<p class="help">${conflict.evidence}</p>`}
        ${
          (assigned || hand === 1) &&
          html`<div class="buttons">
            ${acts(person).map(([label, action]) => noteButton(label, { paper, action, reviewer }))}
            ${assigned && button("Why this person?", () => explain(about.solution, reviewer, evidence), { class: "why-person" })}
            ${assigned && hand !== -1 && [replacement(paper, reviewer, others), exchange(reviewer)]}
          </div>`
        }
        ${evidence}
      </div>
    </li>`;
}

/** How somebody stands to the paper, in words. */
function standing({ assigned, score, offset, offset_sd: spread, hand, instead }) {
  const coming = `comes in with the next solution${instead ? ` instead of ${instead}` : ""}`;
  const match = assigned?.scored ? `match ${assigned.score.toFixed(3)}` : "no match score";
  return dotted(
    assigned ? match : hand === 1 ? coming : "not assigned",
    assigned && assigned.role !== "reviewer" && assigned.role,
    (assigned?.locked || hand === 1) && "locked",
    hand === -1 && assigned && "to be taken off",
    score === null || score === undefined ? "no review yet" : `score ${score}`,
    offset !== null && `offset ${signed(offset)} ± ${spread.toFixed(2)}`,
  );
}

/** What can be noted about somebody: labels and actions. */
function acts({ assigned, hand }) {
  const release = ["Release", "release"];
  if (!assigned) return [release];
  if (hand === -1) return [["Allow", "release"]];
  return [assigned.locked || hand === 1 ? release : ["Lock", "lock"], ["Forbid", "forbid"], ["Declined", "decline"]];
}

/** Exchange this reviewer with one of another paper, both chosen from lists. */
function exchange(reviewer) {
  const box = html`<span class="choice"></span>`;
  const choose = async () => {
    const { rows } = await read("/papers", { limit: 200 });
    const others = rows.filter((row) => row.id !== paper && row.assigned.length);
    const people = html`<select aria-label="Its reviewer"></select>`;
    const fill = () => {
      const { assigned = [] } = others[papers.value] ?? {};
      put(people, options(assigned.filter((person) => person.id !== reviewer).map(({ id, label }) => [id, label])));
    };
    const papers = html`<select aria-label="Other paper" onchange=${fill}>
      ${options(others.map(({ title }, index) => [index, title]))}
    </select>`;
    fill();
    const chosen = () => ({ other_paper: others[papers.value].id, other: people.value });
    put(box, papers, people, noteButton("Exchange", { paper, action: "exchange", reviewer }, undefined, chosen));
  };
  put(box, button("Exchange …", choose));
  return box;
}

/** Why this person: the papers that match, then why the solution has the pair; prices are behind “details”. */
async function explain(solution, reviewer, box) {
  put(box, html`<p class="help">Comparing papers …</p>`);
  const pair = { paper, reviewer };
  const chosen = read(`/solutions/${solution}/why`, pair).catch(() => null); // other scores by now
  await putAnswer(box, async () => reasons(await read("/scores/why", pair), await chosen));
}

const reasons = (why, chosen) => html`
  ${why.note && html`<p class="help">${why.note}</p>`}
  <p class="help">${plural(why.profile, "paper")} compared ${why.confidence && gradeTag(why.confidence)}</p>
  ${why.history.map((words) => html`<p class="lifted">${words[0].toUpperCase()}${words.slice(1)}</p>`)}
  <ol class="papers" aria-label="Papers that match">${why.papers.map((match) => paperItem(match, true))}</ol>
  ${chosen && html`<ul class="reasons">${items(chosen.reasons)}</ul>`}
  ${fold("Details", html`<ul class="reasons">${items(prices(why, chosen))}</ul>`)}`;

/** What the scores and the solution say of a pair, in figures. */
const prices = ({ score, rank }, chosen) => [
  score === null ? "no score" : `score ${score.toFixed(4)}, rank ${rank} of the paper’s candidates`,
  ...((chosen?.cost ?? null) === null
    ? []
    : [`${chosen.chosen ? "without" : "with"} the pair, the greatest total would be ${chosen.cost.toFixed(4)} less`]),
];

/** Who is kept off the paper by hand, each with a button that allows them again. */
function forbidden(about) {
  const people = Object.entries(about.forbidden).map(([reviewer, name]) => [
    `${name}: forbidden `,
    noteButton("Allow", { paper, action: "release", reviewer }),
  ]);
  return people.length > 0 && html`<ul id="forbidden" class="buttons">${items(people)}</ul>`;
}

function alternates(about) {
  const words = about.alternates.map(
    ({ name, role, score }) => `${name} (${role === "reviewer" ? "" : `${role}, `}${score.toFixed(3)})`,
  );
  return words.length > 0 && html`<p class="help">Who could step in: ${words.join(", ")}</p>`;
}

/** Somebody who is not assigned, and how many reviews the paper needs: both for the next solution. */
function changes(about) {
  const assigned = about.reviewers.filter((person) => person.assigned?.role === "reviewer").length;
  const people = html`<select id="somebody"></select>`;
  const needed = html`<input id="needed" type="number" min="0" max="100" value=${assigned || 3} />`;
  const taken = [
    ...about.reviewers.filter((person) => person.assigned || person.hand === 1).map((person) => person.reviewer),
    ...Object.keys(about.forbidden),
  ];
  const option = ({ reviewer, name, score, conflict }) => [
    reviewer,
    `${name || reviewer} (${score.toFixed(3)}${conflict?.possible ? ", possible conflict" : ""})`,
  ];
  const fill = async () => {
    const { rows } = await read("/scores/pairs", { of: "paper", id: paper, limit: 100 });
    const free = rows.filter((row) => !taken.includes(row.reviewer) && !row.conflict?.certain);
    put(people, options(free.map(option)));
  };
  const act = (label, action, fields) => noteButton(label, { paper, action }, undefined, fields);
  const controls = html`
    <div class="settings">
      ${field("Reviewer", people)}${act("Lock this person", "lock", () => ({ reviewer: people.value }))}
      ${field("Reviews needed", needed)}${act("Note the number", "demand", () => ({ number: Number(needed.value) }))}
    </div>`;
  const ontoggle = () => people.length || trying(fill);
  return fold("Somebody else, or another number of reviews", controls, { id: "change-paper", ontoggle });
}

function conflictsOf({ conflicts }) {
  const open = conflicts.some(({ conflict }) => conflict.possible);
  const cards = conflicts.map(({ conflict, name }) => conflictCard(conflict, name));
  const summary = plural(conflicts.length, "conflict of interest", "conflicts of interest");
  return cards.length > 0 && fold(summary, html`<ul class="conflict-list">${cards}</ul>`, { open });
}

begin(show);
