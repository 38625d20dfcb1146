// The form of a submission: what is typed, pasted, dropped or restored, and what is wrong with it.
import { $, takeFiles, toast } from "./dom.js";
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
    conflicts: $("#conflicts").value,
    mode: $("#mode").value,
    ranker: $("#ranker").value || null,
    references: cited.length > 0,
    countries: list("countries", /[\s,;]+/),
    institutions: list("institutions", ";"),
    coauthor_years: number("coauthor_years"),
    institution_years: number("institution_years"),
  };
  for (const id of ["size", "active_since", "min_papers", "max_papers"]) if (number(id) !== null) options[id] = number(id);
  return { submission, options };
}

/** Fill in what was found of a manuscript. */
function fillText({ title, abstract, references, authors: people, author_names: names }) {
  $("#title").value = title;
  $("#abstract").value = abstract;
  $("#references").value = references.join("\n");
  authors.set([...people.map(({ id, name }) => ({ id, name: name || id })), ...names.map((name) => ({ id: null, name }))]);
}

/** Fill in a look-up that was kept. */
export function fillForm(submission, options) {
  fillText(submission);
  $("#identifier").value = submission.id === "submission" ? "" : submission.id;
  for (const id of ["size", "active_since", "min_papers", "max_papers", "coauthor_years", "institution_years", "conflicts", "mode", "ranker"]) $(`#${id}`).value = options[id] ?? "";
  $("#countries").value = options.countries.join(", ");
  $("#institutions").value = options.institutions.join("; ");
  $("#diversity").value = String(options.diversity);
}

/** Say what is wrong with the form, at the form; the field is marked and gets the focus. */
export function complain(problem) {
  for (const marked of form.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  const box = $("#form-problem");
  box.hidden = !problem;
  if (!problem) return;
  box.textContent = problem.message;
  const fields = problem.errors.map(({ field }) => field.replace(/^(submission|options)\.?/, "").replace(/[[.].*$/, ""));
  const wrong = fields.map((name) => document.getElementById({ authors: "author", author_names: "author", id: "identifier", "": "title" }[name] ?? name)).find(Boolean);
  if (wrong) {
    wrong.setAttribute("aria-invalid", "true");
    if (wrong.closest("details")) wrong.closest("details").open = true;
    wrong.focus();
  }
}

async function fillFrom(file) {
  complain(null);
  const button = $("#choose-pdf");
  const label = button.textContent;
  button.textContent = `reading ${file.name} …`;
  button.disabled = true;
  try {
    const found = await askJson("POST", "pdf", { body: file, type: "application/pdf" });
    if (!found.title && !found.abstract) throw new Problem("No title or abstract was found in this PDF: please paste them.");
    $("#title").value = found.title;
    $("#abstract").value = found.abstract;
    $("#references").value = found.references.join("\n");
    if (found.authors.length) authors.set(found.authors.map((name) => ({ id: null, name })));
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
