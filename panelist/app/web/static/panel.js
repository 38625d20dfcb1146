// What is said about a panel beside its people: how many, what it rests on, how conflicts stand, and who is not on it.
import { $, html, items, plural, put } from "./dom.js";
import { conflicts, institution } from "./cards.js";
import { comparePath, personPath } from "./editor/desk.js";
import { authors } from "./form.js";
import { namesakes, traits } from "./people.js";

const MOST_SHOWN = 200; // of those excluded: a committee may have thousands

/** Say how many people there are and what that rests on; the same in words, for those who do not see it. */
export function showSummary({ matches, diversity, coverage, evidence, notes }) {
  const none = coverage === "none";
  const good = coverage === "good" || !coverage;
  const count = plural(matches.length, "reviewer");
  const institutions = plural(diversity.institutions, "institution");
  const countries = plural(diversity.countries, "country", "countries");
  const nobody = none ? "Nobody here works on this" : "Nobody fits";
  $("#count").textContent = none || !matches.length ? nobody : count;
  $("#rests").hidden = good;
  $("#rests").textContent = evidence;
  $("#nearest").open = !none;
  $("#nearest").className = none ? "fold" : "";
  $("#nearest summary").hidden = !none;
  $("#nearest summary").textContent =
    `The nearest ${plural(matches.length, "person", "people")}, who hardly work on it`;
  $("#facts").textContent =
    matches.length && !none ? `${institutions}, ${countries}${good ? `; ${evidence}` : ""}` : "";
  const advice = matches.length ? [] : ["Loosen the filters in the options, or give more text to compare."];
  put($("#notes"), items([...notes, ...advice]));
  return none ? nobody : `${count} from ${institutions} in ${countries}`;
}

/** How conflicts of interest stand: always in the same place, and never silent. */
export function showChecked({ authors: count, matched, by_name: named, missing, unchecked }, ignored) {
  const profiles = authors.otherProfiles().filter((id) => matched.includes(id)).length; // of authors who have several
  const waiting = authors.waiting().length;
  const open = named.length - waiting;
  const nothing = count > 0 && !matched.length && !named.length;
  const given = plural(count - profiles, "author");
  const link = (text, act) => html`<button type="button" class="link" onclick=${act}>${text}</button>`;
  const kinds = authors.institutions.length ? "Only institutions were" : "Nothing was";
  const asking = `${waiting} need${waiting === 1 ? "s" : ""} your answer`;
  const parts = [
    nothing ? html`<strong>${kinds} checked: 0 of ${given} matched</strong>` : `${given} given`,
    !nothing && `${matched.length - profiles} matched`,
    waiting > 0 && link(asking, () => authors.ask(authors.waiting(), true)),
    open > 0 && `${open} by name only`,
    missing.length > 0 && `${missing.length} not in the corpus`,
    `not checked: ${unchecked.join(", ") || "advisors"}`,
  ].filter(Boolean);
  const content = ignored
    ? "Conflicts were not checked: the options say so"
    : count
      ? parts.map((words, position) => [position > 0 && " · ", words])
      : ["Conflicts were not checked: ", link("add the authors", () => $("#author").focus())];
  $("#checked").className = ignored || !count || waiting || nothing ? "checked open" : "checked";
  put($("#checked"), content);
}

/** Those who may be authors by their names: on no panel until the editor says that they are other people. */
export function showHeld(held) {
  $("#held").hidden = held.length === 0;
  const several = `${held.length} people may be authors, and are not on the panel:`;
  $("#held p").textContent = held.length === 1 ? "1 person may be an author, and is not on the panel:" : several;
  const rows = held.map(heldRow);
  put($("#held ul"), rows);
  tellApart(held, rows).catch(() => {}); // the rows are of use without it
}

function heldRow({ author, conflicts: reasons }) {
  const { id, name } = author;
  const note = `held-${id}`;
  const act = (label, words, choose) =>
    html`<button type="button" aria-label="${name} ${label}" aria-describedby=${note} onclick=${() => choose(author)}>${words}</button>`;
  return html`
    <li>
      <a href=${personPath(id)}>${name}</a>
      <small id=${note}> ${reasons.find(({ kind }) => kind === "author").evidence} </small>
      ${act("is another person", "Another person", (person) => authors.distinguish(person))}
      ${act("is the author", "The author", (person) => authors.identify(person))}
    </li>`;
}

/** Say of several people of one name where they are and what they wrote: the corpus is asked. */
async function tellApart(held, rows) {
  const names = held.map(({ author }) => author.name);
  const called = [...authors.people.map(({ name }) => name), ...names];
  const shared = new Set(names.filter((name) => called.indexOf(name) < called.lastIndexOf(name)));
  const people = (await Promise.all([...shared].map(namesakes))).flat();
  held.forEach(({ author }, position) => {
    const person = people.find((other) => other.author.id === author.id);
    if (person) $("small", rows[position]).prepend(` (${traits(person)})`);
  });
}

/** The short list, and what can be done with it. */
export function showShortlist(shortlist, conference, remove) {
  const matches = [...shortlist.values()];
  $("#join").hidden = conference === null;
  $("#join").textContent = conference ? `Add the short list to the committee of ${conference.name}` : "";
  $("#shortlist").hidden = matches.length === 0;
  const entry = (match) => {
    const { name } = match.author;
    return html`
      <li title=${institution(match)}>
        ${name}
        <button type="button" aria-label="Take ${name} off the short list" onclick=${() => remove(match)}>×</button>
      </li>`;
  };
  put($("#shortlist ol"), matches.map(entry));
  $("#compare").hidden = matches.length < 2;
  if (matches.length > 1) $("#compare").href = comparePath(matches[0].author.id, matches[1].author.id);
  $("#scope option[value=shortlist]").disabled = matches.length === 0;
  $("#scope option[value=shortlist]").textContent = `the short list (${matches.length})`;
  if (matches.length === 0) $("#scope").value = "panel";
}

/** Those who are not on the panel, folded: whom the editor excluded, and who has a conflict. */
export function showAbsent(excluded, hidden, include) {
  const fold = (box, count, words, entries) => {
    box.hidden = count === 0;
    $("summary", box).textContent = `${plural(count, "person", "people")} ${words}`;
    put($("ul", box), entries);
  };
  const undo = (match) => html`
    <li class="line">
      ${match.author.name}
      <small>${match.institutions ? institution(match) : ""}</small>
      <button type="button" aria-label="Undo the exclusion of ${match.author.name}" onclick=${() => include(match)}>Undo</button>
    </li>`;
  const first = [...excluded.values()].slice(0, MOST_SHOWN);
  fold($("#excluded"), excluded.size, "excluded by you", first.map(undo));
  const reasons = hidden.map(
    (match) => html`<li><strong>${match.author.name}</strong>${conflicts(match.conflicts)}</li>`,
  );
  fold($("#hidden"), hidden.length, "hidden for a conflict of interest", reasons);
}
