// The papers of a person: which count, what was decided about them and by whom, and what that changed.
import { button, dotted, fold, html, plural, putAnswer } from "../dom.js";
import { paperPage, read, readLabels, signed, tag, tryChange } from "./shell.js";

let open = false; // stays so when the page is made again

/** The papers behind a summary, read when it is opened. */
export function profileOf(reviewer) {
  const box = html`<div aria-live="polite"></div>`;
  const load = async () => view(await read("/profile", { id: reviewer }), await readLabels());
  const toggle = ({ target }) => {
    open = target.open;
    if (open && !box.children.length) putAnswer(box, load);
  };
  return fold("Papers in the profile", box, { id: "profile", open, ontoggle: toggle });
}

function view({ reviewer, size, papers, change, stale }, labels) {
  const items = (counts) =>
    papers.filter(({ weight }) => (weight !== null) === counts).map((paper) => item(reviewer, paper));
  const others = items(false);
  return html`
    <p class="help">
      The ${plural(size, "most recent paper")} count. What is dropped keeps its place as a paper that is near to nothing in particular, so that nobody looks nearer by a shorter profile; conflicts are looked for in all papers.
    </p>
    ${stale && html`<p class="help" id="profile-stale">The scores are of older files or profiles: score again to see what changes.</p>`}
    ${change && changed(change, labels)}
    <ul id="profile-papers" aria-label="Papers that count">${items(true)}</ul>
    ${others.length > 0 && fold(plural(others.length, "other paper"), html`<ul>${others}</ul>`)}`;
}

function item(reviewer, { id: paper, title, year, venue, url, weight, choice }) {
  const act = (label, value, done) => {
    const json = { reviewer, choices: [{ paper, weight: value }] };
    const change = () => tryChange("POST", "/profile", { json }, `${done} Score again to see what changes.`);
    return button(label, change, { "aria-label": `${label}: ${title}` });
  };
  const decided = ({ weight: share, by, note }) =>
    `${{ 0: "dropped", 1: "kept" }[share] ?? `counts ${share}`} by ${by}${note ? `: ${note}` : ""}`;
  return html`
    <li data-paper=${paper}>
      <p>${url ? html`<a href=${url}>${title}</a>` : title} <span class="help">${dotted(year, venue)}</span> ${choice && tag(decided(choice))}</p>
      <div class="buttons">
        ${choice?.weight !== 0 && act("Drop", 0, "Dropped.")}
        ${weight === 1 && !choice && act("Half", 0.5, "It counts half.")}
        ${choice?.weight !== 1 && act("Keep", 1, "Kept.")}
        ${choice && act("As it was", null, "As it was.")}
      </div>
    </li>`;
}

/** What the choices did to scores, as of the last scoring. */
function changed({ mean, moves }, labels) {
  const move = ({ submission, before, after }) =>
    html`<li><a href=${paperPage(submission)}>${labels.title(submission)}</a> ${before.toFixed(3)} → ${after.toFixed(3)}</li>`;
  return html`
    <section id="profile-change" aria-label="What the choices changed">
      <p>In the last scoring, choices changed the scores of this person’s texts by ${signed(mean, 4)} on average${moves.length ? "; most:" : "."}</p>
      <ul>${moves.map(move)}</ul>
    </section>`;
}
