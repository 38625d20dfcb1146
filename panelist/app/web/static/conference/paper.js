// All about one paper: its reviewers, their scores, what the scores are worth, and what they wrote.
import { $, el, facts, field, plural, trying } from "../dom.js";
import { askJson } from "../api.js";
import { gradeTag, paperItem } from "../cards.js";
import { paperReviews } from "../reviews-view.js";
import { badges, begin, conflictCard, id, knownLabels, note, noteButton, personPage, replacement } from "./shell.js";

const paper = new URLSearchParams(location.search).get("id") ?? "";
const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;

async function show() {
  try {
    render(await askJson("GET", `conferences/${id}/paper?${new URLSearchParams({ id: paper })}`), await knownLabels());
  } catch (problem) {
    $("#paper").replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
}

function render(about, labels) {
  const { calibrated } = about;
  $("#paper").replaceChildren(
    el(
      "div",
      {},
      el("p", { class: "help" }, about.number ? `Paper ${about.number}` : ""),
      el("h2", { id: "paper-heading", title: about.paper }, about.title || about.paper),
    ),
    about.authors.length
      ? el(
          "details",
          { class: "more", id: "authors" },
          el("summary", {}, plural(about.authors.length, "author")),
          el("p", {}, about.authors.join(", ")),
        )
      : "",
    about.abstract ? el("details", { class: "more" }, el("summary", {}, "Abstract"), el("p", {}, about.abstract)) : "",
    calibrated
      ? el(
          "dl",
          { class: "facts", id: "worth" },
          facts(
            [`calibrated score ± ${calibrated.score_sd.toFixed(2)}`, calibrated.score.toFixed(2)],
            [`raw mean of ${plural(calibrated.reviews, "review")}`, calibrated.raw_mean.toFixed(2)],
            [
              `probability of acceptance, if ${about.accepted.toLocaleString("en")} of ${plural(about.papers, "paper")} are accepted`,
              `${Math.round(100 * calibrated.p_accept)}%`,
            ],
            [`rank; by raw means ${calibrated.raw_rank}`, calibrated.rank],
          ),
        )
      : el("p", { class: "help" }, "No calibrated score yet."),
    about.stale ? el("p", { class: "help" }, "The scores have changed since they were calibrated.") : "",
    reviewers(about),
    alternates(about),
    forbidden(about),
    about.solution === null ? "" : more(about),
    conflictsOf(about),
    about.reviews ? el("div", { class: "reviews" }, paperReviews(about.reviews, labels)) : "",
  );
  document.title = `${about.title || about.paper} · Panelist`;
}

function reviewers(about) {
  if (!about.reviewers.length)
    return el(
      "p",
      { class: "help" },
      about.solution === null ? "No solution is chosen yet." : "Nobody is assigned to this paper.",
    );
  return el(
    "section",
    { "aria-label": "Reviewers", id: "reviewers" },
    el("h3", {}, "Reviewers"),
    el(
      "ul",
      { class: "cards people" },
      about.reviewers.map((person) => reviewer(about, person)),
    ),
  );
}

function reviewer(about, person) {
  const {
    reviewer: who,
    name,
    assigned,
    confidence,
    score,
    offset,
    offset_sd: spread,
    conflict,
    hand,
    instead,
  } = person;
  const evidence = el("div", { "aria-live": "polite" });
  const act = (label, action) => noteButton(label, { paper, action, reviewer: who });
  const facts = [
    assigned
      ? assigned.scored
        ? `match ${assigned.score.toFixed(3)}`
        : "no match score"
      : hand === 1
        ? `comes in with the next solution${instead ? ` instead of ${instead}` : ""}`
        : "not assigned",
    assigned && assigned.role !== "reviewer" ? assigned.role : null,
    assigned?.locked || hand === 1 ? "locked" : null,
    hand === -1 && assigned ? "to be taken off" : null,
    score === null || score === undefined ? "no review yet" : `score ${score}`,
    offset === null ? null : `offset ${signed(offset)} ± ${spread.toFixed(2)}`,
  ];
  return el(
    "li",
    { class: "card reviewer" },
    el(
      "div",
      { class: "body" },
      el(
        "p",
        {},
        el("a", { href: personPage(who), title: who }, el("strong", {}, name)),
        " ",
        badges({ conflict, confidence, by_hand: hand === 1 }),
      ),
      el("p", { class: "help" }, facts.filter(Boolean).join(" · ")),
      conflict && !conflict.decision ? el("p", { class: "help" }, conflict.evidence) : null,
      assigned
        ? el(
            "div",
            { class: "buttons" },
            ...(hand === -1
              ? [act("Allow", "release")]
              : [
                  assigned.locked || hand === 1 ? act("Release", "release") : act("Lock", "lock"),
                  act("Forbid", "forbid"),
                  act("Declined", "decline"),
                ]),
            el(
              "button",
              { type: "button", class: "why-person", onclick: () => explain(about.solution, who, evidence) },
              "Why this person?",
            ),
            hand === -1
              ? null
              : replacement(
                  paper,
                  who,
                  about.alternates.filter((person) => person.role === assigned.role),
                ),
            hand === -1 ? null : exchange(who),
          )
        : hand === 1
          ? el("div", { class: "buttons" }, act("Release", "release"))
          : null,
      evidence,
    ),
  );
}

/** A button that notes what is chosen when it is pressed: the other fields of the change. */
const chosenButton = (label, action, fields) =>
  el("button", { type: "button", "data-action": action, onclick: () => note({ paper, action, ...fields() }) }, label);

/** Exchange this reviewer with one of another paper, both chosen from lists. */
function exchange(who) {
  const box = el("span", { class: "choice" });
  box.append(
    el(
      "button",
      {
        type: "button",
        onclick: async () => {
          const { rows } = await askJson("GET", `conferences/${id}/papers?limit=200`);
          const others = rows.filter((row) => row.id !== paper && row.assigned.length);
          const papers = el(
            "select",
            { "aria-label": "Other paper" },
            others.map((row, at) => el("option", { value: at }, row.title)),
          );
          const people = el("select", { "aria-label": "Its reviewer" });
          const fill = () =>
            people.replaceChildren(
              ...(others[papers.value]?.assigned ?? [])
                .filter((person) => person.id !== who)
                .map((person) => el("option", { value: person.id }, person.label)),
            );
          papers.addEventListener("change", fill);
          fill();
          box.replaceChildren(
            papers,
            people,
            chosenButton("Exchange", "exchange", () => ({
              reviewer: who,
              other_paper: others[papers.value].id,
              other: people.value,
            })),
          );
        },
      },
      "Exchange …",
    ),
  );
  return box;
}

/** Why this person: the papers that match, then why the solution has the pair; prices are behind “details”. */
async function explain(solution, who, box) {
  box.replaceChildren(el("p", { class: "help" }, "Comparing papers …"));
  const pair = new URLSearchParams({ paper, reviewer: who });
  try {
    const [why, chosen] = await Promise.all([
      askJson("GET", `conferences/${id}/scores/why?${pair}`),
      askJson("GET", `conferences/${id}/solutions/${solution}/why?${pair}`).catch(() => null),
    ]); // other scores by now
    box.replaceChildren(
      why.note ? el("p", { class: "help" }, why.note) : "",
      el(
        "p",
        { class: "help" },
        `${plural(why.profile, "paper")} compared `,
        why.confidence ? gradeTag(why.confidence) : "",
      ),
      ...why.history.map((words) => el("p", { class: "lifted" }, words[0].toUpperCase() + words.slice(1))),
      el(
        "ol",
        { class: "papers", "aria-label": "Papers that match" },
        why.papers.map((match) => paperItem(match, true)),
      ),
      chosen
        ? el(
            "ul",
            { class: "reasons" },
            chosen.reasons.map((reason) => el("li", {}, reason)),
          )
        : "",
      el(
        "details",
        { class: "more" },
        el("summary", {}, "Details"),
        el(
          "ul",
          { class: "reasons" },
          why.score === null
            ? el("li", {}, "no score")
            : el("li", {}, `score ${why.score.toFixed(4)}, rank ${why.rank} of the paper’s candidates`),
          !chosen || chosen.cost === null
            ? null
            : el(
                "li",
                {},
                `${chosen.chosen ? "without" : "with"} the pair, the greatest total would be ${chosen.cost.toFixed(4)} less`,
              ),
        ),
      ),
    );
  } catch (problem) {
    box.replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
}

/** Who is kept off the paper by hand, each with a button that allows them again. */
function forbidden(about) {
  const people = Object.entries(about.forbidden);
  return people.length
    ? el(
        "ul",
        { id: "forbidden", class: "buttons" },
        people.map(([who, name]) =>
          el("li", {}, `${name}: forbidden `, noteButton("Allow", { paper, action: "release", reviewer: who })),
        ),
      )
    : "";
}

function alternates(about) {
  if (!about.alternates.length) return "";
  return el(
    "p",
    { class: "help" },
    `Who could step in: ${about.alternates.map((person) => `${person.name} (${person.role === "reviewer" ? "" : `${person.role}, `}${person.score.toFixed(3)})`).join(", ")}`,
  );
}

/** Somebody who is not assigned, and how many reviews the paper needs: both for the next solution. */
function more(about) {
  const people = el("select", { id: "somebody" });
  const needed = el("input", {
    id: "needed",
    type: "number",
    min: 0,
    max: 100,
    value: about.reviewers.filter((person) => person.assigned?.role === "reviewer").length || 3,
  });
  const fill = async () => {
    const { rows } = await askJson(
      "GET",
      `conferences/${id}/scores/pairs?${new URLSearchParams({ of: "paper", id: paper, limit: 100 })}`,
    );
    const there = new Set([
      ...about.reviewers.filter((person) => person.assigned || person.hand === 1).map((person) => person.reviewer),
      ...Object.keys(about.forbidden),
    ]);
    people.replaceChildren(
      ...rows
        .filter((row) => !there.has(row.reviewer) && !row.conflict?.certain)
        .map((row) =>
          el(
            "option",
            { value: row.reviewer },
            `${row.name || row.reviewer} (${row.score.toFixed(3)}${row.conflict?.possible ? ", possible conflict" : ""})`,
          ),
        ),
    );
  };
  return el(
    "details",
    {
      class: "more",
      id: "change-paper",
      ontoggle: () => {
        if (!people.length) trying(fill);
      },
    },
    el("summary", {}, "Somebody else, or another number of reviews"),
    el(
      "div",
      { class: "settings" },
      field("Reviewer", people),
      chosenButton("Lock this person", "lock", () => ({ reviewer: people.value })),
      field("Reviews needed", needed),
      chosenButton("Note the number", "demand", () => ({ number: Number(needed.value) })),
    ),
  );
}

function conflictsOf(about) {
  if (!about.conflicts.length) return "";
  return el(
    "details",
    { class: "more", open: about.conflicts.some(({ conflict }) => conflict.possible) },
    el("summary", {}, plural(about.conflicts.length, "conflict of interest", "conflicts of interest")),
    el(
      "ul",
      { class: "conflict-list" },
      about.conflicts.map(({ conflict, name }) => conflictCard(conflict, name)),
    ),
  );
}

begin(show);
