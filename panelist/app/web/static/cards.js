// One reviewer as a card: who, why, and what speaks against them.
import { $, bar, el, plural } from "./dom.js";
import { years } from "./people.js";
import { loadTag, personPath } from "./editor/desk.js";

const FOUND = {
  lexical: ["words", "Found by the words that the papers share"],
  dense: ["meaning", "Found by what the papers mean"],
  cited: ["citation", "Cited by the submission"],
};
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

/** @param {{listed: boolean, onlist: () => void, onexclude: () => void}} context */
export function card(match, { listed, onlist, onexclude }) {
  const name = match.author.name;
  const heading = `reviewer-${match.rank}`;
  return el("li", { class: listed ? "card listed" : "card", "data-id": match.author.id, "aria-labelledby": heading },
    el("span", { class: "rank", "aria-hidden": "true" }, String(match.rank)),
    el("div", { class: "body" },
      el("div", { class: "who" },
        el("div", { class: "person" },
          el("h3", { id: heading, "data-rank": String(match.rank) }, el("a", { href: personPath(match.author.id) }, name)),
          el("p", { class: "institution" }, institution(match)),
          el("p", { class: "career" }, career(match))),
        el("div", { class: "buttons" },
          el("button", { type: "button", class: "shortlisted", "aria-pressed": String(listed), "aria-label": `Short-list ${name}`, onclick: onlist },
            listed ? "✓ On the short list" : "Short-list"),
          el("button", { type: "button", class: "exclude", "aria-label": `Exclude ${name}`, onclick: onexclude }, "Exclude"))),
      el("div", { class: "score" },
        bar(match.relevance),
        el("span", { title: `score ${match.score.toPrecision(3)}` }, `relevance ${Math.round(100 * match.relevance)}%`),
        confidenceTag(match.confidence, plural(match.near_papers, "paper")),
        ...match.found_by.map((stage) => el("span", { class: "tag", title: FOUND[stage][1] }, `found by ${FOUND[stage][0]}`))),
      match.lifted_by.length ? el("p", { class: "lifted" }, `Lifted by ${match.lifted_by.join("; ")}`) : null,
      conflicts(match.conflicts),
      paperList(match)));
}

/** How sure a match is, and which papers make it so. */
export const confidenceTag = (grade, papers) => el("span", { class: "tag confidence", title: `${papers} among the nearest to the submission` }, `${grade} confidence`);

/** Add to a card how often the person was invited this year, and the note about them. */
export function addKnown(shown, { load, note }) {
  for (const old of shown.querySelectorAll(".known")) old.remove();
  const tag = loadTag(load);
  tag?.classList.add("known");
  $(".score", shown).append(...(tag ? [tag] : []));
  if (note) $(".score", shown).after(el("p", { class: "note-text known" }, note));
}

/** The papers that make somebody an expert; the first one is quoted. */
export function paperList(match) {
  return el("ol", { class: "papers", "aria-label": `Matching papers of ${match.author.name}` },
    match.papers.map((one, number) => paper(one, number === 0)));
}

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

function paper(found, quoted) {
  const title = highlight(found.title, found.terms);
  const said = new Set();
  const quote = quoted && found.sentence && found.sentence !== found.title ? found.sentence : null;
  for (const term of found.terms) if (occurs(term, found.title) || (quote && occurs(term, quote))) said.add(term);
  const rest = found.terms.filter((term) => !said.has(term));
  const meta = [found.year, found.venue, `match ${found.score.toFixed(2)}`, `${Math.round(100 * found.share)}% of the score`];
  return el("li", { class: "paper" },
    el("span", { class: "name" }, found.url ? el("a", { href: found.url, target: "_blank", rel: "noopener noreferrer" }, title) : title),
    el("span", { class: "meta" }, meta.filter(Boolean).join(" · ")),
    quote ? el("q", { class: "quote" }, highlight(quote, found.terms)) : null,
    rest.length ? el("ul", { class: "terms", "aria-label": "Shared terms in the abstract" }, rest.map((term) => el("li", {}, term))) : null);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = (term) => `(?<![\\p{L}\\p{N}])${escaped(term)}(?![\\p{L}\\p{N}])`;
const occurs = (term, text) => new RegExp(pattern(term), "iu").test(text);

/** The text with the shared terms marked, longer ones first. */
export function highlight(text, terms) {
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
