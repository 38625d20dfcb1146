// All about one paper: its reviewers, their scores, what the scores are worth, and what they wrote.
import { $, button, dotted, el, facts, field, html, plural, put, putAnswer, trying } from "../dom.js";
import { gradeTag, paperItem } from "../cards.js";
import { paperReviews } from "../reviews-view.js";
import { badges, begin, conflictCard, knownLabels, noteButton, personPage, read, replacement } from "./shell.js";

const paper = new URLSearchParams(location.search).get("id") ?? "";
const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;

const show = () =>
  putAnswer(
    $("#paper"),
    read("/paper", { id: paper }).then(async (about) => view(about, await knownLabels())),
  );

function view(about, labels) {
  document.title = `${about.title || about.paper} · Panelist`;
  return html`
    <div>
      <p class="help">${about.number && `Paper ${about.number}`}</p>
      <h2 id="paper-heading" title=${about.paper}>${about.title || about.paper}</h2>
    </div>
    ${
      about.authors.length > 0 &&
      html`<details class="more" id="authors">
        <summary>${plural(about.authors.length, "author")}</summary><p>${about.authors.join(", ")}</p>
      </details>`
    }
    ${about.abstract && html`<details class="more"><summary>Abstract</summary><p>${about.abstract}</p></details>`}
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
  const evidence = el("div", { "aria-live": "polite" });
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
  const box = el("span", { class: "choice" });
  const choose = async () => {
    const { rows } = await read("/papers", { limit: 200 });
    const others = rows.filter((row) => row.id !== paper && row.assigned.length);
    const people = html`<select aria-label="Its reviewer"></select>`;
    const fill = () =>
      put(
        people,
        others[papers.value]?.assigned
          .filter((person) => person.id !== reviewer)
          .map((person) => html`<option value=${person.id}>${person.label}</option>`),
      );
    const papers = html`<select aria-label="Other paper" onchange=${fill}>
      ${others.map((row, index) => html`<option value=${index}>${row.title}</option>`)}
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
  await putAnswer(
    box,
    read("/scores/why", pair).then(async (why) => reasons(why, await chosen)),
  );
}

const reasons = (why, chosen) => html`
  ${why.note && html`<p class="help">${why.note}</p>`}
  <p class="help">${plural(why.profile, "paper")} compared ${why.confidence && gradeTag(why.confidence)}</p>
  ${why.history.map((words) => html`<p class="lifted">${words[0].toUpperCase()}${words.slice(1)}</p>`)}
  <ol class="papers" aria-label="Papers that match">${why.papers.map((match) => paperItem(match, true))}</ol>
  ${chosen && html`<ul class="reasons">${chosen.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
  <details class="more">
    <summary>Details</summary>
    <ul class="reasons">
      <li>${why.score === null ? "no score" : `score ${why.score.toFixed(4)}, rank ${why.rank} of the paper’s candidates`}</li>
      ${
        (chosen?.cost ?? null) !== null &&
        html`<li>${chosen.chosen ? "without" : "with"} the pair, the greatest total would be ${chosen.cost.toFixed(4)} less</li>`
      }
    </ul>
  </details>`;

/** Who is kept off the paper by hand, each with a button that allows them again. */
function forbidden(about) {
  const people = Object.entries(about.forbidden).map(([reviewer, name]) => {
    return html`<li>${name}: forbidden ${noteButton("Allow", { paper, action: "release", reviewer })}</li>`;
  });
  return people.length > 0 && html`<ul id="forbidden" class="buttons">${people}</ul>`;
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
  const there = [
    ...about.reviewers.filter((person) => person.assigned || person.hand === 1).map((person) => person.reviewer),
    ...Object.keys(about.forbidden),
  ];
  const option = ({ reviewer, name, score, conflict }) =>
    html`<option value=${reviewer}>${name || reviewer} (${score.toFixed(3)}${conflict?.possible && ", possible conflict"})</option>`;
  const fill = async () => {
    const { rows } = await read("/scores/pairs", { of: "paper", id: paper, limit: 100 });
    put(people, rows.filter((row) => !there.includes(row.reviewer) && !row.conflict?.certain).map(option));
  };
  const act = (label, action, fields) => noteButton(label, { paper, action }, undefined, fields);
  return html`
    <details class="more" id="change-paper" ontoggle=${() => people.length || trying(fill)}>
      <summary>Somebody else, or another number of reviews</summary>
      <div class="settings">
        ${field("Reviewer", people)}${act("Lock this person", "lock", () => ({ reviewer: people.value }))}
        ${field("Reviews needed", needed)}${act("Note the number", "demand", () => ({ number: Number(needed.value) }))}
      </div>
    </details>`;
}

function conflictsOf({ conflicts }) {
  const open = conflicts.some(({ conflict }) => conflict.possible);
  return (
    conflicts.length > 0 &&
    html`<details class="more" open=${open}>
      <summary>${plural(conflicts.length, "conflict of interest", "conflicts of interest")}</summary>
      <ul class="conflict-list">${conflicts.map(({ conflict, name }) => conflictCard(conflict, name))}</ul>
    </details>`
  );
}

begin(show);
