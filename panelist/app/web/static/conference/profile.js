// The papers of a person: which count, what was decided about them and by whom, and what that changed.
import { el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { id, knownLabels, paperPage, tryChange } from "./shell.js";

let open = false; // stays so when the page is made again

/** The papers behind a summary, read when it is opened. */
export function profileOf(reviewer) {
  const box = el("div", { "aria-live": "polite" });
  const fill = async () => {
    try {
      const [profile, labels] = await Promise.all([
        askJson("GET", `conferences/${id}/profile?${new URLSearchParams({ id: reviewer })}`),
        knownLabels(),
      ]);
      box.replaceChildren(...parts(profile, labels).filter(Boolean));
    } catch (problem) {
      box.replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
    }
  };
  return el(
    "details",
    {
      class: "more",
      id: "profile",
      open,
      ontoggle: ({ target }) => {
        open = target.open;
        if (open && !box.children.length) fill();
      },
    },
    el("summary", {}, "Papers in the profile"),
    box,
  );
}

function parts({ reviewer, size, papers, change, stale }, labels) {
  const items = (counts) =>
    papers.filter(({ weight }) => (weight !== null) === counts).map((paper) => item(reviewer, paper));
  const others = items(false);
  return [
    el(
      "p",
      { class: "help" },
      `The ${plural(size, "most recent paper")} count. What is dropped keeps its place as a paper that is near to nothing in particular, so that nobody looks nearer by a shorter profile; conflicts are looked for in all papers.`,
    ),
    stale
      ? el(
          "p",
          { class: "help", id: "profile-stale" },
          "The scores are of older files or profiles: score again to see what changes.",
        )
      : null,
    change ? changed(change, labels) : null,
    el("ul", { id: "profile-papers", "aria-label": "Papers that count" }, items(true)),
    others.length
      ? el("details", { class: "more" }, el("summary", {}, plural(others.length, "other paper")), el("ul", {}, others))
      : null,
  ];
}

function item(reviewer, { id: paper, title, year, venue, url, weight, choice }) {
  const act = (label, value, done) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": `${label}: ${title}`,
        onclick: () =>
          tryChange(
            "POST",
            "/profile",
            { json: { reviewer, choices: [{ paper, weight: value }] } },
            `${done} Score again to see what changes.`,
          ),
      },
      label,
    );
  const decided = choice
    ? `${{ 0: "dropped", 1: "kept" }[choice.weight] ?? `counts ${choice.weight}`} by ${choice.by}${choice.note ? `: ${choice.note}` : ""}`
    : null;
  return el(
    "li",
    { "data-paper": paper },
    el(
      "p",
      {},
      url ? el("a", { href: url }, title) : title,
      " ",
      el("span", { class: "help" }, [year, venue].filter(Boolean).join(" · ")),
      " ",
      decided ? el("span", { class: "tag" }, decided) : null,
    ),
    el(
      "div",
      { class: "buttons" },
      choice?.weight === 0 ? null : act("Drop", 0, "Dropped."),
      weight === 1 && !choice ? act("Half", 0.5, "It counts half.") : null,
      choice?.weight === 1 ? null : act("Keep", 1, "Kept."),
      choice ? act("As it was", null, "As it was.") : null,
    ),
  );
}

/** What the choices did to scores, as of the last scoring. */
function changed({ mean, moves }, labels) {
  return el(
    "section",
    { id: "profile-change", "aria-label": "What the choices changed" },
    el(
      "p",
      {},
      `In the last scoring, choices changed the scores of this person’s texts by ${mean >= 0 ? "+" : "−"}${Math.abs(mean).toFixed(4)} on average${moves.length ? "; most:" : "."}`,
    ),
    el(
      "ul",
      {},
      moves.map(({ submission, before, after }) =>
        el(
          "li",
          {},
          el("a", { href: paperPage(submission) }, labels.title(submission)),
          ` ${before.toFixed(3)} → ${after.toFixed(3)}`,
        ),
      ),
    ),
  );
}
