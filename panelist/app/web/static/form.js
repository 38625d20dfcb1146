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
    history: $("#history").checked ? "auto" : "off",
    countries: list("countries", /[\s,;]+/),
    institutions: list("institutions", ";"),
    coauthor_years: number("coauthor_years"),
    institution_years: number("institution_years"),
  };
  for (const id of ["size", "active_since", "min_papers", "max_papers", "uncited", "newcomers", "rest", "at_most"]) if (number(id) !== null) options[id] = number(id);
  return { submission, options };
}

/** What is cited, and from which file, in a line that stays until it is removed. */
function cite(lines, file = "") {
  $("#references").value = lines.join("\n");
  $("#cited_file").value = file;
  showCited();
}

function showCited() {
  const count = list("references", "\n").length;
  const file = $("#cited_file").value;
  $("#cited").hidden = !count;
  $("#cited").replaceChildren(`${plural(count, "reference")}${file ? ` from ${file}` : ""} · `,
    el("button", { type: "button", class: "link", onclick: () => { cite([]); form.dispatchEvent(new Event("cited")); } }, "remove"));
}

/** Fill in what was found of a manuscript. */
function fillText({ title, abstract, references, authors: people, author_names: names, institutions = [], not_authors: others = [] }) {
  $("#title").value = title;
  $("#abstract").value = abstract;
  cite(references);
  authors.set([...people.map((person) => ({ ...person, name: person.name || person.id, given: person.id })), ...names.map((name) => ({ id: null, name }))], institutions, others);
}

/** Fill in a look-up that was kept. */
export function fillForm(submission, options) {
  fillText(submission);
  $("#identifier").value = submission.id === "submission" ? "" : submission.id;
  for (const id of ["size", "active_since", "min_papers", "max_papers", "coauthor_years", "institution_years", "conflicts", "mode", "ranker", "uncited", "newcomers"]) $(`#${id}`).value = options[id] ?? "";
  $("#countries").value = options.countries.join(", ");
  $("#institutions").value = options.institutions.join("; ");
  $("#diversity").value = String(options.diversity);
  $("#per_paper").checked = options.per_paper !== null;
  $("#count_references").checked = options.references !== "off";
  $("#history").checked = options.history !== "off";
  $("#rest").value = options.rest || "";
  $("#at_most").value = options.at_most ?? "";
}

/** What is typed, as it is; `retype` brings it back. */
export const typed = () => ({ values: Object.fromEntries(controls().map((control) => [control.id, control[content(control)]])), people: authors.people, institutions: authors.institutions, others: [...authors.others] });
export function retype({ values = {}, people = [], institutions = [], others = [] }) {
  for (const control of controls()) if (control.id in values) control[content(control)] = values[control.id];
  showCited();
  authors.set(people, institutions, others).catch(complain);
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

const BIBLIOGRAPHIES = ["bib", "ris", "nbib", "ciw", "isi", "bbl", "rdf", "xml", "json", "txt"];
const MANUSCRIPTS = {
  pdf: "application/pdf", docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  tex: "application/x-tex", zip: "application/zip", gz: "application/gzip", tgz: "application/gzip",
};

export async function fillFrom(file) {
  complain(null);
  const button = $("#choose-pdf");
  const label = button.textContent;
  button.textContent = `reading ${file.name} …`;
  button.disabled = true;
  try {
    const ending = file.name.split(".").pop().toLowerCase();
    if (BIBLIOGRAPHIES.includes(ending)) {
      const cited = await askJson("POST", "bibliography", { body: file, type: "application/octet-stream" });
      cite(cited.references, file.name);
      form.dispatchEvent(new Event("cited"));
      const missing = Object.entries(cited.left_out).map(([reason, count]) => `; ${count} left out: ${reason}`).join("");
      toast(`${plural(cited.references.length, "reference")} from ${file.name} (${cited.format})${missing}`);
      return;
    }
    const { title, abstract, references, authors: names, sure } = await askJson("POST", "manuscript", { body: file, type: MANUSCRIPTS[ending] ?? "application/pdf" });
    if (!title && !abstract) throw new Problem("No title or abstract was found in this file: please paste them.");
    $("#title").value = title;
    $("#abstract").value = abstract;
    cite(references, references.length ? file.name : "");
    if (names.length) authors.set(names.map((name) => ({ id: null, name })), []);
    const unsure = Object.keys(sure).filter((part) => sure[part] === "low" || sure[part] === "none");
    form.dispatchEvent(new Event("filled"));
    toast(unsure.length ? `Filled from the file; check above all: ${unsure.join(", ")}` : "Filled from the file: please check");
  } catch (problem) {
    complain(problem);
  } finally {
    button.textContent = label;
    button.disabled = false;
  }
}

takeFiles(form, $("#pdf"), ([file]) => fillFrom(file));
$("#references").addEventListener("input", () => { $("#cited_file").value = ""; showCited(); });
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
