// One reviewer as a row: who, why, and what speaks against them.
import { $, bar, el, plural } from "./dom.js";
import { years } from "./people.js";
import { loadTag, personPath } from "./editor/desk.js";

const FOUND = { lexical: "its words", dense: "its meaning", cited: "the submission’s references", shared: "references in common", person: "a cited author" };
const KINDS = { author: "author", coauthor: "co-author", institution: "same institution", declared: "declared" };

let countryNames;
try { countryNames = new Intl.DisplayNames(["en"], { type: "region" }); } catch { /* codes will do */ }

function country(code) {
  try { return countryNames ? countryNames.of(code.toUpperCase()) : code; } catch { return code; }
}

export function institution(match) {
  const at = match.institutions[0];
  if (!at) return "Institution unknown";
  return at.country ? `${at.name}, ${country(at.country)}` : at.name;
}

/**
 * A reviewer as one row, with the evidence folded in.
 * @param {{listed: boolean, open: boolean, onlist: () => void, onexclude: () => void, onopen: (open: boolean) => void}} context
 */
export function card(match, { listed, open, onlist, onexclude, onopen }) {
  const name = match.author.name;
  const heading = `reviewer-${match.rank}`;
  const [best] = match.papers;
  const evidence = el("div", { class: "evidence", id: `${heading}-evidence`, hidden: !open },
    el("p", { class: "career" }, career(match)),
    match.lifted_by.length ? el("p", { class: "lifted" }, `Lifted by ${match.lifted_by.join("; ")}`) : null,
    ...match.references.map((words) => el("p", { class: "lifted" }, words[0].toUpperCase() + words.slice(1))),
    conflicts(match.conflicts),
    paperList(match));
  const opener = el("button", { type: "button", class: "opener", "aria-expanded": String(open), "aria-controls": evidence.id, "aria-label": `Evidence for ${name}`, title: "Evidence", onclick: () => toggle() }, "▾");
  const toggle = () => {
    evidence.hidden = !evidence.hidden;
    opener.setAttribute("aria-expanded", String(!evidence.hidden));
    onopen(!evidence.hidden);
  };
  const clicked = (event) => { if (!event.target.closest("a, button") && !getSelection().toString()) toggle(); };
  return el("li", { class: `card row ${match.confidence}${listed ? " listed" : ""}`, "data-id": match.author.id, "aria-labelledby": heading },
    el("div", { class: "line", onclick: clicked },
      el("span", { class: "rank", "aria-hidden": "true" }, String(match.rank)),
      el("div", { class: "person" },
        el("h3", { id: heading, "data-rank": String(match.rank) }, el("a", { href: personPath(match.author.id) }, name)),
        el("p", { class: "institution" }, institution(match))),
      el("p", { class: "best", title: best?.title ?? null }, best ? best.title : "", best?.year ? el("small", {}, ` ${best.year}`) : null),
      el("div", { class: "grade" }, gradeTag(match.confidence), el("small", {}, nearWords(match))),
      el("div", { class: "buttons" },
        el("button", { type: "button", class: "shortlisted", "aria-pressed": String(listed), "aria-label": `Short-list ${name}`, onclick: onlist }, listed ? "✓ Listed" : "Short-list"),
        el("button", { type: "button", class: "exclude", "aria-label": `Exclude ${name}`, title: "Exclude", onclick: onexclude }, "✕"),
        opener),
      el("p", { class: "badges tags" }, badges(match))),
    evidence);
}

const GRADES = { high: ["strong match", "●●●"], medium: ["fair match", "●●○"], low: ["weak match", "●○○"] };

/** How well somebody fits, in a word and so that a weak match looks weak. */
export const gradeTag = (grade) => el("span", { class: `tag confidence ${grade}` }, el("span", { "aria-hidden": "true" }, `${GRADES[grade][1]} `), GRADES[grade][0]);

/** What the grade rests on: “4 near papers, the nearest 2023”. */
function nearWords({ near_papers: near, papers: [best] }) {
  if (!near) return "no near paper";
  return `${plural(near, "near paper")}${best?.year ? `, ${near > 1 ? "the nearest " : ""}${best.year}` : ""}`;
}

function badges(match) {
  const certain = match.conflicts.some((one) => one.certain);
  return [
    match.conflicts.length ? el("span", { class: certain ? "tag certain" : "tag possible", title: match.conflicts.map((one) => one.evidence).join("; ") }, certain ? "conflict" : "possible conflict") : null,
    match.references.some((words) => words.startsWith("cited")) ? el("span", { class: "tag", title: "The submission cites them" }, "cited") : null,
  ];
}

/** Add to a card how often the person was invited this year, and the note about them. */
export function addKnown(shown, { load, note }) {
  for (const old of shown.querySelectorAll(".known")) old.remove();
  const tag = loadTag(load);
  tag?.classList.add("known");
  $(".badges", shown).append(...(tag ? [tag] : []), ...(note ? [el("span", { class: "tag known", title: note }, "note")] : []));
  if (note) $(".career", shown).after(el("p", { class: "note-text known" }, note));
}

/** The papers that make somebody an expert; the first one is quoted. The bars of all people have one scale. */
export function paperList(match) {
  return el("ol", { class: "papers", "aria-label": `Matching papers of ${match.author.name}` },
    match.papers.map((one, number) => paperItem(one, number === 0)));
}

const NEARNESS = "How near the paper is: the nearest paper of the corpus fills the bar, and all bars have this scale";

export function career(match) {
  const parts = [plural(match.paper_count, "paper"), match.citation_count ? `cited ${plural(match.citation_count, "time")}` : null, years(match)];
  return parts.filter(Boolean).join(" · ");
}

export function conflicts(list) {
  if (!list.length) return null;
  return el("ul", { class: "conflicts" }, list.map((one) =>
    el("li", { class: one.certain ? "certain" : "possible" },
      el("strong", {}, `${one.certain ? "Conflict" : "Possible conflict"}: ${KINDS[one.kind]}`), el("span", {}, one.evidence))));
}

/** A paper that matches: its title, where it is from, a quote, and the terms that it shares; a bar where it has a score on the common scale. */
export function paperItem(found, quoted) {
  const title = highlight(found.title, found.terms);
  const said = new Set();
  const quote = quoted && found.sentence && found.sentence !== found.title ? found.sentence : null;
  for (const term of found.terms) if (occurs(term, found.title) || (quote && occurs(term, quote))) said.add(term);
  const rest = found.terms.filter((term) => !said.has(term));
  const meta = [found.year, found.venue, found.found_by ? `found by ${found.found_by.map((one) => FOUND[one]).join(" and ")}` : null].filter(Boolean).join(" · ");
  return el("li", { class: "paper" },
    el("span", { class: "name" }, found.url ? el("a", { href: found.url, target: "_blank", rel: "noopener noreferrer" }, title) : title),
    found.score === undefined ? el("span", { class: "meta", title: `match ${found.match.toFixed(3)}` }, meta)
      : el("span", { class: "meta near", title: `${NEARNESS} (${found.score.toFixed(2)})` }, bar(found.score), meta),
    quote ? el("q", { class: "quote" }, highlight(quote, found.terms)) : null,
    rest.length ? el("ul", { class: "terms", "aria-label": "Shared terms in the abstract" }, rest.map((term) => el("li", {}, term))) : null);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = (term) => `(?<![\\p{L}\\p{N}])${escaped(term)}(?![\\p{L}\\p{N}])`;
const occurs = (term, text) => new RegExp(pattern(term), "iu").test(text);

/** The text with the shared terms marked, longer ones first. */
function highlight(text, terms) {
  if (!terms.length) return [text];
  const wanted = [...terms].sort((a, b) => b.length - a.length).map(pattern).join("|");
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(new RegExp(wanted, "giu"))) {
    parts.push(text.slice(end, found.index), el("mark", {}, found[0]));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

/** Reviewers as text to paste into a letter. */
export function asText(title, matches) {
  const lines = [title, ""];
  matches.forEach((match, number) => {
    lines.push(`${number + 1}. ${match.author.name}, ${institution(match)}`, `   ${career(match)} · ${match.author.id}`);
    for (const conflict of match.conflicts) lines.push(`   ${conflict.certain ? "Conflict" : "Possible conflict"}: ${conflict.evidence}`);
    for (const found of match.papers) lines.push(`   - ${found.title}${found.year ? ` (${found.year})` : ""}${found.url ? ` ${found.url}` : ""}`);
    lines.push("");
  });
  return lines.join("\n");
}
