// The conflict table of a conference: found and declared, certain and possible; people confirm or dismiss what is possible.
import { $, field, html, items, onSubmit, plural, put } from "../dom.js";
import { useShortcuts } from "../editor/shortcuts.js";
import { begin, conflictCard, listed, newestOnly, noteButton, onConference, read, search, tryChange } from "./shell.js";

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
  const certain = { certain: true, other: false }[$("#which").value];
  const group = $("#group").value;
  const conflicts = await newest(read("/conflicts", { sort: group, limit: limit(), search: search(), certain }));
  if (!conflicts) return;
  const { rows, total } = conflicts;
  $("#lead").textContent = !lookedAt
    ? "Conflicts are looked for as soon as there are submissions and a committee, or scores."
    : `${plural(conflicts.certain, "pair")} with a certain conflict, ${plural(conflicts.possible, "pair")} with a possible one that nobody has settled. Possible conflicts are not assigned until somebody dismisses them.`;
  put($("#unchecked"), items(conflicts.unchecked));
  const cards =
    group === "paper"
      ? rows.map((row) => conflictCard(row.conflict, `${row.name} and “${row.title}”`))
      : [...Map.groupBy(rows, group === "author" ? authorOf : ({ conflict }) => conflict.reviewer)].map((entry) =>
          groupCard(group === "author", ...entry),
        );
  put($("#list"), cards.length ? cards : html`<li class="help">None.</li>`);
  if (position >= 0 && cards.length) {
    // answered by a key: the next entry has the focus
    const next = $("#list").children[Math.min(position, cards.length - 1)];
    next.tabIndex = -1;
    next.focus();
    position = -1;
  }
  $("#more").hidden = total <= rows.length || limit() >= 500;
  $("#status").textContent = plural(total, "conflict");
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

/** One entry for a person or an author, with one answer for all open conflicts of one kind; a pair with reasons of two kinds is looked at alone. */
function groupCard(byAuthor, key, rows) {
  const holds = (kind) => rows.some(({ conflict }) => conflict[kind]);
  const name = byAuthor ? key || "Rests on no author's name" : rows[0].name;
  const open = rows.filter(
    ({ conflict }) => conflict.possible && (byAuthor || new Set(conflict.reasons.map(({ kind }) => kind)).size === 1),
  );
  const counts = `${plural(rows.length, byAuthor ? "pair" : "paper")}${open.length ? `, ${open.length.toLocaleString("en")} open` : ""}`;
  const kinds = Map.groupBy(open, ({ conflict }) => (byAuthor ? "name" : conflict.reasons[0].kind));
  const card = ({ conflict, name: person, title }) =>
    conflictCard(conflict, byAuthor ? `${person} and “${title}”` : `“${title}”`);
  return html`
    <li class="conflict ${["possible", "certain"].find(holds) ?? "dismissed"}" ...${{ [byAuthor ? "data-author" : "data-person"]: key }}>
      <details>
        <summary><strong>${name}</strong> · ${counts}</summary>
        <ul class="conflict-list">${rows.map(card)}</ul>
      </details>
      ${(!byAuthor || key) && [...kinds].map((entry) => answers(byAuthor, ...entry))}
    </li>`;
}

/** What can be said of all conflicts of one kind at once. */
function answers(byAuthor, kind, rows) {
  const [words, dismissal] = KINDS[kind];
  const pairs = rows.map(({ conflict }) => [conflict.submission, conflict.reviewer]);
  const answer = (label, body, done) => noteButton(`${label} (${rows.length.toLocaleString("en")})`, body, done);
  const another = (byAuthor || kind === "author") && rows.every(byName); // who is meant is known by id, so the answer holds for later submissions
  return html`
    <div class="buttons">
      <span>${words} ${plural(rows.length, byAuthor ? "pair" : "paper")}</span>
      ${
        another
          ? answer(
              byAuthor ? "Nobody here is this author" : "Another person",
              { action: "distinguish", namesakes: namesakes(rows) },
              "Dismissed, also for later submissions.",
            )
          : answer(dismissal, { action: "dismiss", pairs }, "Dismissed: the pairs may be assigned.")
      }
      ${answer("Confirm", { action: "confirm", pairs }, "Confirmed: the pairs will not be assigned.")}
    </div>`;
}

async function showRules() {
  const rules = await read("/conflicts/rules");
  for (const [key, value] of Object.entries(rules)) $(`#${key}`).value = value ?? "";
}

const years = (key, label) => {
  const control = html`<input id=${key} type="number" min="0" max="100" inputmode="numeric" />`;
  return field(label, control, "years; empty: not looked for");
};
$("#rules").prepend(
  years("coauthor_years", "Co-authors of the last"),
  years("institution_years", "Colleagues of the last"),
);
onSubmit($("#rules"), () => {
  const rule = (key) => [key, $(`#${key}`).value === "" ? null : Number($(`#${key}`).value)];
  const json = Object.fromEntries(["coauthor_years", "institution_years"].map(rule));
  tryChange("PUT", "/conflicts/rules", { json }, "Conflicts were looked for again.");
});
const unfold = (entry) => $("summary", entry)?.click();
/** Press the answer of an entry, and go on to the next one when the list is there again. */
const press =
  (...actions) =>
  (entry) => {
    const chosen = actions.map((action) => $(`:scope > .buttons [data-action=${action}]`, entry)).find(Boolean);
    if (!chosen) {
      unfold(entry);
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
    o: ["Open or close", unfold],
  },
});
onConference(({ files }) => {
  lookedAt = files.includes("committee") || files.includes("scores");
});
begin(show, showRules);
