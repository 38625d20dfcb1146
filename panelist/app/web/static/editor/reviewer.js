// A person in the list of a kept submission: where they stand, since when, the note about them, and why they fit.
import { dayOf, el, reveal, toast, trying } from "../dom.js";
import { askJson } from "../api.js";
import { career, conflicts, institution, paperList } from "../cards.js";
import { contactLine, inDays, loadTag, personPath, STATES, today } from "./desk.js";
import { weeks } from "./invitation.js";

/**
 * A reviewer as the API has them, and why they fit: `match` is undefined where none of their papers was found.
 * `on` is {setState(state, days), remove(), invite(), compare(), compared, submission, note}.
 */
export function reviewerCard(reviewer, match, on) {
  const { person, name, state } = reviewer;
  const heading = `person-${person}`;
  return el(
    "li",
    { class: `card person-card state-${state}`, "data-id": person, "aria-labelledby": heading, tabindex: "-1" },
    el(
      "div",
      { class: "body" },
      el(
        "div",
        { class: "who" },
        el(
          "div",
          { class: "person" },
          el("h3", { id: heading }, el("a", { href: personPath(person, on.submission) }, name)),
          match ? el("p", { class: "institution" }, institution(match)) : null,
          el("p", { class: "career" }, match ? career(match) : "None of their papers was found by this look-up."),
          match?.history.map((words) => el("p", { class: "career" }, words)),
          contactLine(reviewer.contact),
        ),
        standing(reviewer, on),
      ),
      el(
        "p",
        { class: "tags" },
        el("span", { class: `tag state state-${state}` }, STATES[state], since(reviewer), awaited(reviewer)),
        loadTag(reviewer.load),
      ),
      conflicts(reviewer.conflicts),
      el(
        "div",
        { class: "buttons no-print" },
        state === "excluded"
          ? null
          : el(
              "button",
              { type: "button", class: "invite", "aria-label": `Letter to ${name}`, onclick: on.invite },
              "Letter",
            ),
        el(
          "button",
          {
            type: "button",
            class: "compare",
            "aria-pressed": String(on.compared),
            "aria-label": `Compare ${name}`,
            onclick: on.compare,
          },
          on.compared ? "✓ Compare" : "Compare",
        ),
        el(
          "button",
          { type: "button", class: "remove", "aria-label": `Take ${name} off the list`, onclick: on.remove },
          "Remove",
        ),
      ),
      on.note,
      match && match.papers.length ? paperList(match) : null,
    ),
  );
}

const since = ({ state, invited, answered }) => {
  if (state === "invited" && invited) return [" ", dayOf(invited)];
  return ["accepted", "done", "declined"].includes(state) && answered
    ? [" ", dayOf(answered), ", asked ", dayOf(invited)]
    : [];
};

const awaited = ({ due, reminder }) => [
  ...(due ? [" · due ", dayOf(due)] : []),
  ...(reminder ? [" · reminder ", dayOf(reminder)] : []),
];

/** The days that are proposed to somebody who is invited: the report after the usual weeks, a reminder a week before. */
export const proposed = () => ({ due: inDays(7 * weeks()), reminder: inDays(7 * weeks() - 7) });

function standing({ person, name, state, invited, answered, due, reminder }, on) {
  const options = Object.entries(STATES).map(([value, text]) =>
    el("option", { value, selected: value === state }, text),
  );
  const select = el(
    "select",
    {
      class: "stands",
      "aria-label": `Where ${name} stands`,
      onchange: () => on.setState(select.value, { day: today(), ...(select.value === "invited" ? proposed() : {}) }),
    },
    options,
  );
  const since = (state === "invited" ? invited : answered) ?? today();
  const dayInput = (what, label, value, attributes = {}) =>
    el("input", {
      class: what,
      type: "date",
      "aria-label": label,
      value,
      ...attributes,
      onchange: ({ target }) => {
        if (target.value) on.setState(state, { day: since, [what]: target.value });
      },
    });
  const day = dayInput("day", `Day for ${name}`, since, {
    hidden: !["invited", "accepted", "done", "declined"].includes(state),
  });
  const deadline = (what, label, value) =>
    el("label", { class: "deadline" }, label, dayInput(what, `${label} of ${name}`, value ?? ""));
  const waited = ["invited", "accepted"].includes(state);
  return el(
    "div",
    { class: "standing no-print", "data-person": person },
    select,
    day,
    waited ? deadline("due", "Report due", due) : null,
    waited ? deadline("reminder", "Reminder", reminder) : null,
  );
}

/** The one note about a person; opened, it is read again, so that nobody writes over what another tab wrote. */
export function noteField(person, name, text) {
  const area = el("textarea", { rows: "3", maxlength: "5000", "aria-label": `Note about ${name}` });
  const theirs = el("p", { class: "problem", role: "alert", hidden: true });
  const summary = el("summary", {}, text ? "Note" : "Write a note");
  const printed = el("p", { class: "note-text" }, text);
  const route = encodeURIComponent(person);
  let revision = 0;
  area.value = text;
  const box = el(
    "details",
    { class: "note" },
    summary,
    area,
    theirs,
    el(
      "div",
      { class: "actions" },
      el("button", { type: "button", "aria-label": `Save the note about ${name}`, onclick: save }, "Save note"),
      el("span", { class: "help" }, "About this person, for all submissions. An empty note is erased."),
    ),
  );
  async function read() {
    const { note } = await askJson("GET", `desk/people/${route}`);
    revision = note.revision;
    return note.text;
  }
  box.addEventListener(
    "toggle",
    () =>
      box.open &&
      trying(async () => {
        const now = await read();
        if (area.value === text) area.value = now;
      }),
  );

  async function save() {
    theirs.hidden = true;
    try {
      const saved = await askJson("PUT", `desk/notes/${route}`, { json: { text: area.value, revision } });
      revision = saved.revision;
      printed.textContent = text = saved.text;
      summary.textContent = saved.text ? "Note" : "Write a note";
      toast(saved.text ? `Note about ${name} saved` : `Note about ${name} erased`);
    } catch (problem) {
      if (problem.status !== 409) {
        toast(problem.message);
        return;
      }
      const now = await read(); // the next save is meant, now that both texts were seen
      reveal(
        theirs,
        now
          ? `The note was changed elsewhere to: “${now}”. Your text is still here: join them, then save again.`
          : "The note was erased elsewhere. Save again to keep your text.",
      );
    }
  }
  return el("div", { class: "note-box" }, printed, box);
}
