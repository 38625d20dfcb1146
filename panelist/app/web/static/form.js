// The form of a submission: what is typed, pasted, dropped or restored, and what is wrong with it.
import { $, plural, reveal, takeFiles, toast } from "./dom.js";
import { askJson, Problem } from "./api.js";
import { usePasting } from "./editor/pasting.js";
import { AuthorField } from "./people.js";

export const form = $("#submission");
export const authors = new AuthorField();

const number = (id) => ($(`#${id}`).value.trim() === "" ? null : Number($(`#${id}`).value));
const list = (id, separator) => $(`#${id}`).value.split(separator).map((one) => one.trim()).filter(Boolean);

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
  authors.set([...people.map((one) => ({ ...one, name: one.name || one.id, given: one.id })), ...names.map((name) => ({ id: null, name }))], institutions);
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
export const typed = () => ({ values: Object.fromEntries(controls().map((one) => [one.id, one.type === "checkbox" ? one.checked : one.value])), people: authors.people, institutions: authors.institutions });
export function retype({ values = {}, people = [], institutions = [] }) {
  for (const one of controls()) if (one.id in values) one[one.type === "checkbox" ? "checked" : "value"] = values[one.id];
  authors.set(people, institutions).catch(complain);
}
const controls = () => [...form.querySelectorAll("input[id]:not([type=file]), textarea[id], select[id]")];

const IDS = { authors: "author", author_names: "author", id: "identifier", "": "title" }; // of the controls of fields that are called otherwise

/** Say what is wrong with the form, at the field that is wrong, which is marked and gets the focus. */
export function complain(problem) {
  for (const marked of form.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  const box = $("#form-problem");
  box.hidden = true;
  if (!problem) return;
  const named = problem.errors.map(({ field, message }) => [field.replace(/^(submission|options)\.?/, "").replace(/[[.].*$/, ""), message]);
  const [name, message] = named.find(([one]) => document.getElementById(IDS[one] ?? one)) ?? [];
  const wrong = name === undefined ? null : document.getElementById(IDS[name] ?? name);
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
    const found = await askJson("POST", "pdf", { body: file, type: "application/pdf" });
    if (!found.title && !found.abstract) throw new Problem("No title or abstract was found in this PDF: please paste them.");
    $("#title").value = found.title;
    $("#abstract").value = found.abstract;
    $("#references").value = found.references.join("\n");
    if (found.authors.length) authors.set(found.authors.map((name) => ({ id: null, name })), []);
    toast(found.abstract ? "Filled from the PDF: please check" : "Only a title was found: please paste the abstract");
  } catch (problem) {
    complain(problem);
  } finally {
    button.textContent = label;
    button.disabled = false;
  }
}

takeFiles(form, $("#pdf"), ([file]) => fillFrom(file));
$("#choose-pdf").addEventListener("click", () => $("#pdf").click());
usePasting(fillText);
