// Two people side by side: papers, years, terms, and what they share.
import { $, firstOf, html, items, pageParts, plural, put } from "../dom.js";
import { askJson } from "../api.js";
import { bars, span, spanText, yearAxis } from "../plots.js";
import { fromQuery, personPath } from "./desk.js";
import { careerLine, coauthorItems, paperItem, themes, timeline } from "./profile.js";

const PAPERS = 15;
const submission = fromQuery("submission");
const page = pageParts(["loading", "failure", "whole"]);

async function load() {
  const ids = [fromQuery("a"), fromQuery("b")];
  if (!ids[0] || !ids[1])
    throw new Error("Choose two people to compare: on the page of a kept submission, or on a person’s page.");
  const both = await Promise.all(ids.map((id) => askJson("GET", `profiles/${encodeURIComponent(id)}`)));
  page.show("whole");
  const names = both.map((person) => person.author.name);
  document.title = `${names.join(" and ")} · Panelist`;
  put($("#shared"), shared(...both));
  put($("#years"), yearsOf(both, names));
  put($("#both"), both.map(side));
  $("#status").textContent = `${names[0]} beside ${names[1]}`;
}

const common = (left, right, key) => {
  const keys = new Set(right.map(key));
  return left.filter((entry) => keys.has(key(entry)));
};

function shared(left, right) {
  const papers = common(left.papers, right.papers, (paper) => paper.id);
  const people = common(left.coauthors, right.coauthors, ({ author }) => author.id);
  const words = common([...themes(left), ...left.terms], [...themes(right), ...right.terms], ({ name }) => name);
  const [institution] = common(left.institutions.slice(0, 1), right.institutions.slice(0, 1), ({ name }) => name);
  const names = people.map(({ author }) => author.name);
  return html`
    <p>${papers.length ? `They wrote ${plural(papers.length, "paper")} together:` : "They have no paper together in this corpus."}</p>
    ${papers.length > 0 && html`<ol class="papers">${papers.slice(0, PAPERS).map(paperItem)}</ol>`}
    ${institution && html`<p>Both are at ${institution.name}.</p>`}
    <p>${people.length ? `${plural(people.length, "co-author")} in common: ${firstOf(names, 20)}.` : "No co-author in common."}</p>
    <p>${words.length ? "Both write about:" : "No topic or term in common."}</p>
    ${words.length > 0 && terms(words)}`;
}

const terms = (words) => html`<ul class="terms">${items([...new Set(words.map(({ name }) => name))])}</ul>`;

function yearsOf(both, names) {
  const range = span(...both.map((person) => person.years));
  if (!range) return html`<p class="meta">The years of their papers are not known.</p>`;
  const series = both.map((person) => person.years);
  const most = Math.max(...series.flat().map(({ papers }) => papers));
  const label = both
    .map((person, number) => `${names[number]}: ${plural(person.papers.length, "paper")}, ${spanText(person.years)}`)
    .join("; ");
  return html`
    ${bars(series, range, most, label, "years")}
    ${yearAxis(range, { "aria-hidden": "true" })}
    <p class="meta">${label}. The bars of the first person come first in each year.</p>`;
}

const side = (person, number) => html`
  <section aria-labelledby="side-${number}" class="profile">
    <div>
      <h2 id="side-${number}"><a href=${personPath(person.author.id, submission)}>${person.author.name}</a></h2>
      <p class="meta">${careerLine(person)}</p>
    </div>
    <div><h3>Topics over time</h3>${timeline(person)}</div>
    <div><h3>Terms</h3>${terms(person.terms.slice(0, 15))}</div>
    <div><h3>Latest papers</h3><ol class="papers">${person.papers.slice(0, PAPERS).map(paperItem)}</ol></div>
    <div><h3>Co-authors</h3><ul class="coauthors">${coauthorItems(person, 15)}</ul></div>
  </section>`;

load().catch(page.fail);
