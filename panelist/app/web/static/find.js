// The page that finds reviewers.
import { $, afterPause, onClick, onSubmit, pageParts, put, reveal, toast, trying } from "./dom.js";
import { askJson, Problem, save } from "./api.js";
import { authors, complain, fillForm, form, readForm, retype, typed } from "./form.js";
import { offerExamples } from "./examples.js";
import { addDeskNotes, asText, card } from "./cards.js";
import { showAbsent, showChecked, showHeld, showShortlist, showSummary } from "./panel.js";
import { copyText, fromQuery, ON_PANEL } from "./editor/desk.js";
import { Keeping } from "./editor/keeping.js";
import { useShortcuts } from "./editor/shortcuts.js";
import { remember, remembered } from "./session.js";

const slider = $("#diversity");
const usual = slider.value;
const page = pageParts(["empty", "loading", "failure", "panel"], () => {
  if (!lookup) return location.reload(); // a kept submission could not be read
  page.show("loading");
  update();
});

let lookup = null; // the submission and options of the panel that is shown
let panel = null;
let found = null; // the look-up of the panel that is there, while another one is asked for
let running = null; // the request under way, given up when a newer one begins
const excluded = new Map(); // id -> match
const shortlist = new Map(); // id -> match
const opened = new Set(); // ids of those whose evidence is shown
let deskNotes = new Map(); // id -> what the desk knows of them: load and note
let conference = null; // {id, name} for which people are looked for, to join its committee
const keeping = new Keeping((matches) => {
  takeUp(matches);
  update();
});

// Asking ---------------------------------------------------------------------------------------------------------

const request = () => ({
  submission: lookup.submission,
  options: { ...lookup.options, diversity: Number(slider.value), exclude: [...excluded.keys()] },
});

async function search() {
  complain(null);
  if (!$("#title").value.trim() && !$("#abstract").value.trim())
    return complain(new Problem("Give a title or an abstract first.", 422, [{ field: "title", message: "" }]));
  try {
    await authors.take();
  } catch (problem) {
    return complain(problem);
  }
  const next = readForm();
  const text = ({ title, abstract }) => `${title}\n${abstract}`;
  const other = !lookup || text(next.submission) !== text(lookup.submission);
  const handed = !lookup && conference; // with its committee to exclude
  lookup = next;
  if (other && !handed) forgetChoices();
  if (other) page.show("loading");
  say("Searching …");
  if (!(await update())) return;
  keeping.update(request());
  if (!matchMedia("(min-width: 64rem)").matches) $("#results").scrollIntoView({ behavior: "smooth" });
}

/** Ask for the panel as it should be now; true when it is shown. */
async function update() {
  running?.abort();
  const control = new AbortController();
  running = control;
  $("#panel").classList.add("updating");
  try {
    panel = await askJson("POST", "reviewers", { json: request(), signal: control.signal });
    found = lookup;
    render();
    readDeskNotes();
    return true;
  } catch (problem) {
    if (problem.name !== "AbortError") fail(problem);
    return false;
  } finally {
    if (running === control) $("#panel").classList.remove("updating");
  }
}

function fail(problem) {
  say("");
  if (problem.status === 422) {
    complain(problem);
    lookup = found;
    page.show(panel ? "panel" : "empty");
  } else {
    page.fail(problem);
    reveal($("#failure"));
  }
}

const say = (text) => {
  $("#status").textContent = text;
};

// Showing --------------------------------------------------------------------------------------------------------

function render() {
  page.show("panel");
  showOld();
  $("#printed").textContent = `Reviewers for “${title()}”`;
  const summary = showSummary(panel);
  showSlider();
  showChecked(panel.conflicts_checked, lookup.options.conflicts === "ignore");
  showHeld(panel.held_back);
  const focused = document.activeElement?.closest?.(".card")?.dataset.id;
  const rows = panel.matches.map((match) =>
    card(match, {
      listed: shortlist.has(match.author.id),
      open: opened.has(match.author.id),
      onlist: () => toggle(match),
      onexclude: () => exclude(match),
      onopen: (open) => (open ? opened.add(match.author.id) : opened.delete(match.author.id)),
    }),
  );
  put($("#cards"), rows);
  showDeskNotes();
  if (focused) $(`#cards [data-id="${CSS.escape(focused)}"] .shortlisted`)?.focus();
  showShortlist(shortlist, conference, toggle);
  showAbsent(excluded, panel.hidden, include);
  say(summary);
}

/** What the submission is called: its title, else how its abstract begins. */
const title = () => lookup.submission.title || lookup.submission.abstract.slice(0, 80);

/** Whether what is typed is another submission than that of the panel. */
function showOld() {
  const asked = ({ submission: { title, abstract, id, references }, options }) =>
    JSON.stringify([title, abstract, id, references, options]);
  $("#old").hidden = !panel || !lookup || asked(readForm()) === asked(lookup); // other authors are looked up at once
}

function showSlider() {
  const weight = Number(slider.value);
  $("#diversity-value").textContent = weight === 0 ? "off" : `λ ${weight.toFixed(2)}`;
  slider.setAttribute("aria-valuetext", weight === 0 ? "off, best matches" : `${Math.round(100 * weight)} percent`);
  $("#cost").textContent = panel
    ? `${Math.round(100 * panel.relevance_cost)}% of the plain ranking’s relevance is given up for variety.`
    : "";
}

/** How often the people on the panel were invited this year, and the notes about them: added to the rows later. */
async function readDeskNotes() {
  const shown = panel;
  try {
    const json = { ids: shown.matches.map((match) => match.author.id) };
    const people = await askJson("POST", "desk/people", { json });
    if (panel !== shown) return;
    deskNotes = new Map(people.map((about) => [about.person, about]));
    showDeskNotes();
  } catch {
    /* the panel is there without it */
  }
}

function showDeskNotes() {
  for (const row of $("#cards").children)
    if (deskNotes.has(row.dataset.id)) addDeskNotes(row, deskNotes.get(row.dataset.id));
}

// Choosing -------------------------------------------------------------------------------------------------------

async function toggle(match) {
  const { id } = match.author;
  if (!(await setState(match, shortlist.has(id) ? null : "shortlisted"))) return;
  if (!shortlist.delete(id)) shortlist.set(id, match);
  render();
}

async function exclude(match) {
  const { id, name } = match.author;
  if (!(await setState(match, "excluded"))) return;
  excluded.set(id, match);
  shortlist.delete(id);
  toast(`${name} is excluded`, { label: "Undo", run: () => include(match) });
  update();
}

async function include(match) {
  if (!(await setState(match, null))) return;
  excluded.delete(match.author.id);
  update();
}

/** Move somebody in the kept list, if there is one; who was invited stays where they are. */
async function setState({ author: { id, name } }, state) {
  if (!keeping.isInvited(id)) return keeping.setState(id, state);
  toast(`${name} was invited already: open the kept submission to change that.`);
  return false;
}

function forgetChoices() {
  for (const chosen of [shortlist, excluded, opened]) chosen.clear();
  conference = null;
  keeping.detach();
}

/** Show the list of a kept submission, whose members match like this. */
function takeUp(matches) {
  const unknown = { institutions: [], papers: [], conflicts: [], paper_count: 0, citation_count: 0 };
  for (const map of [shortlist, excluded]) map.clear();
  for (const { person, name, state } of keeping.kept.reviewers) {
    const match = matches.get(person) ?? { author: { id: person, name }, ...unknown };
    (ON_PANEL.includes(state) ? shortlist : excluded).set(person, match);
  }
}

/** The short list joins the committee of the conference from which somebody came here. */
const join = () =>
  trying(async () => {
    await askJson("POST", `conferences/${conference.id}/committee`, { json: { people: [...shortlist.keys()] } });
    location.assign(`/conferences/${conference.id}/people`);
  });

async function keep() {
  $("#keep").disabled = true;
  const { submission, options } = request();
  const kept = { submission, options: { ...options, exclude: [] } };
  await trying(() => keeping.keep(kept, [...shortlist.keys()], [...excluded.keys()]));
  $("#keep").disabled = false;
}

/** Come back to a kept submission: its look-up in the form, its list, and the panel of today. */
async function comeBack(id, state = null) {
  page.show("loading");
  try {
    const matches = await keeping.open(id);
    const { submission, options } = keeping.kept;
    history.replaceState(null, "", `/?submission=${encodeURIComponent(id)}`);
    fillForm(submission, options);
    lookup = readForm();
    takeUp(matches);
    if (state) retype(state);
    await update();
  } catch (problem) {
    if (problem.status === 404 && state) {
      keeping.detach();
      await takeBack({ ...state, kept: null });
    } else fail(problem);
  }
}

// Taking away ----------------------------------------------------------------------------------------------------

const listedOnly = () => $("#scope").value === "shortlist";
function exportAs(format) {
  const json = { ...request(), only: listedOnly() ? [...shortlist.keys()] : null };
  save("POST", `reviewers/export?format=${format}`, { json });
}
const copy = () => copyText(asText(title(), listedOnly() ? [...shortlist.values()] : panel.matches), "Copied as text");

// Remembering ----------------------------------------------------------------------------------------------------

const state = () => ({
  ...typed(),
  lookup,
  diversity: slider.value,
  shortlist: [...shortlist.values()],
  excluded: [...excluded.values()],
  kept: keeping.kept?.id ?? null,
  conference,
});

/** Bring back what was typed and chosen, and look up again what had been looked up. */
async function takeBack(old) {
  slider.value = old.diversity ?? usual;
  if (old.kept) return comeBack(old.kept, old);
  retype(old);
  lookup = old.lookup ?? null;
  conference = old.conference ?? null;
  for (const match of old.shortlist ?? []) shortlist.set(match.author.id, match);
  for (const match of old.excluded ?? []) excluded.set(match.author.id, match);
  if (!lookup) return;
  page.show("loading");
  await update();
}

function clearForm() {
  const old = state();
  form.reset();
  retype({ values: { cited_file: "" } });
  complain(null);
  lookup = panel = found = null;
  forgetChoices();
  slider.value = usual;
  page.show("empty");
  say("");
  $("#title").focus();
  remember(null);
  if (old.lookup || old.people.length || old.values.title || old.values.abstract)
    toast("Cleared", { label: "Undo", run: () => takeBack(old) });
}

/** Search again for a panel that is shown: it is never older than what is known of conflicts and references. */
function searchAgain() {
  if (lookup && panel) search();
}

onSubmit(form, search);
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    search();
  }
});
for (const event of ["input", "filled"]) form.addEventListener(event, showOld);
form.addEventListener("cited", searchAgain);
authors.changed = searchAgain;
onClick({ clear: clearForm, copy, keep, join, print: () => print() });
slider.addEventListener("change", () => keeping.update(request()));
const openEvidence = (open) => (card) => {
  if ($(".evidence", card).hidden === open) $(".opener", card).click();
};
useShortcuts($("#shortcuts"), {
  items: () => [...document.querySelectorAll("#cards .card")],
  keys: {
    s: ["Short-list, or take off the short list", (card) => $(".shortlisted", card).click()],
    x: ["Exclude", (card) => $(".exclude", card).click()],
    o: ["Open the person's page", (card) => $("h3 a", card).click()],
    ArrowRight: ["Show the evidence", openEvidence(true)],
    ArrowLeft: ["Hide the evidence", openEvidence(false)],
  },
  others: { "/": ["Go to the title", () => $("#title").focus()] },
});
for (const button of document.querySelectorAll("[data-format]"))
  button.addEventListener("click", () => exportAs(button.dataset.format));
const openMenus = () => document.querySelectorAll(".menu[open]");
document.addEventListener("click", (event) => {
  if (!event.isTrusted) return;
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    $("summary", menu).focus();
  }
});
slider.addEventListener("input", showSlider);
slider.addEventListener("input", afterPause(update, 120));
addEventListener("pagehide", () => remember(state()));
showSlider();
keeping.show();
const before = remembered();
const requested = fromQuery("submission");
if (requested && requested !== before?.kept) comeBack(requested);
else if (before) takeBack(before).catch(fail);
offerExamples(search).catch(() => {}); // the page is of use without them
