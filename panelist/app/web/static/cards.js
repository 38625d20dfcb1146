// One reviewer as a row: who, why, and what speaks against them.
import { $, bar, el, plural } from "./dom.js";
import { years } from "./people.js";
import { loadTag, personPath } from "./editor/desk.js";

const WAYS = {
  lexical: "its words",
  dense: "its meaning",
  cited: "the submission’s references",
  shared: "references in common",
  person: "a cited author",
};
const KINDS = { author: "author", coauthor: "co-author", institution: "same institution", declared: "declared" };

const joined = (words) => words.join(", ").replace(/, (?=[^,]*$)/, " and ");

const COUNTRIES = new Intl.DisplayNames(["en"], { type: "region" });

function country(code) {
  try {
    return COUNTRIES.of(code.toUpperCase());
  } catch {
    return code;
  } // one that no country has
}

export function institution(match) {
  const at = match.institutions[0];
  if (!at) return "Institution unknown";
  return at.country ? `${at.name}, ${country(at.country)}` : at.name;
}

/** A reviewer as one row, with the evidence folded in; `onopen(open)` hears whether it is shown. */
export function card(match, { listed, open, onlist, onexclude, onopen }) {
  const name = match.author.name;
  const heading = `reviewer-${match.rank}`;
  const [best] = match.papers;
  const evidence = el(
    "div",
    { class: "evidence", id: `${heading}-evidence`, hidden: !open },
    el("p", { class: "career" }, career(match)),
    match.lifted_by.length ? el("p", { class: "lifted" }, `Lifted by ${match.lifted_by.join("; ")}`) : null,
    ...[...match.references, ...match.history].map((words) =>
      el("p", { class: "lifted" }, words[0].toUpperCase() + words.slice(1)),
    ),
    conflicts(match.conflicts),
    paperList(match),
  );
  const opener = el(
    "button",
    {
      type: "button",
      class: "opener",
      "aria-expanded": String(open),
      "aria-controls": evidence.id,
      "aria-label": `Evidence for ${name}`,
      title: "Evidence",
      onclick: () => toggle(),
    },
    "▾",
  );
  const toggle = () => {
    evidence.hidden = !evidence.hidden;
    opener.setAttribute("aria-expanded", String(!evidence.hidden));
    onopen(!evidence.hidden);
  };
  const clicked = (event) => {
    if (!event.target.closest("a, button") && !getSelection().toString()) toggle();
  };
  return el(
    "li",
    {
      class: `card row ${match.confidence ?? ""}${listed ? " listed" : ""}`,
      "data-id": match.author.id,
      "aria-labelledby": heading,
    },
    el(
      "div",
      { class: "line", onclick: clicked },
      el("span", { class: "rank", "aria-hidden": "true" }, String(match.rank)),
      el(
        "div",
        { class: "person" },
        el(
          "h3",
          { id: heading, "data-rank": String(match.rank) },
          el("a", { href: personPath(match.author.id) }, name),
        ),
        el("p", { class: "institution" }, institution(match)),
      ),
      el(
        "p",
        { class: "best", title: best?.title ?? null },
        best ? best.title : "",
        best?.year ? el("small", {}, ` ${best.year}`) : null,
      ),
      el(
        "div",
        { class: "grade" },
        match.confidence ? [gradeTag(match.confidence), el("small", {}, nearWords(match))] : null,
      ),
      el(
        "div",
        { class: "buttons" },
        el(
          "button",
          {
            type: "button",
            class: "shortlisted",
            "aria-pressed": String(listed),
            "aria-label": `Short-list ${name}`,
            onclick: onlist,
          },
          listed ? "✓ Listed" : "Short-list",
        ),
        el(
          "button",
          { type: "button", class: "exclude", "aria-label": `Exclude ${name}`, title: "Exclude", onclick: onexclude },
          "✕",
        ),
        opener,
      ),
      el("p", { class: "badges tags" }, badges(match)),
    ),
    evidence,
  );
}

const GRADES = { high: ["strong match", "●●●"], medium: ["fair match", "●●○"], low: ["weak match", "●○○"] };

/** How well somebody fits, in a word and so that a weak match looks weak. */
export const gradeTag = (grade) =>
  el(
    "span",
    { class: `tag confidence ${grade}` },
    el("span", { "aria-hidden": "true" }, `${GRADES[grade][1]} `),
    GRADES[grade][0],
  );

/** What the grade rests on: “4 near papers, the nearest 2023”. */
function nearWords({ near_papers: near, papers: [best] }) {
  if (!near) return "no near paper";
  return `${plural(near, "near paper")}${best?.year ? `, ${near > 1 ? "the nearest " : ""}${best.year}` : ""}`;
}

function badges(match) {
  const certain = match.conflicts.some((conflict) => conflict.certain);
  return [
    match.conflicts.length
      ? el(
          "span",
          {
            class: certain ? "tag certain" : "tag possible",
            title: match.conflicts.map(({ evidence }) => evidence).join("; "),
          },
          certain ? "conflict" : "possible conflict",
        )
      : null,
    match.references.some((words) => words.startsWith("cited"))
      ? el("span", { class: "tag", title: "The submission cites them" }, "cited")
      : null,
    match.history.length ? el("span", { class: "tag", title: match.history.join("; ") }, "served here before") : null,
  ];
}

/** Add to a card how often the person was invited this year, and the note about them. */
export function addDeskNotes(shown, { load, note }) {
  for (const old of shown.querySelectorAll(".known")) old.remove();
  const tag = loadTag(load);
  tag?.classList.add("known");
  $(".badges", shown).append(
    ...(tag ? [tag] : []),
    ...(note ? [el("span", { class: "tag known", title: note }, "note")] : []),
  );
  if (note) $(".career", shown).after(el("p", { class: "note-text known" }, note));
}

/** The papers that make somebody an expert; the first one is quoted. The bars of all people have one scale. */
export function paperList(match) {
  return el(
    "ol",
    { class: "papers", "aria-label": `Matching papers of ${match.author.name}` },
    match.papers.map((paper, number) => paperItem(paper, number === 0)),
  );
}

const NEARNESS = "How near the paper is: the nearest paper of the corpus fills the bar, and all bars have this scale";

export function career(match) {
  const parts = [
    plural(match.paper_count, "paper"),
    match.citation_count ? `cited ${plural(match.citation_count, "time")}` : null,
    years(match),
  ];
  return parts.filter(Boolean).join(" · ");
}

export function conflicts(list) {
  if (!list.length) return null;
  return el(
    "ul",
    { class: "conflicts" },
    list.map(({ certain, kind, evidence }) =>
      el(
        "li",
        { class: certain ? "certain" : "possible" },
        el("strong", {}, `${certain ? "Conflict" : "Possible conflict"}: ${KINDS[kind]}`),
        el("span", {}, evidence),
      ),
    ),
  );
}

/** A paper that matches: its title, where it is from, a quote, and the terms that it shares; a bar where it has a score on the common scale. */
export function paperItem({ title, url, year, venue, terms, sentence, score, match, found_by: ways }, quoted) {
  const quote = quoted && sentence && sentence !== title ? sentence : null;
  const rest = terms.filter((term) => !occurs(term, title) && !(quote && occurs(term, quote)));
  const meta = [year, venue, ways ? `found by ${joined(ways.map((way) => WAYS[way]))}` : null]
    .filter(Boolean)
    .join(" · ");
  return el(
    "li",
    { class: "paper" },
    el("span", { class: "name" }, outside(url, highlight(title, terms))),
    score === undefined
      ? el("span", { class: "meta", title: `match ${match.toFixed(3)}` }, meta)
      : el("span", { class: "meta near", title: `${NEARNESS} (${score.toFixed(2)})` }, bar(score), meta),
    quote ? el("q", { class: "quote" }, highlight(quote, terms)) : null,
    rest.length
      ? el(
          "ul",
          { class: "terms", "aria-label": "Shared terms in the abstract" },
          rest.map((term) => el("li", {}, term)),
        )
      : null,
  );
}

/** What leads out of these pages, in a window of its own; what has no address is text. */
export const outside = (url, content) =>
  url ? el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, content) : content;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = (term) => `(?<![\\p{L}\\p{N}])${escaped(term)}(?![\\p{L}\\p{N}])`;
const occurs = (term, text) => new RegExp(pattern(term), "iu").test(text);

/** The text with the shared terms marked, longer ones first. */
function highlight(text, terms) {
  if (!terms.length) return [text];
  const longestFirst = [...terms]
    .sort((a, b) => b.length - a.length)
    .map(pattern)
    .join("|");
  return text.split(new RegExp(`(${longestFirst})`, "iu")).map((part, at) => (at % 2 ? el("mark", {}, part) : part));
}

/** Reviewers as text to paste into a letter. */
export function asText(title, matches) {
  const lines = [title, ""];
  matches.forEach((match, number) => {
    lines.push(
      `${number + 1}. ${match.author.name}, ${institution(match)}`,
      `   ${career(match)} · ${match.author.id}`,
    );
    for (const conflict of match.conflicts)
      lines.push(`   ${conflict.certain ? "Conflict" : "Possible conflict"}: ${conflict.evidence}`);
    for (const { title: paper, year, url } of match.papers)
      lines.push(`   - ${paper}${year ? ` (${year})` : ""}${url ? ` ${url}` : ""}`);
    lines.push("");
  });
  return lines.join("\n");
}
