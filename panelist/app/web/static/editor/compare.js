// Two people side by side: papers, years, terms, and what they share.
import { $, el, pageParts, plural } from "../dom.js";
import { askJson } from "../api.js";
import { bars, span, spanText, yearAxis } from "../plots.js";
import { fromQuery, personPath } from "./desk.js";
import { careerLine, coauthorItem, paperItem, themes, timeline } from "./profile.js";

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
  $("#shared").replaceChildren(...shared(...both));
  $("#years").replaceChildren(...yearsOf(both, names));
  $("#both").replaceChildren(...both.map(side));
  $("#status").textContent = `${names[0]} beside ${names[1]}`;
}

const common = (left, right, key) => {
  const there = new Set(right.map(key));
  return left.filter((entry) => there.has(key(entry)));
};

function shared(left, right) {
  const papers = common(left.papers, right.papers, (paper) => paper.id);
  const people = common(left.coauthors, right.coauthors, ({ author }) => author.id);
  const words = common([...themes(left), ...left.terms], [...themes(right), ...right.terms], ({ name }) => name);
  const names = [...new Set(words.map(({ name }) => name))];
  const same = left.institutions[0] && left.institutions[0].name === right.institutions[0]?.name;
  return [
    el(
      "p",
      {},
      papers.length
        ? `They wrote ${plural(papers.length, "paper")} together:`
        : "They have no paper together in this corpus.",
    ),
    papers.length ? el("ol", { class: "papers" }, papers.slice(0, PAPERS).map(paperItem)) : null,
    same ? el("p", {}, `Both are at ${left.institutions[0].name}.`) : null,
    el(
      "p",
      {},
      people.length
        ? `${plural(people.length, "co-author")} in common: ${people
            .slice(0, 20)
            .map(({ author }) => author.name)
            .join(", ")}.`
        : "No co-author in common.",
    ),
    el("p", {}, names.length ? "Both write about:" : "No topic or term in common."),
    names.length
      ? el(
          "ul",
          { class: "terms" },
          names.map((name) => el("li", {}, name)),
        )
      : null,
  ].filter(Boolean);
}

function yearsOf(both, names) {
  const range = span(...both.map((person) => person.years));
  if (!range) return [el("p", { class: "meta" }, "The years of their papers are not known.")];
  const label = both
    .map((person, number) => `${names[number]}: ${plural(person.papers.length, "paper")}, ${spanText(person.years)}`)
    .join("; ");
  return [
    bars(
      both.map((person) => person.years),
      range,
      Math.max(...both.flatMap((person) => person.years.map(({ papers }) => papers))),
      label,
      "years",
    ),
    yearAxis(range, { "aria-hidden": "true" }),
    el("p", { class: "meta" }, `${label}. The bars of ${names[0]} come first in each year.`),
  ];
}

function side(person, number) {
  const heading = `side-${number}`;
  return el(
    "section",
    { "aria-labelledby": heading, class: "profile" },
    el(
      "div",
      {},
      el("h2", { id: heading }, el("a", { href: personPath(person.author.id, submission) }, person.author.name)),
      el("p", { class: "meta" }, careerLine(person)),
    ),
    el("div", {}, el("h3", {}, "Topics over time"), timeline(person)),
    el(
      "div",
      {},
      el("h3", {}, "Terms"),
      el(
        "ul",
        { class: "terms" },
        person.terms.slice(0, 15).map(({ name }) => el("li", {}, name)),
      ),
    ),
    el(
      "div",
      {},
      el("h3", {}, "Latest papers"),
      el("ol", { class: "papers" }, person.papers.slice(0, PAPERS).map(paperItem)),
    ),
    el(
      "div",
      {},
      el("h3", {}, "Co-authors"),
      el("ul", { class: "coauthors" }, person.coauthors.slice(0, 15).map(coauthorItem)),
    ),
  );
}

load().catch(page.fail);
