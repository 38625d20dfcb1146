// The page that finds reviewers.
import { $, afterPause, el, onClick, pageParts, plural, reveal, toast, trying } from "./dom.js";
import { askJson, Problem, save } from "./api.js";
import { authors, complain, fillForm, fillFrom, form, readForm, retype, typed } from "./form.js";
import { addDeskNotes, asText, card, conflicts, institution } from "./cards.js";
import { comparePath, copyText, fromQuery, ON_PANEL, personPath } from "./editor/desk.js";
import { Keeping } from "./editor/keeping.js";
import { useShortcuts } from "./editor/shortcuts.js";
import { remember, remembered } from "./session.js";

const slider = $("#diversity");
const usual = slider.value;
const MOST_SHOWN = 200; // of those excluded: a committee may have thousands
const page = pageParts(["empty", "loading", "failure", "panel"], () => {
  if (!lookup) {
    location.reload();
    return;
  } // a kept submission could not be read
  page.show("loading");
  update();
});

let lookup = null; // the submission and options of the panel that is shown
let panel = null;
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
    return complain(
      new Problem("Give a title or an abstract first.", 422, [{ field: "submission.title", message: "" }]),
    );
  try {
    await authors.take();
  } catch (problem) {
    return complain(problem);
  }
  const next = readForm();
  const text = ({ title, abstract }) => `${title}\n${abstract}`;
  const same = lookup && text(next.submission) === text(lookup.submission);
  const handed = !lookup && conference; // with its committee to exclude
  lookup = next;
  if (!same) {
    if (!handed) forgetChoices();
    page.show("loading");
  }
  say("Searching …");
  if (!(await update())) return;
  keeping.update(request());
  if (!matchMedia("(min-width: 64rem)").matches) $("#results").scrollIntoView({ behavior: "smooth" });
}

/** Ask for the panel as it should be now; true when it is shown. */
async function update() {
  running?.abort();
  const own = new AbortController();
  running = own;
  $("#panel").classList.add("updating");
  try {
    panel = await askJson("POST", "reviewers", { json: request(), signal: own.signal });
    render();
    readDeskNotes();
    return true;
  } catch (problem) {
    if (problem.name !== "AbortError") fail(problem);
    return false;
  } finally {
    if (running === own) $("#panel").classList.remove("updating");
  }
}

function fail(problem) {
  say("");
  if (problem.status === 422) {
    complain(problem);
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
  const { matches, diversity } = panel;
  $("#printed").textContent = `Reviewers for “${lookup.submission.title || lookup.submission.abstract.slice(0, 80)}”`;
  const none = panel.coverage === "none";
  $("#count").textContent = none
    ? "Nobody here works on this"
    : matches.length
      ? plural(matches.length, "reviewer")
      : "Nobody fits";
  const good = panel.coverage === "good" || !panel.coverage;
  $("#rests").hidden = good;
  $("#rests").textContent = panel.evidence;
  $("#nearest").open = !none;
  $("#nearest").className = none ? "fold" : "";
  $("#nearest summary").hidden = !none;
  $("#nearest summary").textContent =
    `The nearest ${plural(matches.length, "person", "people")}, who hardly work on it`;
  $("#facts").textContent =
    matches.length && !none
      ? `${plural(diversity.institutions, "institution")}, ${plural(diversity.countries, "country", "countries")}${good ? `; ${panel.evidence}` : ""}`
      : "";
  const notes = matches.length
    ? panel.notes
    : [...panel.notes, "Loosen the filters in the options, or give more text to compare."];
  $("#notes").replaceChildren(...notes.map((note) => el("li", {}, note)));
  showSlider();
  showChecked();
  showHeld();
  const focused = document.activeElement?.closest?.(".card")?.dataset.id;
  $("#cards").replaceChildren(
    ...matches.map((match) =>
      card(match, {
        listed: shortlist.has(match.author.id),
        open: opened.has(match.author.id),
        onlist: () => toggle(match),
        onexclude: () => exclude(match),
        onopen: (open) => (open ? opened.add(match.author.id) : opened.delete(match.author.id)),
      }),
    ),
  );
  showDeskNotes();
  if (focused) $(`#cards [data-id="${CSS.escape(focused)}"] .shortlisted`)?.focus();
  showShortlist();
  showAbsent();
  say(
    none
      ? "Nobody here works on this"
      : `${plural(matches.length, "reviewer")} from ${plural(diversity.institutions, "institution")} in ${plural(diversity.countries, "country", "countries")}`,
  );
}

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

/** How conflicts of interest stand: always in the same place, and never silent. */
function showChecked() {
  const { authors: count, matched, by_name: named, missing, unchecked } = panel.conflicts_checked;
  const off = lookup.options.conflicts === "ignore";
  const waiting = authors.waiting().length;
  const open = named.length - waiting;
  const parts = [
    `${plural(count, "author")} given`,
    `${matched.length} matched`,
    waiting
      ? el(
          "button",
          { type: "button", class: "link", onclick: () => authors.ask(authors.waiting(), true) },
          `${waiting} need${waiting === 1 ? "s" : ""} your answer`,
        )
      : null,
    open > 0 ? `${open} by name only` : null,
    missing.length ? `${missing.length} not in the corpus` : null,
    `not checked: ${unchecked.join(", ") || "advisors"}`,
  ].filter(Boolean);
  const add = el("button", { type: "button", class: "link", onclick: () => $("#author").focus() }, "add the authors");
  const nothing = count > 0 && !matched.length && !named.length;
  if (nothing)
    parts.splice(
      0,
      2,
      el(
        "strong",
        {},
        `${authors.institutions.length ? "Only institutions were" : "Nothing was"} checked: 0 of ${plural(count, "author")} matched`,
      ),
    );
  const words = off
    ? ["Conflicts were not checked: the options say so"]
    : count
      ? parts.flatMap((part, at) => (at ? [" · ", part] : [part]))
      : ["Conflicts were not checked: ", add];
  $("#checked").className = off || !count || waiting || nothing ? "checked open" : "checked";
  $("#checked").replaceChildren(...words);
}

/** Those who may be authors by their names: on no panel until the editor says that they are other people. */
function showHeld() {
  const { held_back: held } = panel;
  $("#held").hidden = held.length === 0;
  $("#held p").textContent =
    held.length === 1
      ? "1 person may be an author, and is not on the panel:"
      : `${held.length} people may be authors, and are not on the panel:`;
  $("#held ul").replaceChildren(
    ...held.map(({ author, conflicts: reasons }) =>
      el(
        "li",
        {},
        el("a", { href: personPath(author.id) }, author.name),
        el("small", {}, ` ${reasons.find(({ kind }) => kind === "author").evidence} `),
        el(
          "button",
          {
            type: "button",
            "aria-label": `${author.name} is another person`,
            onclick: () => authors.distinguish(author),
          },
          "Another person",
        ),
        el(
          "button",
          { type: "button", "aria-label": `${author.name} is the author`, onclick: () => authors.identify(author) },
          "The author",
        ),
      ),
    ),
  );
}

function showShortlist() {
  const box = $("#shortlist");
  $("#join").hidden = conference === null;
  $("#join").textContent = conference ? `Add the short list to the committee of ${conference.name}` : "";
  box.hidden = shortlist.size === 0;
  $("ol", box).replaceChildren(
    ...[...shortlist.values()].map((match) =>
      el(
        "li",
        { title: institution(match) },
        match.author.name,
        el(
          "button",
          {
            type: "button",
            "aria-label": `Take ${match.author.name} off the short list`,
            onclick: () => toggle(match),
          },
          "×",
        ),
      ),
    ),
  );
  $("#scope option[value=shortlist]").disabled = shortlist.size === 0;
  $("#scope option[value=shortlist]").textContent = `the short list (${shortlist.size})`;
  if (shortlist.size === 0) $("#scope").value = "panel";
  $("#compare").hidden = shortlist.size < 2;
  if (shortlist.size > 1) $("#compare").href = comparePath(...[...shortlist.keys()].slice(0, 2));
}

/** How often the people on the panel were invited this year, and the notes about them: added to the rows later. */
async function readDeskNotes() {
  const shown = panel;
  try {
    const people = await askJson("POST", "desk/people", {
      json: { ids: shown.matches.map((match) => match.author.id) },
    });
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

/** Those who are not on the panel, folded: whom the editor excluded, and who has a conflict. */
function showAbsent() {
  const fold = (box, count, words, items) => {
    box.hidden = count === 0;
    $("summary", box).textContent = `${plural(count, "person", "people")} ${words}`;
    $("ul", box).replaceChildren(...items);
  };
  fold(
    $("#excluded"),
    excluded.size,
    "excluded by you",
    [...excluded.values()].slice(0, MOST_SHOWN).map((match) =>
      el(
        "li",
        { class: "line" },
        match.author.name,
        el("small", {}, match.institutions ? institution(match) : ""),
        el(
          "button",
          {
            type: "button",
            "aria-label": `Undo the exclusion of ${match.author.name}`,
            onclick: () => include(match),
          },
          "Undo",
        ),
      ),
    ),
  );
  fold(
    $("#hidden"),
    panel.hidden.length,
    "hidden for a conflict of interest",
    panel.hidden.map((match) => el("li", {}, el("strong", {}, match.author.name), conflicts(match.conflicts))),
  );
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
  for (const map of [shortlist, excluded]) map.clear();
  for (const { person, name, state } of keeping.kept.reviewers) {
    const match = matches.get(person) ?? {
      author: { id: person, name },
      institutions: [],
      papers: [],
      conflicts: [],
      paper_count: 0,
      citation_count: 0,
    };
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
  await trying(() =>
    keeping.keep({ submission, options: { ...options, exclude: [] } }, [...shortlist.keys()], [...excluded.keys()]),
  );
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
const exportAs = (format) =>
  save("POST", `reviewers/export?format=${format}`, {
    json: { ...request(), only: listedOnly() ? [...shortlist.keys()] : null },
  });
const copy = () =>
  copyText(
    asText(
      lookup.submission.title || lookup.submission.abstract.slice(0, 80),
      listedOnly() ? [...shortlist.values()] : panel.matches,
    ),
    "Copied as text",
  );

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
  if (old.kept) {
    await comeBack(old.kept, old);
    return;
  }
  retype(old);
  lookup = old.lookup ?? null;
  conference = old.conference ?? null;
  for (const [map, matches] of [
    [shortlist, old.shortlist],
    [excluded, old.excluded],
  ])
    for (const match of matches ?? []) map.set(match.author.id, match);
  if (lookup) {
    page.show("loading");
    await update();
  }
}

function clearForm() {
  const old = state();
  form.reset();
  retype({ values: { cited_file: "" } });
  complain(null);
  lookup = panel = null;
  forgetChoices();
  slider.value = usual;
  page.show("empty");
  say("");
  $("#title").focus();
  remember(null);
  if (old.lookup || old.people.length || old.values.title || old.values.abstract)
    toast("Cleared", { label: "Undo", run: () => takeBack(old) });
}

async function offerExamples() {
  const examples = await askJson("GET", "examples");
  if (!examples.length) return;
  $("#examples").hidden = false;
  const use = async ({ id, title, abstract, authors: people, author_names: names, institutions = [] }) => {
    for (const [field, text] of Object.entries({ title, abstract, identifier: id })) $(`#${field}`).value = text;
    await authors.set([...people, ...names.map((name) => ({ id: null, name }))], institutions);
    search();
  };
  const usePdf = async () => {
    const content = await (await fetch("/static/sample-manuscript.pdf")).blob();
    await fillFrom(new File([content], "sample-manuscript.pdf"));
    search();
  };
  const offered = [
    ["A paper that fits", examples[0].title, () => use(examples[0])],
    ["One that nobody here works on", examples[1].title, () => use(examples[1])],
    ["A PDF file", "title, authors, abstract and references are read from it", usePdf],
  ];
  $("#examples ul").replaceChildren(
    ...offered.map(([what, title, run]) =>
      el("li", {}, el("button", { type: "button", onclick: () => trying(run) }, el("strong", {}, what), `: ${title}`)),
    ),
  );
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    search();
  }
});
for (const event of ["input", "filled"]) form.addEventListener(event, showOld);
form.addEventListener("cited", () => {
  if (lookup && panel) search();
});
authors.changed = () => {
  if (lookup && panel) search();
}; // a panel is never older than what is known of conflicts
onClick({ clear: clearForm, copy, keep, join, print: () => print() });
slider.addEventListener("change", () => keeping.update(request()));
useShortcuts($("#shortcuts"), {
  items: () => [...document.querySelectorAll("#cards .card")],
  keys: {
    s: ["Short-list, or take off the short list", (card) => $(".shortlisted", card).click()],
    x: ["Exclude", (card) => $(".exclude", card).click()],
    o: ["Open the person's page", (card) => $("h3 a", card).click()],
    ArrowRight: [
      "Show the evidence",
      (card) => {
        if ($(".evidence", card).hidden) $(".opener", card).click();
      },
    ],
    ArrowLeft: [
      "Hide the evidence",
      (card) => {
        if (!$(".evidence", card).hidden) $(".opener", card).click();
      },
    ],
  },
  others: { "/": ["Go to the title", () => $("#title").focus()] },
});
for (const button of document.querySelectorAll("[data-format]"))
  button.addEventListener("click", () => exportAs(button.dataset.format));
document.addEventListener("click", (event) => {
  if (event.isTrusted)
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape")
    for (const menu of document.querySelectorAll(".menu[open]")) {
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
offerExamples().catch(() => {}); // the page is of use without them
