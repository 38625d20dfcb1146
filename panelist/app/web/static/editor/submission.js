// One kept submission: its panel, who declined, and whom to ask next.
import { $, dayOf, el, plural, showOnly, toast } from "../dom.js";
import { ask, askJson } from "../api.js";
import { institution, paperList } from "../cards.js";
import { attempt, comparePath, confirmErasing, fromPath, ON_PANEL, onReturn, personPath, reviewerRoute } from "./desk.js";
import { showInvitation } from "./invitation.js";
import { noteField, proposed, reviewerCard } from "./reviewer.js";
import { useShortcuts } from "./shortcuts.js";

const id = fromPath("/submissions/");
const views = { loading: $("#loading"), failure: $("#failure"), whole: $("#whole") };
let kept = null;
let matches = new Map(); // id -> why they fit; undefined for those of whom no paper was found
let compared = [];
const notes = new Map(); // id -> the field of the note, kept while it is open so that no draft is lost

async function load() {
  try {
    kept = await askJson("GET", `submissions/${encodeURIComponent(id)}`);
    render();
    await explain();
  } catch (problem) {
    $("p", views.failure).textContent = problem.message;
    showOnly("failure", views);
  }
}

/** The look-up of everybody in the list, and of whom to ask next: slower than the list itself, so it comes after it. */
async function explain() {
  const route = `submissions/${encodeURIComponent(id)}`;
  try {
    if (kept.reviewers.some((one) => !matches.has(one.person))) {
      const panel = await askJson("GET", `${route}/panel`);
      matches = new Map(kept.reviewers.map((one) => [one.person, panel.matches.find((match) => match.author.id === one.person)]));
      render();
    }
    const suggested = await askJson("GET", `${route}/suggestions`);
    $("#next").replaceChildren(...suggested.map(suggestion));
    if (!suggested.length) $("#next").replaceChildren(el("li", { class: "meta" }, "Nobody else was found: look up again with wider options."));
  } catch (problem) {
    toast(problem.message);
  }
}

function render() {
  showOnly("whole", views);
  document.title = `${kept.title} · Panelist`;
  $("#title").textContent = kept.title;
  const number = kept.submission.id === "submission" ? "" : `${kept.submission.id} · `;
  $("#meta").replaceChildren(number, "kept ", dayOf(kept.created), ", changed ", dayOf(kept.changed));
  $("#again").href = `/?submission=${encodeURIComponent(id)}`;
  $("#abstract").textContent = kept.submission.abstract || "No abstract was given.";
  const authors = [...kept.submission.authors.map(({ name, id: key }) => name || key), ...kept.submission.author_names];
  $("#authors").textContent = authors.length ? `Authors: ${authors.join(", ")}` : "No authors were given.";
  const focused = document.activeElement?.closest?.("[data-id]")?.dataset.id;
  const control = document.activeElement?.matches("textarea") ? "note textarea" : document.activeElement?.classList[0];
  const on = kept.reviewers.filter((one) => ON_PANEL.includes(one.state));
  const gone = kept.reviewers.filter((one) => !ON_PANEL.includes(one.state));
  $("#panel").replaceChildren(...on.map(entry));
  $("#refused").replaceChildren(...gone.map(entry));
  $("#nobody").hidden = on.length > 0;
  $("#gone").hidden = gone.length === 0;
  showFacts(on);
  showEditors();
  if (focused && control) $(`.person-card[data-id="${CSS.escape(focused)}"] .${control}, .person-card.${control}[data-id="${CSS.escape(focused)}"]`)?.focus();
  showCompared();
}

function showEditors() {
  $("#sharing").hidden = kept.editors === null;
  $("#editors").replaceChildren(...(kept.editors ?? []).map((name) => el("li", {}, `${name} `,
    el("button", { type: "button", "aria-label": `Do not share with ${name}`, onclick: () => share("DELETE", name) }, "Remove"))));
}

async function share(method, name) {
  const route = `submissions/${encodeURIComponent(id)}/editors/${encodeURIComponent(name)}`;
  if (await attempt(() => ask(method, route), load)) await load();
}

function showFacts(on) {
  const at = on.map((one) => matches.get(one.person)?.institutions[0]).filter(Boolean);
  const count = (state) => on.filter((one) => one.state === state).length;
  const parts = [plural(on.length, "person", "people"), `${count("invited")} invited`, `${count("accepted")} accepted`];
  if (at.length) parts.push(plural(new Set(at.map((one) => one.ror ?? one.name)).size, "institution"), plural(new Set(at.map((one) => one.country)).size, "country", "countries"));
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
    invite: () => showInvitation({
      title: kept.title,
      name: reviewer.name,
      papers: match?.papers ?? [],
      email: reviewer.contact?.email,
      conflicts: reviewer.conflicts,
      oninvited: () => setState(reviewer, "invited", proposed()),
    }),
  });
}

function note({ person, name, note: text }) {
  const old = notes.get(person);
  if (!old || !$("details", old).open) notes.set(person, noteField(person, name, text));
  return notes.get(person);
}

function suggestion({ match, new_institution: newInstitution, new_country: newCountry }) {
  const { name, id: person } = match.author;
  const adds = [newCountry && "a new country", newInstitution && "a new institution"].filter(Boolean);
  return el("li", { class: "card", "data-id": person }, el("div", { class: "body" },
    el("div", { class: "who" },
      el("div", { class: "person" },
        el("h3", {}, el("a", { href: personPath(person, id) }, name)),
        el("p", { class: "institution" }, institution(match)),
        adds.length ? el("p", { class: "career" }, `Adds ${adds.join(" and ")} to the panel.`) : null),
      el("div", { class: "buttons" },
        el("button", { type: "button", class: "take", "aria-label": `Short-list ${name}`, onclick: () => setState({ person, name, revision: 0 }, "shortlisted") }, "Short-list"))),
    paperList(match)));
}

async function setState(reviewer, state, days = {}) {
  const json = { state, revision: reviewer.revision, ...days };
  const done = await attempt(() => askJson("PUT", reviewerRoute(id, reviewer.person), { json }), load);
  if (done) await load();
}

async function remove(reviewer) {
  const done = await attempt(() => ask("DELETE", `${reviewerRoute(id, reviewer.person)}?revision=${reviewer.revision}`), load);
  if (!done) return;
  compared = compared.filter((one) => one !== reviewer.person);
  toast(`${reviewer.name} is off the list`, {
    label: "Undo", run: () => setState({ ...reviewer, revision: 0 }, reviewer.state, { day: reviewer.answered ?? reviewer.invited, due: reviewer.due, reminder: reviewer.reminder }),
  });
  await load();
}

function compare(person) {
  compared = compared.includes(person) ? compared.filter((one) => one !== person) : [...compared, person].slice(-2);
  render();
}

function showCompared() {
  $("#compare").hidden = compared.length !== 2;
  if (compared.length === 2) $("#compare").href = comparePath(...compared, id);
}

async function forget() {
  const text = "The title, the abstract, the list and its dates are erased from this desk. Files that were exported, and backups of the workspace, are not.";
  if (!await confirmErasing("Forget this submission?", text, "Forget it")) return;
  try {
    await ask("DELETE", `submissions/${encodeURIComponent(id)}`);
    location.assign("/submissions");
  } catch (problem) {
    toast(problem.message);
  }
}

$("#forget").addEventListener("click", forget);
$("#sharing form").addEventListener("submit", (event) => {
  event.preventDefault();
  share("PUT", $("#share-with").value).then(() => { $("#share-with").value = ""; });
});
$("#print").addEventListener("click", () => print());
$("button", views.failure).addEventListener("click", load);
useShortcuts($("#shortcuts"), {
  items: () => [...document.querySelectorAll("#panel .card, #next .card, #refused .card")],
  keys: {
    i: ["Invitation text", (card) => $(".invite", card)?.click()],
    n: ["Write a note", (card) => { const box = $(".note", card); if (box) { box.open = true; $("textarea", box).focus(); } }],
    s: ["Short-list a suggestion", (card) => $(".take", card)?.click()],
    c: ["Compare with another person", (card) => $(".compare", card)?.click()],
  },
});
onReturn(load);
load();
