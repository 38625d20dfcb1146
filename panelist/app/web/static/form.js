// The form of a submission: what is typed or restored, and what is wrong with it.
import { $, html, plural, put, reveal } from "./dom.js";
import { AuthorField, named } from "./people.js";

export const form = $("#submission");
export const authors = new AuthorField();

const number = (id) => ($(`#${id}`).value.trim() === "" ? null : Number($(`#${id}`).value));
const list = (id, separator) => {
  const entries = $(`#${id}`).value.split(separator);
  return entries.map((entry) => entry.trim()).filter(Boolean);
};

// Numbers are not asked for where they are empty; years are then not looked for.
const NUMBERS = "size active_since min_papers max_papers uncited newcomers rest at_most load_penalty".split(" ");
const YEARS = ["coauthor_years", "institution_years"];
const CHOICES = ["conflicts", "mode", "ranker"];
const LISTS = { countries: [/[\s,;]+/, ", "], institutions: [";", "; "] }; // how entries are told apart, and written

/** The submission and the options, as the API takes them. */
export function readForm() {
  const identifier = $("#identifier").value.trim().replace(/\s+/g, "-");
  const submission = { title: $("#title").value.trim(), abstract: $("#abstract").value.trim(), ...authors.value() };
  if (identifier) submission.id = identifier;
  const cited = list("references", "\n");
  if (cited.length) submission.references = cited;
  const ticked = (id) => ($(`#${id}`).checked ? "auto" : "off");
  const options = {
    sentences: true,
    per_paper: $("#per_paper").checked ? 2 : null,
    references: ticked("count_references"),
    history: ticked("history"),
  };
  for (const id of CHOICES) options[id] = $(`#${id}`).value || null;
  for (const [id, [separator]] of Object.entries(LISTS)) options[id] = list(id, separator);
  for (const id of YEARS) options[id] = number(id);
  for (const id of NUMBERS) if (number(id) !== null) options[id] = number(id);
  return { submission, options };
}

/** What is cited, and from which file, in a line that stays until it is removed. */
export function cite(lines, file = "") {
  $("#references").value = lines.join("\n");
  $("#cited_file").value = file;
  showCited();
}

function showCited() {
  const count = list("references", "\n").length;
  const file = $("#cited_file").value;
  const remove = () => {
    cite([]);
    form.dispatchEvent(new Event("cited"));
  };
  const button = html`<button type="button" class="link" onclick=${remove}>remove</button>`;
  $("#cited").hidden = !count;
  put($("#cited"), `${plural(count, "reference")}${file && ` from ${file}`} · `, button);
}

/** Fill in what was found of a manuscript. */
export function fillText(found) {
  $("#title").value = found.title;
  $("#abstract").value = found.abstract;
  cite(found.references);
  const people = found.authors.map((person) => ({ ...person, name: person.name || person.id, given: person.id }));
  authors.set([...people, ...named(found.author_names)], found.institutions ?? [], found.not_authors ?? []);
}

/** Fill in a look-up that was kept. */
export function fillForm(submission, options) {
  fillText(submission);
  $("#identifier").value = submission.id === "submission" ? "" : submission.id;
  for (const id of [...NUMBERS, ...YEARS, ...CHOICES]) $(`#${id}`).value = options[id] ?? "";
  for (const [id, [, separator]] of Object.entries(LISTS)) $(`#${id}`).value = options[id].join(separator);
  $("#diversity").value = String(options.diversity);
  $("#per_paper").checked = options.per_paper !== null;
  $("#count_references").checked = options.references !== "off";
  $("#history").checked = options.history !== "off";
  $("#rest").value = options.rest || "";
  $("#load_penalty").value = options.load_penalty || "";
}

/** What is typed, as it is; `retype` brings it back. */
export const typed = () => ({
  values: Object.fromEntries(controls().map((control) => [control.id, control[content(control)]])),
  people: authors.people,
  institutions: authors.institutions,
  others: [...authors.others],
});
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
  const errors = problem.errors.map(({ field, message }) => {
    const name = field.replace(/^(submission|options)\.?/, "").replace(/[[.].*$/, "");
    return { name, message, wrong: document.getElementById(IDS[name] ?? name) };
  });
  const { wrong, name, message } = errors.find((error) => error.wrong) ?? {};
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

$("#references").addEventListener("input", () => {
  $("#cited_file").value = "";
  showCited();
});
