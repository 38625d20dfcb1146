// One reviewer as a row: who, why, and what speaks against them.
import { $, bar, dotted, html, items, plural } from "./dom.js";
import { years } from "./people.js";
import { loadTag, personPath, titled } from "./editor/desk.js";

const WAYS = {
  lexical: "its words",
  dense: "its meaning",
  cited: "the submission’s references",
  shared: "references in common",
  person: "an author who is cited or reviewed before",
};
const KINDS = { author: "author", coauthor: "co-author", institution: "same institution", declared: "declared" };
const LISTS = new Intl.ListFormat("en-GB");
const COUNTRIES = new Intl.DisplayNames(["en"], { type: "region" });

const country = (code) => (/^[a-z]{2}$/i.test(code) ? COUNTRIES.of(code.toUpperCase()) : code);

export function institution({ institutions: [first] }) {
  if (!first) return "Institution unknown";
  return first.country ? `${first.name}, ${country(first.country)}` : first.name;
}

/** A reviewer as one row, with the evidence folded in; `onopen(open)` hears whether it is shown. */
export function card(match, { listed, open, onlist, onexclude, onopen }) {
  const { id, name } = match.author;
  const heading = `reviewer-${match.rank}`;
  const [best] = match.papers;
  const lifted = match.lifted_by.length > 0 && `lifted by ${match.lifted_by.join("; ")}`;
  const reasons = [lifted, ...match.references, ...match.history].filter(Boolean);
  const evidence = html`
    <div class="evidence" id="${heading}-evidence" hidden=${!open}>
      <p class="career">${career(match)}</p>
      ${reasons.map((words) => html`<p class="lifted">${words[0].toUpperCase() + words.slice(1)}</p>`)}
      ${conflicts(match.conflicts)}
      ${paperList(match)}
    </div>`;
  const toggle = () => {
    evidence.hidden = !evidence.hidden;
    $(".opener", row).setAttribute("aria-expanded", String(!evidence.hidden));
    onopen(!evidence.hidden);
  };
  const clicked = (event) => {
    if (!event.target.closest("a, button") && !getSelection().toString()) toggle();
  };
  const row = html`
    <li class="card row ${match.confidence ?? ""}${listed ? " listed" : ""}" data-id=${id} aria-labelledby=${heading}>
      <div class="line" onclick=${clicked}>
        <span class="rank" aria-hidden="true">${match.rank}</span>
        <div class="person">
          <h3 id=${heading} data-rank=${match.rank}><a href=${personPath(id)}>${name}</a></h3>
          <p class="institution">${institution(match)}</p>
        </div>
        <p class="best" title=${best && titled(best.title)}>${best && titled(best.title)}${best?.year && html`<small> ${best.year}</small>`}</p>
        <div class="grade">
          ${match.confidence && [gradeTag(match.confidence), html`<small>${nearWords(match)}</small>`]}
        </div>
        <div class="buttons">
          <button type="button" class="shortlisted" aria-pressed=${String(listed)} aria-label="Short-list ${name}" onclick=${onlist}>
            ${listed ? "✓ Listed" : "Short-list"}
          </button>
          <button type="button" class="exclude" aria-label="Exclude ${name}" title="Exclude" onclick=${onexclude}>✕</button>
          <button type="button" class="opener" aria-expanded=${String(open)} aria-controls=${evidence.id}
            aria-label="Evidence for ${name}" title="Evidence" onclick=${toggle}>▾</button>
        </div>
        <p class="badges tags">${badges(match)}</p>
      </div>
      ${evidence}
    </li>`;
  return row;
}

const GRADES = { high: ["strong match", "●●●"], medium: ["fair match", "●●○"], low: ["weak match", "●○○"] };

/** How well somebody fits, in a word and so that a weak match looks weak. */
export function gradeTag(grade) {
  const [words, dots] = GRADES[grade];
  return html`<span class="tag confidence ${grade}"><span aria-hidden="true">${dots} </span>${words}</span>`;
}

/** What the grade rests on: “4 near papers, the nearest 2023”. */
function nearWords({ near_papers: near, papers: [best] }) {
  if (!near) return "no near paper";
  return `${plural(near, "near paper")}${best?.year ? `, ${near > 1 ? "the nearest " : ""}${best.year}` : ""}`;
}

function badges({ conflicts: found, references, history }) {
  const certain = found.some((conflict) => conflict.certain);
  const reasons = found.map(({ evidence }) => evidence).join("; ");
  return [
    found.length > 0 &&
      html`<span class="tag ${certain ? "certain" : "possible"}" title=${reasons}>${conflictWord(certain).toLowerCase()}</span>`,
    references.some((words) => words.startsWith("cited")) &&
      html`<span class="tag" title="The submission cites them">cited</span>`,
    history.length > 0 && html`<span class="tag" title=${history.join("; ")}>served here before</span>`,
  ];
}

/** Add to a card how often the person was invited this year, and the note about them. */
export function addDeskNotes(shown, { load, note }) {
  for (const old of shown.querySelectorAll(".known")) old.remove();
  const tag = loadTag(load);
  tag?.classList.add("known");
  if (tag) $(".badges", shown).append(tag);
  if (!note) return;
  $(".badges", shown).append(html`<span class="tag known" title=${note}>note</span>`);
  $(".career", shown).after(html`<p class="note-text known">${note}</p>`);
}

/** The papers that make somebody an expert; the first one is quoted. The bars of all people have one scale. */
export const paperList = (match) => html`
  <ol class="papers" aria-label="Matching papers of ${match.author.name}">
    ${match.papers.map((paper, number) => paperItem(paper, number === 0))}
  </ol>`;

const NEARNESS = "How near the paper is: the nearest paper of the corpus fills the bar, and all bars have this scale";

export const career = (match) =>
  dotted(
    plural(match.paper_count, "paper"),
    match.citation_count && `cited ${plural(match.citation_count, "time")}`,
    years(match),
  );

export function conflicts(list) {
  if (!list.length) return null;
  const entries = list.map(
    ({ certain, kind, evidence }) => html`
      <li class=${certain ? "certain" : "possible"}>
        <strong>${conflictWord(certain)}: ${KINDS[kind]}</strong>
        <span>${evidence}</span>
      </li>`,
  );
  return html`<ul class="conflicts">${entries}</ul>`;
}

const conflictWord = (certain) => (certain ? "Conflict" : "Possible conflict");

/** A paper that matches: its title, where it is from, a quote, and the terms that it shares; a bar where it has a score on the common scale. */
export function paperItem({ title, url, year, venue, terms, sentence, score, match, found_by: ways }, quoted) {
  const quote = quoted && sentence && sentence !== title ? sentence : null;
  const rest = terms.filter((term) => !occurs(term, title) && !(quote && occurs(term, quote)));
  const meta = dotted(year, venue, ways && `found by ${LISTS.format(ways.map((way) => WAYS[way]))}`);
  return html`
    <li class="paper">
      <span class="name">${outside(url, highlight(titled(title), terms))}</span>
      ${
        score === undefined
          ? html`<span class="meta" title="match ${match.toFixed(3)}">${meta}</span>`
          : html`<span class="meta near" title="${NEARNESS} (${score.toFixed(2)})">${bar(score)}${meta}</span>`
      }
      ${quote && html`<q class="quote">${highlight(quote, terms)}</q>`}
      ${rest.length > 0 && html`<ul class="terms" aria-label="Shared terms in the abstract">${items(rest)}</ul>`}
    </li>`;
}

/** What leads out of these pages, in a window of its own; what has no address is text. */
export const outside = (url, content) =>
  url ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${content}</a>` : content;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = (term) => `(?<![\\p{L}\\p{N}])${escaped(term)}(?![\\p{L}\\p{N}])`;
const occurs = (term, text) => new RegExp(pattern(term), "iu").test(text);

/** The text with the shared terms marked, longer ones first. */
function highlight(text, terms) {
  if (!terms.length) return [text];
  const longestFirst = terms.toSorted((a, b) => b.length - a.length);
  const pieces = text.split(new RegExp(`(${longestFirst.map(pattern).join("|")})`, "iu")); // every second one is a term
  return pieces.map((piece, position) => (position % 2 ? html`<mark>${piece}</mark>` : piece));
}

/** Reviewers as text to paste into a letter. */
export function asText(title, matches) {
  const lines = [title, ""];
  matches.forEach((match, number) => {
    const { id, name } = match.author;
    lines.push(`${number + 1}. ${name}, ${institution(match)}`, `   ${career(match)} · ${id}`);
    for (const conflict of match.conflicts) lines.push(`   ${conflictWord(conflict.certain)}: ${conflict.evidence}`);
    for (const { title: paper, year, url } of match.papers)
      lines.push(`   - ${titled(paper)}${year ? ` (${year})` : ""}${url ? ` ${url}` : ""}`);
    lines.push("");
  });
  return lines.join("\n");
}
