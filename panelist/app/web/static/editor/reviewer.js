// A person in the list of a kept submission: where they stand, since when, the note about them, and why they fit.
import { dayOf, html, options } from "../dom.js";
import { career, conflicts, institution, paperList } from "../cards.js";
import { contactLine, inDays, loadTag, personPath, STATES, today } from "./desk.js";
import { weeks } from "./invitation.js";

/**
 * A reviewer as the API has them, and why they fit: `match` is undefined where none of their papers was found.
 * `on` is {setState(state, days), remove(), invite(), compare(), compared, submission, note}.
 */
export function reviewerCard(reviewer, match, on) {
  const { person, name, state } = reviewer;
  const line = (words) => html`<p class="career">${words}</p>`;
  return html`
    <li class="card person-card state-${state}" data-id=${person} aria-labelledby="person-${person}" tabindex="-1">
      <div class="body">
        <div class="who">
          <div class="person">
            <h3 id="person-${person}"><a href=${personPath(person, on.submission)}>${name}</a></h3>
            ${match && html`<p class="institution">${institution(match)}</p>`}
            ${line(match ? career(match) : "None of their papers was found by this look-up.")}
            ${match?.history.map(line)}
            ${contactLine(reviewer.contact)}
          </div>
          ${standing(reviewer, on)}
        </div>
        <p class="tags">
          <span class="tag state state-${state}">${STATES[state]}${since(reviewer)}${awaited(reviewer)}</span>
          ${loadTag(reviewer.load)}
        </p>
        ${conflicts(reviewer.conflicts)}
        <div class="buttons no-print">
          ${
            state !== "excluded" &&
            html`<button type="button" class="invite" aria-label="Letter to ${name}" onclick=${on.invite}>Letter</button>`
          }
          <button type="button" class="compare" aria-pressed=${String(on.compared)} aria-label="Compare ${name}" onclick=${on.compare}>
            ${on.compared ? "✓ Compare" : "Compare"}
          </button>
          <button type="button" class="remove" aria-label="Take ${name} off the list" onclick=${on.remove}>Remove</button>
        </div>
        ${on.note}
        ${match?.papers.length > 0 && paperList(match)}
      </div>
    </li>`;
}

const since = ({ state, invited, answered }) => {
  if (state === "invited") return invited && [" ", dayOf(invited)];
  const dated = ["accepted", "done", "declined"].includes(state) && answered;
  return dated && [" ", dayOf(answered), ", asked ", dayOf(invited)];
};

const awaited = ({ due, reminder }) => [due && [" · due ", dayOf(due)], reminder && [" · reminder ", dayOf(reminder)]];

/** The days that are proposed to somebody who is invited: the report after the usual weeks, a reminder a week before. */
export const proposed = () => ({ due: inDays(7 * weeks()), reminder: inDays(7 * weeks() - 7) });

function standing({ person, name, state, invited, answered, due, reminder }, on) {
  const dated = ["invited", "accepted", "done", "declined"].includes(state);
  const awaits = ["invited", "accepted"].includes(state);
  const day = (state === "invited" ? invited : answered) ?? today();
  const stand = ({ target: { value } }) =>
    on.setState(value, { day: today(), ...(value === "invited" ? proposed() : {}) });
  const dayInput = (field, label, value, hidden = false) => {
    const change = ({ target }) => target.value && on.setState(state, { day, [field]: target.value });
    return html`<input class=${field} type="date" aria-label=${label} value=${value} hidden=${hidden} onchange=${change} />`;
  };
  const deadline = (field, label, value) =>
    awaits && html`<label class="deadline">${label}${dayInput(field, `${label} of ${name}`, value ?? "")}</label>`;
  return html`
    <div class="standing no-print" data-person=${person}>
      <select class="stands" aria-label="Where ${name} stands" onchange=${stand}>${options(Object.entries(STATES), state)}</select>
      ${dayInput("day", `Day for ${name}`, day, !dated)}
      ${deadline("due", "Report due", due)}
      ${deadline("reminder", "Reminder", reminder)}
    </div>`;
}
