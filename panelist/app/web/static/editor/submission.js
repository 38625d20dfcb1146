// One kept submission: its panel, who declined, and whom to ask next.
import { $, dayOf, html, onClick, onSubmit, pageParts, plural, put, toast, trying } from "../dom.js";
import { ask, askJson } from "../api.js";
import { conflicts, institution, paperList } from "../cards.js";
import {
  attempt,
  comparePath,
  confirmErasing,
  fromPath,
  ON_PANEL,
  onReturn,
  personPath,
  reviewerRoute,
} from "./desk.js";
import { showInvitation } from "./invitation.js";
import { noteField } from "./note.js";
import { proposed, reviewerCard } from "./reviewer.js";
import { useShortcuts } from "./shortcuts.js";

const id = fromPath("/submissions/");
const route = `submissions/${encodeURIComponent(id)}`;
const page = pageParts(["loading", "failure", "whole"], load);
let kept = null;
let matches = new Map(); // id -> why they fit; undefined for those of whom no paper was found
let compared = [];
let suggested = []; // whom to ask next
const notes = new Map(); // id -> the field of the note, kept while it is open so that no draft is lost

async function load() {
  try {
    kept = await askJson("GET", route);
    render();
    await trying(explain);
  } catch (problem) {
    page.fail(problem);
  }
}

/** The look-up of everybody in the list, and of whom to ask next: slower than the list itself, so it comes after it. */
async function explain() {
  if (kept.reviewers.some(({ person }) => !matches.has(person))) {
    const panel = await askJson("GET", `${route}/panel`);
    const found = (id) => panel.matches.find((match) => match.author.id === id);
    matches = new Map(kept.reviewers.map(({ person }) => [person, found(person)]));
    render();
  }
  suggested = await askJson("GET", `${route}/suggestions`);
  const none = html`<li class="meta">Nobody else was found: look up again with wider options.</li>`;
  put($("#next"), suggested.length ? suggested.map(suggestion) : none);
}

function render() {
  page.show("whole");
  document.title = `${kept.title} · Panelist`;
  $("#title").textContent = kept.title;
  const number = kept.submission.id === "submission" ? "" : `${kept.submission.id} · `;
  put($("#meta"), number, "kept ", dayOf(kept.created), ", changed ", dayOf(kept.changed));
  $("#again").href = `/?submission=${encodeURIComponent(id)}`;
  $("#abstract").textContent = kept.submission.abstract || "No abstract was given.";
  const authors = [...kept.submission.authors.map(({ name, id: key }) => name || key), ...kept.submission.author_names];
  $("#authors").textContent = authors.length ? `Authors: ${authors.join(", ")}` : "No authors were given.";
  const focused = document.activeElement?.closest?.("[data-id]")?.dataset.id;
  const control = document.activeElement?.matches("textarea") ? "note textarea" : document.activeElement?.classList[0];
  const listed = kept.reviewers.filter(({ state }) => ON_PANEL.includes(state));
  const refused = kept.reviewers.filter(({ state }) => !ON_PANEL.includes(state));
  put($("#panel"), listed.map(entry));
  put($("#refused"), refused.map(entry));
  $("#nobody").hidden = listed.length > 0;
  $("#gone").hidden = refused.length === 0;
  showFacts(listed);
  showEditors();
  if (focused && control) {
    const card = `.person-card[data-id="${CSS.escape(focused)}"]`;
    $(`${card} .${control}, ${card}.${control}`)?.focus();
  }
  $("#compare").hidden = compared.length !== 2;
  if (compared.length === 2) $("#compare").href = comparePath(...compared, id);
}

function showEditors() {
  const entry = (name) => {
    const remove = () => share("DELETE", name);
    return html`
      <li>${name} <button type="button" aria-label="Do not share with ${name}" onclick=${remove}>Remove</button></li>`;
  };
  $("#sharing").hidden = kept.editors === null;
  put($("#editors"), kept.editors?.map(entry));
}

/** Change something of this submission, and show how it is then. Returns whether it was changed. */
async function change(act) {
  const done = await attempt(act, load);
  if (done) await load();
  return done;
}

const share = (method, name) => change(() => ask(method, `${route}/editors/${encodeURIComponent(name)}`));

function showFacts(listed) {
  const count = (wanted) => listed.filter(({ state }) => state === wanted).length;
  const people = plural(listed.length, "person", "people");
  const parts = [people, `${count("invited")} invited`, `${count("accepted")} accepted`];
  const places = listed.map(({ person }) => matches.get(person)?.institutions[0]).filter(Boolean);
  const institutions = new Set(places.map(({ ror, name }) => ror ?? name)).size;
  const countries = new Set(places.map(({ country }) => country).filter(Boolean)).size;
  if (institutions) parts.push(plural(institutions, "institution"));
  if (countries) parts.push(plural(countries, "country", "countries"));
  $("#facts").textContent = parts.join(" · ");
  $("#status").textContent = parts.join(", ");
}

function entry(reviewer) {
  const match = matches.get(reviewer.person);
  return reviewerCard(reviewer, match, {
    submission: id,
    compared: compared.includes(reviewer.person),
    setState: (state, days) => setState(reviewer, state, days),
    remove: () => remove(reviewer),
    compare: () => compare(reviewer.person),
    note: note(reviewer),
    invite: () =>
      showInvitation({
        ...reviewer,
        title: kept.title,
        abstract: kept.submission.abstract,
        papers: match?.papers ?? [],
        email: reviewer.contact?.email,
        onaddress: load,
        oninvited: () => setState(reviewer, "invited", proposed()),
      }),
  });
}

function note({ person, name, note: text }) {
  const old = notes.get(person);
  if (!old || !$("details", old).open) notes.set(person, noteField(person, name, text));
  return notes.get(person);
}

const novelties = ({ new_institution: newInstitution, new_country: newCountry }) =>
  [newCountry && "a new country", newInstitution && "a new institution"].filter(Boolean);

function suggestion(suggested) {
  const { match } = suggested;
  const { name, id: person } = match.author;
  const adds = novelties(suggested);
  const take = () => setState({ person, name, revision: 0 }, "shortlisted");
  return html`
    <li class="card" data-id=${person}>
      <div class="body">
        <div class="who">
          <div class="person">
            <h3><a href=${personPath(person, id)}>${name}</a></h3>
            <p class="institution">${institution(match)}</p>
            ${adds.length > 0 && html`<p class="career">Adds ${adds.join(" and ")} to the panel.</p>`}
            ${match.history.map((words) => html`<p class="career">${words}</p>`)}
          </div>
          <div class="buttons">
            <button type="button" class="take" aria-label="Short-list ${name}" onclick=${take}>Short-list</button>
          </div>
        </div>
        ${paperList(match)}
      </div>
    </li>`;
}

/** Past editors who could handle it, asked for when they are wanted. */
async function showHandlers() {
  const said = (words) => html`<li class="meta">${words}</li>`;
  const handler = (match) => html`
    <li>
      <a href=${personPath(match.author.id, id)}>${match.author.name}</a>, ${institution(match)}
      ${match.history.map((words) => html`<p class="meta">${words}</p>`)}
      ${conflicts(match.conflicts)}
    </li>`;
  let entries;
  try {
    const found = await askJson("GET", `${route}/editors`);
    entries = found.length ? found.map(handler) : [said("Nobody who edited before fits.")];
  } catch ({ status, message }) {
    const none = "No editor is known yet: import a report that names them on the page of kept submissions.";
    entries = [said(status === 422 ? none : message)];
  }
  put($("#handlers"), entries);
}

async function setState({ person, name, revision }, state, days = {}) {
  const done = await change(() => askJson("PUT", reviewerRoute(id, person), { json: { state, revision, ...days } }));
  if (done && state === "declined" && suggested.length) proposeNext(name);
}

/** Who could be asked instead of somebody who declined, and why. */
function proposeNext(name) {
  const { match } = suggested[0];
  const reasons = [...novelties(suggested[0]), ...match.papers.slice(0, 1).map(({ title }) => `“${title}”`)];
  const take = () => setState({ person: match.author.id, name: match.author.name, revision: 0 }, "shortlisted");
  toast(`${name} declined. Next on the list: ${match.author.name} (${reasons.join(", ")})`, {
    label: "Short-list",
    run: take,
  });
}

const remove = (reviewer) =>
  change(async () => {
    const { person, name, state, revision, answered, invited, due, reminder } = reviewer;
    await ask("DELETE", `${reviewerRoute(id, person)}?revision=${revision}`);
    compared = compared.filter((other) => other !== person);
    toast(`${name} is off the list`, {
      label: "Undo",
      run: () => setState({ ...reviewer, revision: 0 }, state, { day: answered ?? invited, due, reminder }),
    });
  });

function compare(person) {
  compared = compared.includes(person) ? compared.filter((other) => other !== person) : [...compared, person].slice(-2);
  render();
}

async function forget() {
  const text =
    "The title, the abstract, the list and its dates are erased from this desk. Files that were exported, and backups of the workspace, are not.";
  if (!(await confirmErasing("Forget this submission?", text, "Forget it"))) return;
  await ask("DELETE", route);
  location.assign("/submissions");
}

onSubmit($("#sharing form"), () =>
  share("PUT", $("#share-with").value).then(() => {
    $("#share-with").value = "";
  }),
);
$("#handling").addEventListener("toggle", ({ target }) => {
  if (target.open) showHandlers();
});
onClick({ forget: () => trying(forget), print: () => print() });
function openNote(card) {
  const box = $(".note", card);
  if (!box) return;
  box.open = true;
  $("textarea", box).focus();
}
useShortcuts($("#shortcuts"), {
  items: () => [...document.querySelectorAll("#panel .card, #next .card, #refused .card")],
  keys: {
    i: ["Letter", (card) => $(".invite", card)?.click()],
    n: ["Write a note", openNote],
    s: ["Short-list a suggestion", (card) => $(".take", card)?.click()],
    c: ["Compare with another person", (card) => $(".compare", card)?.click()],
  },
});
onReturn(load);
load();
