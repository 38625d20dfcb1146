// What is shown of a person on their own page and beside another: career, topics over time, papers, co-authors.
import { dotted, html, plural } from "../dom.js";
import { career, institution, outside } from "../cards.js";
import { bars, span, spanText, yearAxis } from "../plots.js";
import { personPath, titled } from "./desk.js";

export function careerLine(person) {
  const line = `${institution(person)} · ${career({ ...person, paper_count: person.papers_in_corpus })}`;
  return [line, person.author.orcid && [" · ", orcidLink(person.author.orcid)]];
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
  if (!shown.length || !range) return html`<p class="meta">Nothing is known of the years of these papers.</p>`;
  const most = Math.max(...shown.flatMap(({ years }) => years.map(({ papers }) => papers)));
  const row = ({ name, papers, years }) => {
    const counts = years.map(({ year, papers: count }) => `${count} in ${year}`).join(", ");
    return html`
      <li>
        <span>${name}</span>
        ${bars([years], range, most, `${name}: ${counts}`)}
        <span>${plural(papers, "paper")}, ${spanText(years)}</span>
      </li>`;
  };
  return html`
    <div><ul class="timeline">${shown.map(row)}<li aria-hidden="true">${yearAxis(range)}</li></ul></div>`;
}

export function paperItem({ title, url, year, venue, cited_by_count: count }) {
  return html`
    <li class="paper">
      <span class="name">${outside(url, titled(title))}</span>
      <span class="meta">${dotted(year, venue, count && `cited ${plural(count, "time")}`)}</span>
    </li>`;
}

export const coauthorItems = ({ coauthors }, most = coauthors.length) =>
  coauthors.length ? coauthors.slice(0, most).map(coauthorItem) : html`<li>None: this person wrote alone.</li>`;

const coauthorItem = ({ author, papers, last_year: last }) => html`
  <li>
    <a href=${personPath(author.id)}>${author.name}</a> <small>${plural(papers, "paper")}${last && `, last ${last}`}</small>
  </li>`;
