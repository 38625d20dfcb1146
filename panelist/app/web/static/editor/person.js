// A person of the corpus: their work, what the desk knows of them, and why they were suggested.
import { $, dayOf, el, plural, showOnly, toast } from "../dom.js";
import { askJson } from "../api.js";
import { conflicts, paperList } from "../cards.js";
import { describe } from "../people.js";
import { comparePath, contactLine, confirmErasing, fromPath, fromQuery, loadTag, STATES, submissionPath } from "./desk.js";
import { careerLine, coauthorItem, paperItem, timeline } from "./profile.js";
import { noteField } from "./reviewer.js";

const FIRST = 30; // papers shown at first
const id = fromPath("/people/");
const route = encodeURIComponent(id);
const submission = fromQuery("submission");
const views = { loading: $("#loading"), failure: $("#failure"), whole: $("#whole") };
let person = null;

async function load() {
  try {
    person = await askJson("GET", `profiles/${route}`);
    render();
    await showDesk();
    if (submission) await showWhy();
  } catch (problem) {
    if (person) { toast(problem.message); return; }
    $("p", views.failure).textContent = problem.message;
    showOnly("failure", views);
  }
}

function render() {
  showOnly("whole", views);
  document.title = `${person.author.name} · Panelist`;
  $("#name").textContent = person.author.name;
  $("#career").replaceChildren(...careerLine(person));
  $("#contact").replaceChildren(...[contactLine(person.contact)].filter(Boolean));
  $("#topics").replaceChildren(timeline(person));
  showPapers(FIRST);
  $("#coauthors").replaceChildren(...(person.coauthors.length ? person.coauthors.map(coauthorItem) : [el("li", {}, "None: this person wrote alone.")]));
  if (person.coauthor_count > person.coauthors.length) $("#coauthors").append(el("li", {}, `and ${person.coauthor_count - person.coauthors.length} more`));
  $("#status").textContent = `${person.author.name}, ${plural(person.papers.length, "paper")}`;
}

function showPapers(most) {
  $("#papers").replaceChildren(...person.papers.slice(0, most).map(paperItem));
  $("#more").hidden = person.papers.length <= most;
  $("#more").textContent = `Show all ${person.papers.length} papers`;
}

async function showDesk() {
  const known = await askJson("GET", `desk/people/${route}`);
  $("#load").replaceChildren(...[loadTag(known.load)].filter(Boolean));
  $("#note").replaceChildren(noteField(id, person.author.name, known.note.text));
  $("#involved").hidden = known.submissions.length === 0;
  $("#submissions").replaceChildren(...known.submissions.map((one) => el("li", {},
    el("a", { href: submissionPath(one.submission) }, one.title),
    el("p", { class: "meta" }, STATES[one.state], ...(one.invited ? [", asked ", dayOf(one.invited)] : []), ...(one.answered ? [", answered ", dayOf(one.answered)] : [])),
    one.submission === submission ? null : el("a", { class: "meta", href: `/people/${route}?submission=${encodeURIComponent(one.submission)}` }, "Why for this one"))));
}

async function showWhy() {
  const path = `submissions/${encodeURIComponent(submission)}`;
  const [kept, why] = await Promise.all([askJson("GET", path), askJson("GET", `${path}/why/${route}`)]);
  $("#why").hidden = false;
  const head = el("p", {}, "For ", el("a", { href: submissionPath(submission) }, kept.title), why.rank ? `: number ${why.rank} of the ranking.` : ": none of their papers was found.");
  $("#reasons").replaceChildren(...[head, conflicts(why.conflicts), why.match ? paperList(why.match) : null].filter(Boolean));
}

async function compare(event) {
  event.preventDefault();
  const text = $("#other").value.trim();
  $("#form-problem").hidden = true;
  $("#namesakes").hidden = true;
  if (!text) return;
  try {
    const found = await askJson("GET", `authors?name=${encodeURIComponent(text)}`);
    if (found.length === 1) { location.assign(comparePath(id, found[0].author.id, submission)); return; }
    if (!found.length) { // no name: an id
      const other = await askJson("GET", `authors/${encodeURIComponent(text)}`);
      location.assign(comparePath(id, other.author.id, submission));
      return;
    }
    $("#namesakes").replaceChildren(el("p", {}, `${found.length} people are called ${text}. Who is it?`), ...found.map((one) =>
      el("button", { type: "button", onclick: () => location.assign(comparePath(id, one.author.id, submission)) }, one.author.name, el("small", {}, describe(one)))));
    $("#namesakes").hidden = false;
  } catch (problem) {
    $("#form-problem").textContent = problem.status === 404 ? `Nobody in the corpus has the name or id “${text}”.` : problem.message;
    $("#form-problem").hidden = false;
  }
}

async function forget() {
  const text = "The note, the entries in the lists of all kept submissions, and changes by hand in conferences are erased. The corpus stays: it holds what was published. Files that were exported, and backups, are not reached.";
  if (!await confirmErasing(`Forget ${person.author.name}?`, text, "Forget them")) return;
  try {
    const gone = await askJson("DELETE", `desk/people/${route}`);
    const still = [
      gone.authored.length && ` They are still named as an author of ${plural(gone.authored.length, "kept submission")}.`,
      gone.still.length && ` They are still named in the files of ${gone.still.map((one) => `“${one.name}”`).join(", ")}.`,
    ].filter(Boolean).join("");
    const changes = gone.changes ? `, ${plural(gone.changes, "change")} by hand in conferences` : "";
    toast(`Forgotten: ${plural(gone.notes, "note")}, ${plural(gone.lists, "entry", "entries")} in lists${changes}.${still}`);
    await showDesk();
  } catch (problem) {
    toast(problem.message);
  }
}

$("#compare-form").addEventListener("submit", compare);
$("#forget").addEventListener("click", forget);
$("#print").addEventListener("click", () => print());
$("#more").addEventListener("click", () => showPapers(Infinity));
$("button", views.failure).addEventListener("click", load);
load();
