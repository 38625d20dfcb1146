// The component that shows checked reviews: papers, coloured text, a filter by aspect, and what a sentence was tagged as.
import { el, field, plural } from "./dom.js";
import { windowed } from "./windowed.js";

const ASPECTS = {
  APR: "appropriateness",
  NOV: "novelty",
  IMP: "impact",
  CMP: "comparison",
  PNF: "presentation",
  REC: "recommendation",
  EMP: "soundness",
  SUB: "substance",
  CLA: "clarity",
};
const WEAK =
  "Impact and substance are found with difficulty, and replicability is not learned at all: trust the others more.";
const named = (aspects) => aspects.map((aspect) => ASPECTS[aspect] ?? aspect).join(", ");

/** The whole view of a check, as an element with `search()`; `load(offset, limit)` has the check of some papers, `first` that of the first ones. */
export function reviewsView(first, labels, load) {
  const shown = el("div", { class: "reviews" });
  const apply = () => {
    for (const sentence of shown.querySelectorAll("[data-aspects]")) {
      sentence.classList.toggle(
        "dimmed",
        filter.value !== "" && !sentence.dataset.aspects.split(" ").includes(filter.value),
      );
    }
  };
  const filter = el(
    "select",
    { id: "aspect", onchange: apply },
    el("option", { value: "" }, "all sentences"),
    Object.entries(ASPECTS).map(([code, name]) => el("option", { value: code }, name)),
  );
  const open = ({ view, check }) => {
    shown.replaceChildren(...paperReviews({ ...check, papers: [view] }, labels));
    apply();
  };
  const rows = el("div", { class: "rows of-checked" });
  const list = windowed(rows, {
    label: "Papers with reviews",
    head: ["Paper", "Reviews", "Scores", "Disagreement"],
    open,
    empty: () => "No paper is called that.",
    load: async (...slice) => {
      const check = await load(...slice);
      return { total: check.total, rows: check.papers.map((view) => ({ view, check })) };
    },
    cells: ({ view }) => [
      el("span", { title: view.paper }, labels.title(view.paper)),
      String(view.reviews.length),
      view.scores.map((score) => score ?? "–").join(", "),
      named(view.disputes.map(({ aspect }) => aspect)) || "–",
    ],
  });
  if (first.papers.length) open({ view: first.papers[0], check: first });
  list.reset();
  const { summary, messages } = first;
  const root = el(
    "div",
    { class: "reviews" },
    el(
      "p",
      { class: "lead" },
      `${plural(summary.reviews, "review")} of ${plural(summary.papers, "paper")}: ` +
        `on average ${summary.strengths.toFixed(1)} strengths, ${summary.weaknesses.toFixed(1)} weaknesses and ` +
        `${summary.questions.toFixed(1)} questions. Reviewers disagree on ${plural(summary.disputed_papers, "paper")}.`,
    ),
    el(
      "ul",
      { class: "notes" },
      [...messages, WEAK].map((message) => el("li", {}, message)),
    ),
    attention(first, labels),
    el("div", { class: "settings" }, field("Show what is said about", filter)),
    rows,
    shown,
  );
  root.search = list.reset;
  return root;
}

/** The reviews of the papers alone, after the box that says how a chosen sentence was tagged. */
export function paperReviews(check, labels) {
  const about = names(check, labels);
  const tagged = new Map(check.tagged.map((review) => [review.review, review]));
  const contents = new Map(check.contents.map((content) => [content.review, content]));
  const detail = el(
    "aside",
    { class: "sentence-detail", role: "status", "aria-live": "polite" },
    el("p", { class: "help" }, "Choose a sentence to see how it was tagged."),
  );
  return [detail, ...check.papers.map((view) => paper(view, { tagged, contents, detail, labels, about }))];
}

/** A review as people call it: the title of its paper and who wrote it; the id where neither is known. */
function names(check, labels) {
  const papers = new Map(check.papers.flatMap((view) => view.reviews.map((id) => [id, view.paper])));
  const people = new Map(check.contents.map((content) => [content.review, content.reviewer]));
  return (review) =>
    people.get(review) ? `${labels.name(people.get(review))} on “${labels.title(papers.get(review) ?? "")}”` : review;
}

/** What the chair should look at first. */
function attention(check, labels) {
  const about = names(check, labels);
  const lines = [
    ...check.matches
      .filter((match) => match.suspected)
      .map(
        (match) =>
          `${about(match.review)} may be about “${labels.title(match.nearest)}”, not “${labels.title(match.paper)}”`,
      ),
    ...check.shared
      .filter((pair) => pair.containment >= 0.5)
      .map(
        (pair) =>
          `${about(pair.first)} and ${about(pair.second)} share ${Math.round(100 * pair.containment)}% of their text`,
      ),
    ...check.contents
      .filter((content) => content.flags.length)
      .map((content) => `${about(content.review)}: ${content.flags.join("; ")}`),
    ...check.reviewers
      .filter((reviewer) => reviewer.notable.length)
      .map((reviewer) => `${labels.name(reviewer.reviewer)}: ${reviewer.notable.join("; ")}`),
  ];
  return el(
    "details",
    { class: "attention", open: lines.length > 0 && lines.length <= 8 },
    el("summary", {}, `For the chair only: ${plural(lines.length, "remark")}`),
    el(
      "ul",
      {},
      lines.map((line) => el("li", {}, line)),
    ),
  );
}

function paper(view, { tagged, contents, detail, labels, about }) {
  return el(
    "section",
    { class: "card paper", "aria-label": `Paper ${labels.title(view.paper)}` },
    el("h2", { title: view.paper }, labels.title(view.paper)),
    el(
      "p",
      { class: "help" },
      `scores ${view.scores.map((score) => score ?? "–").join(", ")}` +
        `${view.calibrated === null ? "" : `, calibrated ${view.calibrated.toFixed(2)}`}` +
        `${view.disputes.length ? ` · disagreement on ${named(view.disputes.map((dispute) => dispute.aspect))}` : ""}` +
        `${view.uncovered.length ? ` · no review is about ${named(view.uncovered)}` : ""}`,
    ),
    view.disputes.length ? disputes(view, about) : null,
    view.reviews.map((id) => review(tagged.get(id), contents.get(id), detail, labels)),
  );
}

/** Who praises and who criticises what, each claim with links to its sentences. */
function disputes(view, about) {
  const links = (review, numbers) =>
    numbers.flatMap((number) => [
      " ",
      el(
        "button",
        {
          type: "button",
          class: "link",
          "data-to": key(review, number),
          "aria-label": `Sentence ${number + 1} of ${about(review)}`,
          onclick: () => {
            const sentence = document.querySelector(`[data-sentence="${CSS.escape(key(review, number))}"]`);
            sentence.focus();
            sentence.click();
          },
        },
        `${number + 1}`,
      ),
    ]);
  return el(
    "details",
    { class: "disputes" },
    el("summary", {}, "Who says what"),
    el(
      "ul",
      {},
      view.disputes.map((dispute) =>
        el(
          "li",
          {},
          el("strong", {}, named([dispute.aspect])),
          el(
            "ul",
            {},
            dispute.positions.map(({ review, positive, negative }) =>
              el(
                "li",
                {},
                `${about(review)}: `,
                ...(positive.length ? ["praises in", ...links(review, positive)] : []),
                positive.length && negative.length ? "; " : "",
                ...(negative.length ? ["criticises in", ...links(review, negative)] : []),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

const key = (review, number) => `${number} ${review}`;

function review(tagged, content, detail, labels) {
  const omitted = Object.keys(content.omitted);
  const pointers = Object.entries(content.pointers)
    .filter(([, count]) => count)
    .map(([name, count]) => `${count} to ${name}`);
  return el(
    "article",
    { class: "review", "aria-label": `Review ${content.reviewer ? labels.name(content.reviewer) : content.review}` },
    el("h3", { title: content.review }, content.reviewer ? labels.name(content.reviewer) : content.review),
    el(
      "p",
      { class: "help" },
      `${plural(content.words, "word")}: ${plural(content.strengths, "strength")}, ` +
        `${plural(content.weaknesses, "weakness", "weaknesses")}, ${plural(content.requests, "request")}, ${plural(content.questions, "question")}` +
        `${pointers.length ? ` · references: ${pointers.join(", ")}` : ""}` +
        `${omitted.length ? ` · leaves out ${named(omitted)}` : ""}`,
    ),
    el(
      "div",
      { class: "tagged" },
      tagged.sentences.length
        ? tagged.sentences.flatMap((sentence, number) => [mark(sentence, key(content.review, number), detail), " "])
        : el("p", { class: "help" }, "This review is not tagged."),
    ),
  );
}

function mark(sentence, id, detail) {
  if (sentence.heading) return el("strong", { class: "heading" }, sentence.text);
  const aspects = Object.keys(sentence.aspects);
  return el(
    "button",
    {
      type: "button",
      class: `sentence ${sentence.polarity}`,
      "data-aspects": aspects.join(" "),
      "data-sentence": id,
      onclick: (event) => show(event.currentTarget, sentence, detail),
    },
    sentence.text,
  );
}

function show(element, sentence, detail) {
  for (const other of document.querySelectorAll(".sentence[aria-pressed]")) other.removeAttribute("aria-pressed");
  element.setAttribute("aria-pressed", "true");
  const { aspects, polarity, pragmatics, chances } = sentence;
  const sure = (name, chance) => `${name} (${Math.round(100 * chance)}%)`;
  const answers = {
    Aspects:
      Object.entries(aspects)
        .map(([code, chance]) => sure(ASPECTS[code], chance))
        .join(", ") || "none",
    Polarity: sure(polarity, chances.polarity),
    Purpose: sure(pragmatics, chances.pragmatics),
  };
  detail.replaceChildren(
    ...Object.entries(answers).map(([name, answer]) => el("p", {}, el("strong", {}, `${name}: `), answer)),
  );
}
