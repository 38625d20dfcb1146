// The component that shows checked reviews: papers, coloured text, a filter by aspect, and what a sentence was tagged as.
import { $, button, dotted, el, field, html, items, options, plural, put } from "./dom.js";
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
      const meant = !filter.value || sentence.dataset.aspects.split(" ").includes(filter.value);
      sentence.classList.toggle("dimmed", !meant);
    }
  };
  const filter = html`<select id="aspect" onchange=${apply}>
    <option value="">all sentences</option>
    ${options(Object.entries(ASPECTS))}
  </select>`;
  const open = ({ view, check }) => {
    put(shown, paperReviews({ ...check, papers: [view] }, labels));
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
      scores(view),
      named(view.disputes.map(({ aspect }) => aspect)) || "–",
    ],
  });
  if (first.papers.length) open({ view: first.papers[0], check: first });
  list.reset();
  const { summary, messages } = first;
  const root = html`
    <div class="reviews">
      <p class="lead">
        ${plural(summary.reviews, "review")} of ${plural(summary.papers, "paper")}: on average ${summary.strengths.toFixed(1)} strengths, ${summary.weaknesses.toFixed(1)} weaknesses and ${summary.questions.toFixed(1)} questions. Reviewers disagree on ${plural(summary.disputed_papers, "paper")}.
      </p>
      <ul class="notes">${items([...messages, WEAK])}</ul>
      ${attention(first, labels)}
      <div class="settings">${field("Show what is said about", filter)}</div>
      ${rows}${shown}
    </div>`;
  root.search = list.reset;
  return root;
}

const scores = (view) => view.scores.map((score) => score ?? "–").join(", ");

/** The reviews of the papers alone, after the box that says how a chosen sentence was tagged. */
export function paperReviews(check, labels) {
  const about = names(check, labels);
  const tagged = new Map(check.tagged.map((review) => [review.review, review]));
  const contents = new Map(check.contents.map((content) => [content.review, content]));
  const detail = html`<aside class="sentence-detail" role="status" aria-live="polite">
    <p class="help">Choose a sentence to see how it was tagged.</p>
  </aside>`;
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
  const { matches, shared, contents, reviewers } = check;
  const { title, name } = labels;
  const about = names(check, labels);
  const lines = [
    ...matches
      .filter(({ suspected }) => suspected)
      .map(({ review, nearest, paper }) => `${about(review)} may be about “${title(nearest)}”, not “${title(paper)}”`),
    ...shared
      .filter(({ containment }) => containment >= 0.5)
      .map(
        ({ first, second, containment }) =>
          `${about(first)} and ${about(second)} share ${Math.round(100 * containment)}% of their text`,
      ),
    ...contents.filter(({ flags }) => flags.length).map(({ review, flags }) => `${about(review)}: ${flags.join("; ")}`),
    ...reviewers
      .filter(({ notable }) => notable.length)
      .map(({ reviewer, notable }) => `${name(reviewer)}: ${notable.join("; ")}`),
  ];
  return html`
    <details class="attention" open=${lines.length > 0 && lines.length <= 8}>
      <summary>For the chair only: ${plural(lines.length, "remark")}</summary>
      <ul>${items(lines)}</ul>
    </details>`;
}

function paper(view, { tagged, contents, detail, labels, about }) {
  const title = labels.title(view.paper);
  const calibrated = view.calibrated === null ? "" : `, calibrated ${view.calibrated.toFixed(2)}`;
  const line = dotted(
    `scores ${scores(view)}${calibrated}`,
    view.disputes.length && `disagreement on ${named(view.disputes.map((dispute) => dispute.aspect))}`,
    view.uncovered.length && `no review is about ${named(view.uncovered)}`,
  );
  return html`
    <section class="card paper" aria-label="Paper ${title}">
      <h2 title=${view.paper}>${title}</h2>
      <p class="help">${line}</p>
      ${view.disputes.length > 0 && disputes(view, about)}
      ${view.reviews.map((id) => review(tagged.get(id), contents.get(id), detail, labels))}
    </section>`;
}

/** Who praises and who criticises what, each claim with links to its sentences. */
function disputes(view, about) {
  const link = (review, number) => {
    const go = () => {
      const sentence = $(`[data-sentence="${CSS.escape(key(review, number))}"]`);
      sentence.focus();
      sentence.click();
    };
    const name = `Sentence ${number + 1} of ${about(review)}`;
    return [" ", button(`${number + 1}`, go, { class: "link", "data-to": key(review, number), "aria-label": name })];
  };
  const says = (verb, review, numbers) => numbers.length > 0 && [verb, numbers.map((number) => link(review, number))];
  const position = ({ review, positive, negative }) => html`
    <li>
      ${about(review)}: ${says("praises in", review, positive)}${positive.length > 0 && negative.length > 0 && "; "}${says("criticises in", review, negative)}
    </li>`;
  const entry = ({ aspect, positions }) =>
    html`<li><strong>${named([aspect])}</strong><ul>${positions.map(position)}</ul></li>`;
  return html`<details class="disputes"><summary>Who says what</summary><ul>${view.disputes.map(entry)}</ul></details>`;
}

const key = (review, number) => `${number} ${review}`;

function review(tagged, content, detail, labels) {
  const name = content.reviewer ? labels.name(content.reviewer) : content.review;
  const omitted = Object.keys(content.omitted);
  const pointers = Object.entries(content.pointers)
    .filter(([, count]) => count)
    .map(([target, count]) => `${count} to ${target}`);
  const counts = [
    plural(content.strengths, "strength"),
    plural(content.weaknesses, "weakness", "weaknesses"),
    plural(content.requests, "request"),
    plural(content.questions, "question"),
  ];
  const line = dotted(
    `${plural(content.words, "word")}: ${counts.join(", ")}`,
    pointers.length && `references: ${pointers.join(", ")}`,
    omitted.length && `leaves out ${named(omitted)}`,
  );
  const sentences = tagged.sentences.map((sentence, number) => [
    mark(sentence, key(content.review, number), detail),
    " ",
  ]);
  return html`
    <article class="review" aria-label="Review ${name}">
      <h3 title=${content.review}>${name}</h3>
      <p class="help">${line}</p>
      <div class="tagged">${sentences.length ? sentences : html`<p class="help">This review is not tagged.</p>`}</div>
    </article>`;
}

function mark(sentence, id, detail) {
  if (sentence.heading) return html`<strong class="heading">${sentence.text}</strong>`;
  const marked = button(sentence.text, () => show(marked, sentence, detail), {
    class: `sentence ${sentence.polarity}`,
    "data-aspects": Object.keys(sentence.aspects).join(" "),
    "data-sentence": id,
  });
  return marked;
}

function show(element, { aspects, polarity, pragmatics, chances }, detail) {
  for (const other of document.querySelectorAll(".sentence[aria-pressed]")) other.removeAttribute("aria-pressed");
  element.setAttribute("aria-pressed", "true");
  const sure = (name, chance) => `${name} (${Math.round(100 * chance)}%)`;
  const about = Object.entries(aspects).map(([code, chance]) => sure(ASPECTS[code], chance));
  put(
    detail,
    html`<p><strong>Aspects: </strong>${about.join(", ") || "none"}</p>`,
    html`<p><strong>Polarity: </strong>${sure(polarity, chances.polarity)}</p>`,
    html`<p><strong>Purpose: </strong>${sure(pragmatics, chances.pragmatics)}</p>`,
  );
}
