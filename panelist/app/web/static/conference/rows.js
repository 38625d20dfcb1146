// The papers of a conference, or its people: one row each.
import { $, afterPause, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { badges, begin, id, paperPage, personPage } from "./shell.js";

const or = (value, text = String) => (value === null ? "–" : text(value));
const FIT = matchMedia("(min-width: 50rem)").matches ? 6 : 3; // people in a row: who has a conflict is among them
const people = ({ assigned }) => {
  const first =
    assigned.length > FIT
      ? assigned.toSorted((one, other) => Boolean(other.conflict) - Boolean(one.conflict)).slice(0, FIT - 1)
      : assigned;
  return [
    ...first.flatMap((person) => [
      el(
        "span",
        { class: "who", title: `${person.label} (${person.id})` },
        el("span", {}, person.label),
        badges(person),
      ),
      " ",
    ]),
    assigned.length > first.length ? `and ${assigned.length - first.length} more` : "",
  ];
};
const missing = (row, words) =>
  row.missing
    ? el(
        "span",
        { title: `${plural(row.missing, "review is", "reviews are")} missing` },
        `${words} `,
        el("span", { class: "tag warn" }, `−${row.missing}`),
      )
    : String(words);

const LISTS = {
  papers: {
    label: "Papers",
    head: ["", "Paper", "Able", "Reviewers", "Reviews", "Score"],
    empty: ["No submissions yet.", "No paper matches."],
    page: paperPage,
    height: 74,
    sorts: {
      file: "the file",
      able: "fewest able reviewers",
      missing: "most missing reviews",
      score: "calibrated score",
    },
    cells: (row) =>
      row.hidden
        ? ["", el("span", { title: row.id }, row.title), "", "you have a conflict", "", ""]
        : [
            String(row.number),
            el("span", { title: row.id }, row.title),
            or(row.able),
            el("span", { class: row.assigned.length > 3 ? "many" : null }, people(row)),
            missing(row, row.reviews),
            or(row.calibrated, (value) => value.toFixed(2)),
          ],
  },
  people: {
    label: "People",
    head: ["Name", "Institution", "Profile", "Load", "Best", "Conflicts", "Offset"],
    empty: ["Nobody yet.", "Nobody matches."],
    page: personPage,
    sorts: { file: "the file", load: "smallest load", missing: "most missing reviews", best: "lowest best score" },
    cells: (row) => [
      el("span", { title: row.id }, row.name),
      row.institution || "–",
      or(row.papers),
      missing(row, `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`),
      or(row.best, (value) => value.toFixed(3)),
      String(row.conflicts),
      or(row.offset, (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`),
    ],
  },
};

const kind = $("#papers") ? "papers" : "people";
const about = LISTS[kind];
const list = windowed($("#rows"), {
  ...about,
  empty: () => about.empty[Number(Boolean($("#search").value.trim()))],
  inPage: true,
  load: (offset, limit, signal) =>
    askJson(
      "GET",
      `conferences/${id}/${kind}?${new URLSearchParams({ offset, limit, search: $("#search").value.trim(), sort: $("#sort").value })}`,
      { signal },
    ),
  open: (row) => {
    if (!row.hidden) location.href = about.page(row.id);
  },
});

$("#sort").replaceChildren(...Object.entries(about.sorts).map(([value, text]) => el("option", { value }, text)));
$("#search").addEventListener(
  "input",
  afterPause(() => list.reset()),
);
$("#sort").addEventListener("change", () => list.reset());
/** Where there are people above reviewers, each level has a page of its own. */
async function showLevels() {
  if (kind !== "people") return;
  const { levels } = await askJson("GET", `conferences/${id}/levels?limit=1`);
  $("#levels")?.remove();
  if (levels.length > 1)
    $("#look").before(
      el(
        "nav",
        { id: "levels", class: "tabs", "aria-label": "Levels of the committee" },
        levels.map(({ role, people: count }) =>
          el(
            "a",
            { href: `/conferences/${encodeURIComponent(id)}/levels?${new URLSearchParams({ role })}` },
            `${role} (${count.toLocaleString("en")})`,
          ),
        ),
      ),
    );
}

begin(() => list.reset(), showLevels);
