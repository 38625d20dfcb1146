// What fills the form without typing: a manuscript, a file of references, or a record that is pasted.
import { $, html, onClick, plural, put, takeFiles, toast } from "./dom.js";
import { askJson, Problem } from "./api.js";
import { authors, cite, complain, fillText, form } from "./form.js";
import { named } from "./people.js";

const BIBLIOGRAPHIES = ["bib", "ris", "nbib", "ciw", "isi", "bbl", "rdf", "xml", "json", "txt"];
const MANUSCRIPTS = {
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  tex: "application/x-tex",
  zip: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
};

async function takeReferences(file) {
  const cited = await askJson("POST", "bibliography", { body: file, type: "application/octet-stream" });
  cite(cited.references, file.name);
  form.dispatchEvent(new Event("cited"));
  const missing = Object.entries(cited.left_out).map(([reason, count]) => `; ${count} left out: ${reason}`);
  toast(`${plural(cited.references.length, "reference")} from ${file.name} (${cited.format})${missing.join("")}`);
}

async function takeManuscript(file, type) {
  const found = await askJson("POST", "manuscript", { body: file, type });
  if (!found.title && !found.abstract)
    throw new Problem("No title or abstract was found in this file: please paste them.");
  $("#title").value = found.title;
  $("#abstract").value = found.abstract;
  cite(found.references, found.references.length ? file.name : "");
  if (found.authors.length) authors.set(named(found.authors), []);
  form.dispatchEvent(new Event("filled"));
  const unsure = Object.keys(found.sure).filter((field) => ["low", "none"].includes(found.sure[field]));
  toast(`Filled from the file${unsure.length ? `; check above all: ${unsure.join(", ")}` : ": please check"}`);
}

/** Fill the form from a manuscript, or its references from a file of them; says what is wrong. */
export async function fillFrom(file) {
  complain(null);
  const button = $("#choose-pdf");
  const label = button.textContent;
  button.textContent = `reading ${file.name} …`;
  button.disabled = true;
  const ending = file.name.split(".").pop().toLowerCase();
  try {
    if (BIBLIOGRAPHIES.includes(ending)) await takeReferences(file);
    else await takeManuscript(file, MANUSCRIPTS[ending] ?? MANUSCRIPTS.pdf);
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
  if (!text) return record.focus();
  const say = (...parts) => {
    put($("#record-answer"), parts);
    $("#record-answer").hidden = parts.length === 0;
  };
  say(elsewhere ? "Asking …" : "Looking in the corpus …");
  try {
    const { found, host, kind } = await askJson("POST", "records", { json: { text, elsewhere } });
    if (found) {
      fillText(found);
      form.dispatchEvent(new Event("filled"));
      record.value = "";
      say();
      $("#paste").open = false;
      toast(`Filled from ${found.source}: please check`);
    } else if (host && !elsewhere) {
      say(
        `Not in the corpus. ${host} may know it: only this ${kind === "doi" ? "DOI" : "id"} would be sent there, and it would learn this server’s address. `,
        html`<button type="button" id="record-elsewhere" onclick=${() => resolve(true)}>Ask ${host}</button>`,
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
