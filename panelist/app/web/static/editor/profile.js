// What is shown of a person on their own page and beside another: career, topics over time, papers, co-authors.
import { el, plural } from "../dom.js";
import { institution } from "../cards.js";
import { years as spanOf } from "../people.js";
import { bars, span, spanText } from "../plots.js";
import { personPath } from "./desk.js";

export function careerLine(person) {
  const parts = [institution(person), plural(person.papers_in_corpus, "paper"), person.citation_count ? `cited ${plural(person.citation_count, "time")}` : null, spanOf(person)];
  return [parts.filter(Boolean).join(" · "), ...(person.author.orcid ? [" · ", orcidLink(person.author.orcid)] : [])];
}

/** To be followed by whoever wants to; nothing is fetched. */
function orcidLink(orcid) {
  const [number] = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(orcid) ?? [];
  return number ? el("a", { href: `https://orcid.org/${number}`, target: "_blank", rel: "noopener noreferrer" }, `ORCID ${number}`) : orcid;
}

/** The labels of the papers where there are any, else the words that mark them. */
export const themes = (person) => (person.topics.length ? person.topics : person.terms.slice(0, 10));

export function timeline(person) {
  const shown = themes(person);
  const found = span(person.years);
  if (!shown.length || !found) return el("p", { class: "meta" }, "Nothing is known of the years of these papers.");
  const [first, last] = found;
  const most = Math.max(...shown.flatMap((one) => one.years.map(({ papers }) => papers)));
  return el("div", {},
    el("ul", { class: "timeline" }, shown.map((one) => el("li", {},
      el("span", {}, one.name),
      bars([one.years], first, last, most, `${one.name}: ${one.years.map(({ year, papers }) => `${papers} in ${year}`).join(", ")}`),
      el("span", {}, `${plural(one.papers, "paper")}, ${spanText(one.years)}`))),
    el("li", { class: "scale", "aria-hidden": "true" }, el("div", { class: "axis" }, el("span", {}, String(first)), el("span", {}, String(last))))));
}

export function paperItem(paper) {
  const meta = [paper.year, paper.venue, paper.cited_by_count ? `cited ${plural(paper.cited_by_count, "time")}` : null];
  return el("li", { class: "paper" },
    el("span", { class: "name" }, paper.url ? el("a", { href: paper.url, target: "_blank", rel: "noopener noreferrer" }, paper.title) : paper.title),
    el("span", { class: "meta" }, meta.filter(Boolean).join(" · ")));
}

export function coauthorItem(one) {
  return el("li", {}, el("a", { href: personPath(one.author.id) }, one.author.name), " ",
    el("small", {}, `${plural(one.papers, "paper")}${one.last_year ? `, last ${one.last_year}` : ""}`));
}
