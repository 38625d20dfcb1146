// Two people side by side: papers, years, terms, and what they share.
import { $, el, plural, showOnly } from "../dom.js";
import { askJson } from "../api.js";
import { bars, span, spanText } from "../plots.js";
import { fromQuery, personPath } from "./desk.js";
import { careerLine, coauthorItem, paperItem, themes, timeline } from "./profile.js";

const PAPERS = 15;
const submission = fromQuery("submission");
const views = { loading: $("#loading"), failure: $("#failure"), whole: $("#whole") };

async function load() {
  const ids = [fromQuery("a"), fromQuery("b")];
  try {
    if (!ids[0] || !ids[1]) throw new Error("Choose two people to compare: on the page of a kept submission, or on a person’s page.");
    render(await Promise.all(ids.map((id) => askJson("GET", `profiles/${encodeURIComponent(id)}`))));
  } catch (problem) {
    $("p", views.failure).textContent = problem.message;
    showOnly("failure", views);
  }
}

function render(both) {
  showOnly("whole", views);
  const names = both.map((one) => one.author.name);
  document.title = `${names.join(" and ")} · Panelist`;
  $("#shared").replaceChildren(...shared(...both));
  $("#years").replaceChildren(...yearsOf(both, names));
  $("#both").replaceChildren(...both.map(side));
  $("#status").textContent = `${names[0]} beside ${names[1]}`;
}

const common = (one, other, key) => {
  const there = new Set(other.map(key));
  return one.filter((thing) => there.has(key(thing)));
};

function shared(one, other) {
  const papers = common(one.papers, other.papers, (paper) => paper.id);
  const people = common(one.coauthors, other.coauthors, ({ author }) => author.id);
  const words = common([...themes(one), ...one.terms], [...themes(other), ...other.terms], ({ name }) => name);
  const names = [...new Set(words.map(({ name }) => name))];
  const same = one.institutions[0] && one.institutions[0].name === other.institutions[0]?.name;
  return [
    el("p", {}, papers.length ? `They wrote ${plural(papers.length, "paper")} together:` : "They have no paper together in this corpus."),
    papers.length ? el("ol", { class: "papers" }, papers.slice(0, PAPERS).map(paperItem)) : null,
    same ? el("p", {}, `Both are at ${one.institutions[0].name}.`) : null,
    el("p", {}, people.length ? `${plural(people.length, "co-author")} in common: ${people.slice(0, 20).map(({ author }) => author.name).join(", ")}.` : "No co-author in common."),
    el("p", {}, names.length ? "Both write about:" : "No topic or term in common."),
    names.length ? el("ul", { class: "terms" }, names.map((name) => el("li", {}, name))) : null,
  ].filter(Boolean);
}

function yearsOf(both, names) {
  const found = span(...both.map((one) => one.years));
  if (!found) return [el("p", { class: "meta" }, "The years of their papers are not known.")];
  const [first, last] = found;
  const most = Math.max(...both.flatMap((one) => one.years.map(({ papers }) => papers)));
  const label = both.map((one, number) => `${names[number]}: ${plural(one.papers.length, "paper")}, ${spanText(one.years)}`).join("; ");
  return [
    bars(both.map((one) => one.years), first, last, most, label, "years"),
    el("div", { class: "axis", "aria-hidden": "true" }, el("span", {}, String(first)), el("span", {}, String(last))),
    el("p", { class: "meta" }, `${label}. The bars of ${names[0]} come first in each year.`),
  ];
}

function side(person, number) {
  const heading = `side-${number}`;
  return el("section", { "aria-labelledby": heading, class: "profile" },
    el("div", {}, el("h2", { id: heading }, el("a", { href: personPath(person.author.id, submission) }, person.author.name)),
      el("p", { class: "meta" }, careerLine(person))),
    el("div", {}, el("h3", {}, "Topics over time"), timeline(person)),
    el("div", {}, el("h3", {}, "Terms"), el("ul", { class: "terms" }, person.terms.slice(0, 15).map(({ name }) => el("li", {}, name)))),
    el("div", {}, el("h3", {}, "Latest papers"), el("ol", { class: "papers" }, person.papers.slice(0, PAPERS).map(paperItem))),
    el("div", {}, el("h3", {}, "Co-authors"), el("ul", { class: "coauthors" }, person.coauthors.slice(0, 15).map(coauthorItem))));
}

load();
