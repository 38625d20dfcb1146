// The form of a submission: what is typed, pasted, dropped or restored, and what is wrong with it.
import { $, el, onClick, plural, reveal, takeFiles, toast } from "./dom.js";
import { askJson, Problem } from "./api.js";
import { AuthorField } from "./people.js";

export const form = $("#submission");
export const authors = new AuthorField();

const number = (id) => ($(`#${id}`).value.trim() === "" ? null : Number($(`#${id}`).value));
const list = (id, separator) =>
  $(`#${id}`)
    .value.split(separator)
    .map((entry) => entry.trim())
    .filter(Boolean);

const NUMBERS = [
  "size",
  "active_since",
  "min_papers",
  "max_papers",
  "uncited",
  "newcomers",
  "rest",
  "at_most",
  "load_penalty",
]; // not asked for where they are empty
const YEARS = ["coauthor_years", "institution_years"]; // not looked for where they are empty
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
  for (const id of [...NUMBERS, ...YEARS]) if (YEARS.includes(id) || number(id) !== null) options[id] = number(id);
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
  $("#cited").replaceChildren(
    `${plural(count, "reference")}${file ? ` from ${file}` : ""} · `,
    el(
      "button",
      {
        type: "button",
        class: "link",
        onclick: () => {
          cite([]);
          form.dispatchEvent(new Event("cited"));
        },
      },
      "remove",
    ),
  );
}

/** Fill in what was found of a manuscript. */
function fillText({
  title,
  abstract,
  references,
  authors: people,
  author_names: names,
  institutions = [],
  not_authors: others = [],
}) {
  $("#title").value = title;
  $("#abstract").value = abstract;
  cite(references);
  authors.set(
    [
      ...people.map((person) => ({ ...person, name: person.name || person.id, given: person.id })),
      ...names.map((name) => ({ id: null, name })),
    ],
    institutions,
    others,
  );
}

/** Fill in a look-up that was kept. */
export function fillForm(submission, options) {
  fillText(submission);
  $("#identifier").value = submission.id === "submission" ? "" : submission.id;
  for (const id of [...NUMBERS, ...YEARS, ...CHOICES]) $(`#${id}`).value = options[id] ?? "";
  for (const [id, [, separator]] of Object.entries(LISTS)) $(`#${id}`).value = options[id].join(separator);
  $("#diversity").value = String(options.diversity);
  for (const [id, ticked] of Object.entries({
    per_paper: options.per_paper !== null,
    count_references: options.references !== "off",
    history: options.history !== "off",
  }))
    $(`#${id}`).checked = ticked;
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
  const named = problem.errors.map(({ field, message }) => ({
    name: field.replace(/^(submission|options)\.?/, "").replace(/[[.].*$/, ""),
    message,
  }));
  const { wrong, name, message } =
    named
      .map((error) => ({ ...error, wrong: document.getElementById(IDS[error.name] ?? error.name) }))
      .find((error) => error.wrong) ?? {};
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
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  tex: "application/x-tex",
  zip: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
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
      const missing = Object.entries(cited.left_out)
        .map(([reason, count]) => `; ${count} left out: ${reason}`)
        .join("");
      toast(`${plural(cited.references.length, "reference")} from ${file.name} (${cited.format})${missing}`);
      return;
    }
    const {
      title,
      abstract,
      references,
      authors: names,
      sure,
    } = await askJson("POST", "manuscript", { body: file, type: MANUSCRIPTS[ending] ?? "application/pdf" });
    if (!title && !abstract) throw new Problem("No title or abstract was found in this file: please paste them.");
    $("#title").value = title;
    $("#abstract").value = abstract;
    cite(references, references.length ? file.name : "");
    if (names.length)
      authors.set(
        names.map((name) => ({ id: null, name })),
        [],
      );
    const unsure = Object.keys(sure).filter((part) => sure[part] === "low" || sure[part] === "none");
    form.dispatchEvent(new Event("filled"));
    toast(
      unsure.length
        ? `Filled from the file; check above all: ${unsure.join(", ")}`
        : "Filled from the file: please check",
    );
  } catch (problem) {
    complain(problem);
  } finally {
    button.textContent = label;
    button.disabled = false;
  }
}

takeFiles(form, $("#pdf"), ([file]) => fillFrom(file));
$("#references").addEventListener("input", () => {
  $("#cited_file").value = "";
  showCited();
});
onClick({ "choose-pdf": () => $("#pdf").click(), resolve: () => resolve() });

// A DOI, an id or a record instead of title and abstract: looked for in the corpus, elsewhere only when the editor says so.

const DOI = /^\s*(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?10\.\d{4,9}\/\S+\s*$/i;
const record = $("#record");

async function resolve(elsewhere = false) {
  const text = record.value.trim();
  if (!text) {
    record.focus();
    return;
  }
  const say = (...parts) => {
    $("#record-answer").replaceChildren(...parts);
    $("#record-answer").hidden = parts.length === 0;
  };
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
      say(
        `Not in the corpus. ${host} may know it: only this ${kind === "doi" ? "DOI" : "id"} would be sent there, and it would learn this server’s address. `,
        el("button", { type: "button", id: "record-elsewhere", onclick: () => resolve(true) }, `Ask ${host}`),
      );
    } else if (elsewhere) {
      say(`${host} does not know it either: please give title and abstract.`);
    } else {
      say("Not in the corpus, and this server asks nobody else: paste the whole record, or give title and abstract.");
    }
  } catch (problem) {
    say(problem.message);
  }
}

record.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    event.stopPropagation();
    resolve();
  }
});
$("#title").addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  if (!DOI.test(text)) return;
  event.preventDefault();
  record.value = text.trim();
  $("#paste").open = true;
  resolve();
});
