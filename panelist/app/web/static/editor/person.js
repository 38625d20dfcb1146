// A person of the corpus: their work, what the desk knows of them, and why they were suggested.
import { $, dayOf, html, onClick, onSubmit, pageParts, plural, put, reveal, toast, trying } from "../dom.js";
import { askJson } from "../api.js";
import { conflicts, paperList } from "../cards.js";
import { namesakes, personButton } from "../people.js";
import {
  comparePath,
  confirmErasing,
  contactLine,
  fromPath,
  fromQuery,
  loadTag,
  personPath,
  STATES,
  submissionPath,
} from "./desk.js";
import { careerLine, coauthorItems, paperItem, timeline } from "./profile.js";
import { noteField } from "./note.js";

const FIRST = 30; // papers shown at first
const id = fromPath("/people/");
const route = encodeURIComponent(id);
const submission = fromQuery("submission");
const page = pageParts(["loading", "failure", "whole"], load);
let person = null;

async function load() {
  try {
    person = await askJson("GET", `profiles/${route}`);
    render();
    await showDesk();
    if (submission) await showWhy();
  } catch (problem) {
    if (person) toast(problem.message);
    else page.fail(problem);
  }
}

function render() {
  page.show("whole");
  document.title = `${person.author.name} · Panelist`;
  $("#name").textContent = person.author.name;
  put($("#career"), careerLine(person));
  put($("#contact"), contactLine(person.contact), searches(person.author));
  put($("#topics"), timeline(person));
  showPapers(FIRST);
  const others = person.coauthor_count - person.coauthors.length;
  put($("#coauthors"), coauthorItems(person), others > 0 && html`<li>and ${others} more</li>`);
  $("#status").textContent = `${person.author.name}, ${plural(person.papers.length, "paper")}`;
}

/** Where to look for somebody; a link is followed by the editor's browser, never by this server. */
function searches({ name, orcid }) {
  const query = encodeURIComponent(`"${name}"`);
  const places = {
    ORCID: orcid
      ? `https://orcid.org/${orcid.replace(/^.*\//, "")}`
      : `https://orcid.org/orcid-search/search?searchQuery=${query}`,
    "Google Scholar": `https://scholar.google.com/scholar?q=author:${query}`,
    "the web": `https://duckduckgo.com/?q=${query}`,
  };
  const links = Object.entries(places).map(
    ([place, href]) => html`<a href=${href} rel="noreferrer" target="_blank">${place}</a>`,
  );
  return html`<p class="meta no-print">Look them up: ${links.flatMap((link, n) => (n ? [" · ", link] : [link]))}</p>`;
}

function showPapers(most) {
  put($("#papers"), person.papers.slice(0, most).map(paperItem));
  $("#more").hidden = person.papers.length <= most;
  $("#more").textContent = `Show all ${person.papers.length} papers`;
}

async function showDesk() {
  const { load: invitations, note, submissions } = await askJson("GET", `desk/people/${route}`);
  put($("#load"), loadTag(invitations));
  put($("#note"), noteField(id, person.author.name, note.text));
  $("#involved").hidden = submissions.length === 0;
  const kept = submissions.map(({ submission: key, title, state, invited, answered }) => {
    const days = [invited && [", asked ", dayOf(invited)], answered && [", answered ", dayOf(answered)]];
    return html`
      <li>
        <a href=${submissionPath(key)}>${title}</a>
        <p class="meta">${STATES[state]}${days}</p>
        ${key !== submission && html`<a class="meta" href=${personPath(id, key)}>Why for this one</a>`}
      </li>`;
  });
  put($("#submissions"), kept);
}

async function showWhy() {
  const path = `submissions/${encodeURIComponent(submission)}`;
  const [kept, why] = await Promise.all([askJson("GET", path), askJson("GET", `${path}/why/${route}`)]);
  $("#why").hidden = false;
  const rank = why.rank ? `: number ${why.rank} of the ranking.` : ": none of their papers was found.";
  const head = html`<p>For <a href=${submissionPath(submission)}>${kept.title}</a>${rank}</p>`;
  put($("#reasons"), head, conflicts(why.conflicts), why.match && paperList(why.match));
}

async function compare() {
  const text = $("#other").value.trim();
  $("#form-problem").hidden = true;
  $("#namesakes").hidden = true;
  if (!text) return;
  const beside = ({ author }) => location.assign(comparePath(id, author.id, submission));
  try {
    const people = await namesakes(text);
    if (!people.length) people.push(await askJson("GET", `authors/${encodeURIComponent(text)}`)); // no name: an id
    if (people.length === 1) return beside(people[0]);
    put(
      $("#namesakes"),
      html`<p>${people.length} people are called ${text}. Who is it?</p>`,
      people.map((other) => personButton(other, () => beside(other))),
    );
    $("#namesakes").hidden = false;
  } catch (problem) {
    const unknown = problem.status === 404;
    reveal($("#form-problem"), unknown ? `Nobody in the corpus has the name or id “${text}”.` : problem.message);
  }
}

async function forget() {
  const text =
    "The note, the entries in the lists of all kept submissions, and changes by hand in conferences are erased. The corpus stays: it holds what was published. Files that were exported, and backups, are not reached.";
  if (!(await confirmErasing(`Forget ${person.author.name}?`, text, "Forget them"))) return;
  const gone = await askJson("DELETE", `desk/people/${route}`);
  const changes = gone.changes ? `, ${plural(gone.changes, "change")} by hand in conferences` : "";
  const authored = gone.authored.length ? `as an author of ${plural(gone.authored.length, "kept submission")}` : null;
  const filed = gone.still.length ? `in the files of ${gone.still.map(({ name }) => `“${name}”`).join(", ")}` : null;
  const still = [authored, filed].filter(Boolean).map((place) => ` They are still named ${place}.`);
  toast(
    `Forgotten: ${plural(gone.notes, "note")}, ${plural(gone.lists, "entry", "entries")} in lists${changes}.${still.join("")}`,
  );
  await showDesk();
}

onSubmit($("#compare-form"), compare);
onClick({ forget: () => trying(forget), print: () => print(), more: () => showPapers(Infinity) });
load();
