// All conferences, and a new one.
import { $, dayOf, dotted, html, onClick, onSubmit, plural, put, reveal, takeFiles, visit } from "../dom.js";
import { ask, askJson } from "../api.js";
import { chair, keepName } from "./shell.js";

const SAMPLES = {
  // that 'panelist demo' makes
  "Invented Conference":
    "A sample to try everything on, all of it invented: files, conflicts and scores, two assignments of which one is chosen, reviews with what a chair should notice, calibration. The committee was drawn regardless of topics, so that most matches are weak. Change what you like, or forget it below its name.",
};

async function show() {
  const conferences = await askJson("GET", "conferences");
  put(
    $("#list"),
    conferences.length ? conferences.map(entry) : html`<li class="help">There is none yet: give a name above.</li>`,
  );
  $("#status").textContent = plural(conferences.length, "conference");
}

const entry = ({ id, name, created, files }) => html`
  <li>
    <a href="/conferences/${id}">${name}</a>
    <span class="help">${dotted(`created ${dayOf(created).textContent}`, ...files)}</span>
    ${SAMPLES[name] && html`<p class="meta">${SAMPLES[name]}</p>`}
  </li>`;

const fail = (problem) => reveal($("#problem"), problem.message);

/** Make a conference, do with its id what else it needs, then go to one of its pages. */
async function create(name, page = "", fill = () => {}) {
  $("#problem").hidden = true;
  const { id } = await askJson("POST", `conferences?${new URLSearchParams({ who: chair() })}`, { json: { name } });
  try {
    await fill(id);
  } catch (problem) {
    await ask("DELETE", `conferences/${id}`); // a conference without its file would only be in the way
    throw problem;
  }
  visit(`/conferences/${id}${page}`);
}

/** Make a conference of one file: scores are assigned, reviews calibrated and checked. */
async function take(file) {
  const head = (await file.slice(0, 2000).text()).split("\n")[0].toLowerCase();
  const reviews = /\btext\b|review/.test(head) || /review/.test(file.name.toLowerCase());
  const texts = /\btext\b/.test(head) || /\.jsonl?$/i.test(file.name);
  const kind = reviews ? `reviews/${texts ? "texts" : "scores"}` : "files/scores";
  const content = { body: file, type: reviews ? "text/csv" : "application/octet-stream" };
  const query = new URLSearchParams({ name: file.name, who: chair() });
  await create(file.name, reviews ? "/reviews" : "", (id) => ask("PUT", `conferences/${id}/${kind}?${query}`, content));
}

keepName($("#who"));
takeFiles($("#drop"), $("#file"), ([file]) => take(file).catch(fail));
onClick({ choose: () => $("#file").click() });
onSubmit($("#create"), () =>
  create($("#name").value).catch((problem) => {
    fail(problem);
    $("#name").focus();
  }),
);
show().catch(fail);
