// What is shown of a person on their own page and beside another: career, topics over time, papers, co-authors.
import { el, plural } from "../dom.js";
import { career, institution, outside } from "../cards.js";
import { bars, span, spanText, yearAxis } from "../plots.js";
import { personPath } from "./desk.js";

export function careerLine(person) {
  const line = `${institution(person)} · ${career({ ...person, paper_count: person.papers_in_corpus })}`;
  return [line, ...(person.author.orcid ? [" · ", orcidLink(person.author.orcid)] : [])];
}

/** To be followed by whoever wants to; nothing is fetched. */
function orcidLink(orcid) {
  const [number] = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(orcid) ?? [];
  return number ? outside(`https://orcid.org/${number}`, `ORCID ${number}`) : orcid;
}

/** The labels of the papers where there are any, else the words that mark them. */
export const themes = (person) => (person.topics.length ? person.topics : person.terms.slice(0, 10));

export function timeline(person) {
  const shown = themes(person);
  const range = span(person.years);
  if (!shown.length || !range) return el("p", { class: "meta" }, "Nothing is known of the years of these papers.");
  const most = Math.max(...shown.flatMap(({ years }) => years.map(({ papers }) => papers)));
  return el(
    "div",
    {},
    el(
      "ul",
      { class: "timeline" },
      shown.map(({ name, papers, years }) =>
        el(
          "li",
          {},
          el("span", {}, name),
          bars(
            [years],
            range,
            most,
            `${name}: ${years.map(({ year, papers: count }) => `${count} in ${year}`).join(", ")}`,
          ),
          el("span", {}, `${plural(papers, "paper")}, ${spanText(years)}`),
        ),
      ),
      el("li", { class: "scale", "aria-hidden": "true" }, yearAxis(range)),
    ),
  );
}

export function paperItem(paper) {
  const meta = [paper.year, paper.venue, paper.cited_by_count ? `cited ${plural(paper.cited_by_count, "time")}` : null];
  return el(
    "li",
    { class: "paper" },
    el("span", { class: "name" }, outside(paper.url, paper.title)),
    el("span", { class: "meta" }, meta.filter(Boolean).join(" · ")),
  );
}

export function coauthorItem({ author, papers, last_year: last }) {
  return el(
    "li",
    {},
    el("a", { href: personPath(author.id) }, author.name),
    " ",
    el("small", {}, `${plural(papers, "paper")}${last ? `, last ${last}` : ""}`),
  );
}
