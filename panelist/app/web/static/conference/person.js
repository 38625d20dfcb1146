// One person of a conference: load, papers, conflicts, and how mild or harsh they are.
import { $, el, facts, field, plural } from "../dom.js";
import { askJson } from "../api.js";
import { profileOf } from "./profile.js";
import { badges, begin, conflictCard, id, note, noteButton, paperPage } from "./shell.js";

const person = new URLSearchParams(location.search).get("id") ?? "";

async function show() {
  try {
    render(await askJson("GET", `conferences/${id}/person?${new URLSearchParams({ id: person })}`));
  } catch (problem) {
    $("#person").replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
}

function render({ row, conflicts, best }) {
  const quota = el("input", { id: "quota", type: "number", min: 0, max: 1000, value: row.quota ?? "" });
  $("#person").replaceChildren(
    el("h2", { title: row.id }, row.name),
    el("p", { class: "help" }, [row.institution, row.role].filter(Boolean).join(" · ") || "Nothing else is known."),
    el(
      "dl",
      { class: "facts" },
      facts(
        ["papers in the profile", row.papers ?? "–"],
        ["assigned", `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`],
        ["best score", row.best?.toFixed(3) ?? "–"],
        ["offset of the scores given", row.offset?.toFixed(2) ?? "–"],
      ),
    ),
    list("Assigned papers", row.assigned),
    list("Best papers by score", best),
    profileOf(row.id),
    el("h3", {}, plural(conflicts.length, "conflict")),
    el(
      "ul",
      { class: "conflict-list" },
      conflicts.map(({ conflict, title }) => conflictCard(conflict, title)),
    ),
    el(
      "form",
      {
        class: "settings",
        onsubmit: (event) => {
          event.preventDefault();
          note({ action: "quota", quotas: { [row.id]: Number(quota.value) } });
        },
      },
      field("At most this many papers", quota),
      el("button", {}, "Note it"),
      noteButton("Declined altogether", { action: "decline", reviewer: row.id }),
    ),
  );
  document.title = `${row.name} · Panelist`;
}

const list = (title, papers) =>
  el(
    "section",
    { "aria-label": title },
    el("h3", {}, title),
    papers.length
      ? el(
          "ul",
          {},
          papers.map((paper) =>
            el(
              "li",
              {},
              el("a", { href: paperPage(paper.id), title: paper.id }, paper.label),
              " ",
              paper.score === null ? "" : el("span", { class: "help" }, paper.score.toFixed(3)),
              " ",
              badges(paper),
            ),
          ),
        )
      : el("p", { class: "help" }, "None."),
  );

begin(show);
