// The form of a submission: what is typed, pasted, dropped or restored, and what is wrong with it.
import { $, el, onClick, plural, reveal, takeFiles, toast } from "./dom.js";
import { askJson, Problem } from "./api.js";
import { AuthorField } from "./people.js";

export const form = $("#submission");
export const authors = new AuthorField();

const number = (id) => ($(`#${id}`).value.trim() === "" ? null : Number($(`#${id}`).value));
const list = (id, separator) => $(`#${id}`).value.split(separator).map((entry) => entry.trim()).filter(Boolean);

/** The submission and the options, as the API takes them. */
export function readForm() {
  const identifier = $("#identifier").value.trim().replace(/\s+/g, "-");
  const submission = { title: $("#title").value.trim(), abstract: $("#abstract").value.trim(), ...authors.value() };
  if (identifier) submission.id = identifier;
  const cited = list("references", "\n");
  if (cited.length) submission.references = cited;
  const options = {
    sentences: true,
    per_paper: $("#per_paper").checked ? 2 : null,
    conflicts: $("#conflicts").value,
    mode: $("#mode").value,
    ranker: $("#ranker").value || null,
    references: $("#count_references").checked ? "auto" : "off",
    countries: list("countries", /[\s,;]+/),
    institutions: list("institutions", ";"),
    coauthor_years: number("coauthor_years"),
    institution_years: number("institution_years"),
  };
  for (const id of ["size", "active_since", "min_papers", "max_papers", "uncited"]) if (number(id) !== null) options[id] = number(id);
  return { submission, options };
}

/** Fill in what was found of a manuscript. */
function fillText({ title, abstract, references, authors: people, author_names: names, institutions = [] }) {
  $("#title").value = title;
  $("#abstract").value = abstract;
  $("#references").value = references.join("\n");
  authors.set([...people.map((person) => ({ ...person, name: person.name || person.id, given: person.id })), ...names.map((name) => ({ id: null, name }))], institutions);
}

/** Fill in a look-up that was kept. */
export function fillForm(submission, options) {
  fillText(submission);
  $("#identifier").value = submission.id === "submission" ? "" : submission.id;
  for (const id of ["size", "active_since", "min_papers", "max_papers", "coauthor_years", "institution_years", "conflicts", "mode", "ranker", "uncited"]) $(`#${id}`).value = options[id] ?? "";
  $("#countries").value = options.countries.join(", ");
  $("#institutions").value = options.institutions.join("; ");
  $("#diversity").value = String(options.diversity);
  $("#per_paper").checked = options.per_paper !== null;
  $("#count_references").checked = options.references !== "off";
}

/** What is typed, as it is; `retype` brings it back. */
export const typed = () => ({ values: Object.fromEntries(controls().map((control) => [control.id, control[content(control)]])), people: authors.people, institutions: authors.institutions });
export function retype({ values = {}, people = [], institutions = [] }) {
  for (const control of controls()) if (control.id in values) control[content(control)] = values[control.id];
  authors.set(people, institutions).catch(complain);
}
const controls = () => [...form.querySelectorAll("input[id]:not([type=file]), textarea[id], select[id]")];
const content = ({ type }) => (type === "checkbox" ? "checked" : "value");

const IDS = { authors: "author", author_names: "author", id: "identifier", "": "title" }; // of the controls of fields that are called otherwise

/** Say what is wrong with the form, at the field that is wrong, which is marked and gets the focus. */
export function complain(problem) {
  for (const marked of form.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  const box = $("#form-problem");
  box.hidden = true;
  if (!problem) return;
  const named = problem.errors.map(({ field, message }) => ({ name: field.replace(/^(submission|options)\.?/, "").replace(/[[.].*$/, ""), message }));
  const { wrong, name, message } = named.map((error) => ({ ...error, wrong: document.getElementById(IDS[error.name] ?? error.name) })).find((error) => error.wrong) ?? {};
  ($(".actions", form) ?? form).after(box);
  if (wrong) {
    wrong.setAttribute("aria-invalid", "true");
    if (wrong.closest("details")) wrong.closest("details").open = true;
    wrong.closest(".field").append(box);
    wrong.focus({ preventScroll: true });
    wrong.scrollIntoView({ block: "nearest" });
  }
  const label = wrong?.labels?.[0]?.firstChild.textContent.trim();
  reveal(box, label && message && name !== "" ? `${label}: ${message}` : problem.message);
}

const BIBLIOGRAPHIES = { bib: "application/x-bibtex", ris: "application/x-research-info-systems", nbib: "application/nbib" };

async function fillFrom(file) {
  complain(null);
  const button = $("#choose-pdf");
  const label = button.textContent;
  button.textContent = `reading ${file.name} …`;
  button.disabled = true;
  try {
    const type = BIBLIOGRAPHIES[file.name.split(".").pop().toLowerCase()];
    if (type) {
      const cited = await askJson("POST", "bibliography", { body: file, type });
      $("#references").value = cited.join("\n");
      toast(`${plural(cited.length, "reference")} from ${file.name}`);
      return;
    }
    const { title, abstract, references, authors: names } = await askJson("POST", "pdf", { body: file, type: "application/pdf" });
    if (!title && !abstract) throw new Problem("No title or abstract was found in this PDF: please paste them.");
    $("#title").value = title;
    $("#abstract").value = abstract;
    $("#references").value = references.join("\n");
    if (names.length) authors.set(names.map((name) => ({ id: null, name })), []);
    toast(abstract ? "Filled from the PDF: please check" : "Only a title was found: please paste the abstract");
  } catch (problem) {
    complain(problem);
  } finally {
    button.textContent = label;
    button.disabled = false;
  }
}

takeFiles(form, $("#pdf"), ([file]) => fillFrom(file));
onClick({ "choose-pdf": () => $("#pdf").click(), resolve: () => resolve() });

// A DOI, an id or a record instead of title and abstract: looked for in the corpus, elsewhere only when the editor says so.

const DOI = /^\s*(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?10\.\d{4,9}\/\S+\s*$/i;
const record = $("#record");

async function resolve(elsewhere = false) {
  const text = record.value.trim();
  if (!text) { record.focus(); return; }
  const say = (...parts) => { $("#record-answer").replaceChildren(...parts); $("#record-answer").hidden = parts.length === 0; };
  say(elsewhere ? "Asking …" : "Looking in the corpus …");
  try {
    const { found, host, kind } = await askJson("POST", "records", { json: { text, elsewhere } });
    if (found) {
      fillText(found);
      record.value = "";
      say();
      $("#paste").open = false;
      toast(`Filled from ${found.source}: please check`);
    } else if (host && !elsewhere) {
      say(`Not in the corpus. ${host} may know it: only this ${kind === "doi" ? "DOI" : "id"} would be sent there, and it would learn this server’s address. `,
        el("button", { type: "button", id: "record-elsewhere", onclick: () => resolve(true) }, `Ask ${host}`));
    } else if (elsewhere) {
      say(`${host} does not know it either: please give title and abstract.`);
    } else {
      say("Not in the corpus, and this server asks nobody else: paste the whole record, or give title and abstract.");
    }
  } catch (problem) {
    say(problem.message);
  }
}

record.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); event.stopPropagation(); resolve(); } });
$("#title").addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  if (!DOI.test(text)) return;
  event.preventDefault();
  record.value = text.trim();
  $("#paste").open = true;
  resolve();
});
