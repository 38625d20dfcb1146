// The conflict table of a conference: found and declared, certain and possible; people confirm or dismiss what is possible.
import { $, el, field, plural } from "../dom.js";
import { askJson } from "../api.js";
import { useShortcuts } from "../editor/shortcuts.js";
import { begin, conflictCard, id, listed, newestOnly, noteButton, onConference, tryChange } from "./shell.js";

const KINDS = {
  author: ["may be an author of", "Another person"],
  coauthor: ["may have written with authors of", "Dismiss"],
  institution: ["may be a colleague of authors of", "Dismiss"],
  declared: ["declared", "Dismiss"],
  name: ["the name alone speaks for", "Dismiss"],
};
const limit = listed(show, 100, "#which", "#group");
const newest = newestOnly();
let lookedAt = false; // whether there is somebody who may have a conflict
let position = -1; // of the entry that a key has answered

async function show() {
  const certain = { certain: "true", other: "false" }[$("#which").value];
  const query = new URLSearchParams({
    sort: $("#group").value,
    limit: limit(),
    search: $("#search").value.trim(),
    ...(certain ? { certain } : {}),
  });
  const conflicts = await newest(askJson("GET", `conferences/${id}/conflicts?${query}`));
  if (!conflicts) return;
  $("#lead").textContent = !lookedAt
    ? "Conflicts are looked for as soon as there are submissions and a committee, or scores."
    : `${plural(conflicts.certain, "pair")} with a certain conflict, ${plural(conflicts.possible, "pair")} with a possible one that nobody has settled. Possible conflicts are not assigned until somebody dismisses them.`;
  $("#unchecked").replaceChildren(...conflicts.unchecked.map((text) => el("li", {}, text)));
  const cards =
    $("#group").value === "person"
      ? grouped(
          conflicts.rows,
          (row) => row.conflict.reviewer,
          (row) => row.name,
          "data-person",
        )
      : $("#group").value === "author"
        ? grouped(conflicts.rows, authorOf, (row) => authorOf(row) || "Rests on no author's name", "data-author")
        : conflicts.rows.map((row) => conflictCard(row.conflict, `${row.name} and “${row.title}”`));
  $("#list").replaceChildren(...(cards.length ? cards : [el("li", { class: "help" }, "None.")]));
  if (position >= 0 && cards.length) {
    // answered by a key: the next entry has the focus
    const next = $("#list").children[Math.min(position, cards.length - 1)];
    next.tabIndex = -1;
    next.focus();
    position = -1;
  }
  $("#more").hidden = conflicts.total <= conflicts.rows.length || limit() >= 500;
  $("#status").textContent = plural(conflicts.total, "conflict");
}

/** Whom reasons say to have the name of which author: what one answer can be about. */
const namesakes = (rows) => [
  ...new Map(
    rows
      .flatMap(({ conflict }) => conflict.reasons)
      .filter((reason) => reason.namesake)
      .map(({ namesake, author }) => [`${namesake}\n${author}`, [namesake, author]]),
  ).values(),
];
const byName = ({ conflict }) => conflict.reasons.every((reason) => reason.namesake);
const authorOf = ({ conflict }) =>
  conflict.reasons
    .map((reason) => reason.author)
    .filter(Boolean)
    .sort()[0] ?? "";

/** One entry for each person or author, with one answer for all open conflicts of one kind; a pair with reasons of two kinds is looked at alone. */
function grouped(rows, keyOf, nameOf, attribute) {
  return [...Map.groupBy(rows, keyOf)].map(([key, own]) => {
    const byAuthor = attribute === "data-author";
    const open = own.filter(
      ({ conflict }) => conflict.possible && (byAuthor || new Set(conflict.reasons.map(({ kind }) => kind)).size === 1),
    );
    const kinds = byAuthor
      ? key
        ? [["name", open]].filter(([, group]) => group.length)
        : []
      : Map.groupBy(open, ({ conflict }) => conflict.reasons[0].kind);
    const answer = (action, group, label, done) =>
      noteButton(
        `${label} (${group.length.toLocaleString("en")})`,
        action === "distinguish"
          ? { action, namesakes: namesakes(group) }
          : { action, pairs: group.map(({ conflict }) => [conflict.submission, conflict.reviewer]) },
        done,
      );
    return el(
      "li",
      {
        class: `conflict ${own.some(({ conflict }) => conflict.possible) ? "possible" : own.some(({ conflict }) => conflict.certain) ? "certain" : "dismissed"}`,
        [attribute]: key,
      },
      el(
        "details",
        {},
        el(
          "summary",
          {},
          el("strong", {}, nameOf(own[0])),
          ` · ${plural(own.length, byAuthor ? "pair" : "paper")}${open.length ? `, ${open.length.toLocaleString("en")} open` : ""}`,
        ),
        el(
          "ul",
          { class: "conflict-list" },
          own.map((row) => conflictCard(row.conflict, byAuthor ? `${row.name} and “${row.title}”` : `“${row.title}”`)),
        ),
      ),
      [...kinds].map(([kind, group]) => {
        const another = (byAuthor || kind === "author") && group.every(byName); // who is meant is known by id, so the answer holds for later submissions
        return el(
          "div",
          { class: "buttons" },
          el("span", {}, `${KINDS[kind][0]} ${plural(group.length, byAuthor ? "pair" : "paper")}`),
          another
            ? answer(
                "distinguish",
                group,
                byAuthor ? "Nobody here is this author" : "Another person",
                "Dismissed, also for later submissions.",
              )
            : answer("dismiss", group, KINDS[kind][1], "Dismissed: the pairs may be assigned."),
          answer("confirm", group, "Confirm", "Confirmed: the pairs will not be assigned."),
        );
      }),
    );
  });
}

async function showRules() {
  const rules = await askJson("GET", `conferences/${id}/conflicts/rules`);
  for (const [key, value] of Object.entries(rules)) $(`#${key}`).value = value ?? "";
}

const years = (key, label) =>
  field(
    label,
    el("input", { id: key, type: "number", min: 0, max: 100, inputmode: "numeric" }),
    "years; empty: not looked for",
  );
$("#rules").prepend(
  years("coauthor_years", "Co-authors of the last"),
  years("institution_years", "Colleagues of the last"),
);
$("#rules").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = (key) => ($(`#${key}`).value === "" ? null : Number($(`#${key}`).value));
  tryChange(
    "PUT",
    "/conflicts/rules",
    { json: { coauthor_years: value("coauthor_years"), institution_years: value("institution_years") } },
    "Conflicts were looked for again.",
  );
});
/** Press the answer of an entry, and go on to the next one when the list is there again. */
const press =
  (...actions) =>
  (entry) => {
    const chosen = actions
      .map((action) => entry.querySelector(`:scope > .buttons [data-action=${action}]`))
      .find(Boolean);
    if (!chosen) {
      entry.querySelector("summary")?.click();
      return;
    }
    position = [...$("#list").children].indexOf(entry);
    chosen.click();
  };
useShortcuts($("#shortcuts"), {
  items: () => [...$("#list").children],
  item: ["entry", "#list > li"],
  keys: {
    d: ["Dismiss: another person", press("distinguish", "dismiss")],
    c: ["Confirm", press("confirm")],
    o: ["Open or close", (entry) => entry.querySelector("summary")?.click()],
  },
});
onConference(({ files }) => {
  lookedAt = files.includes("committee") || files.includes("scores");
});
begin(show, showRules);
