// Three submissions to try things on: one that fits, one that does not, and a file.
import { $, html, put, trying } from "./dom.js";
import { askJson } from "./api.js";
import { fillFrom } from "./filling.js";
import { authors } from "./form.js";
import { named } from "./people.js";

/** Offer examples where the server has some; `search()` is called once the form is filled. */
export async function offerExamples(search) {
  const examples = await askJson("GET", "examples");
  if (!examples.length) return;
  $("#examples").hidden = false;
  const use = async ({ id, title, abstract, authors: people, author_names: names, institutions = [] }) => {
    for (const [field, text] of Object.entries({ title, abstract, identifier: id })) $(`#${field}`).value = text;
    await authors.set([...people, ...named(names)], institutions);
    search();
  };
  const usePdf = async () => {
    const content = await (await fetch("/static/sample-manuscript.pdf")).blob();
    await fillFrom(new File([content], "sample-manuscript.pdf"));
    search();
  };
  const offered = [
    ["A paper that fits", examples[0].title, () => use(examples[0])],
    ["One that nobody here works on", examples[1].title, () => use(examples[1])],
    ["A PDF file", "title, authors, abstract and references are read from it", usePdf],
  ];
  const entries = offered.map(([kind, words, fill]) => {
    const run = () => trying(fill);
    return html`<li><button type="button" onclick=${run}><strong>${kind}</strong>: ${words}</button></li>`;
  });
  put($("#examples ul"), entries);
}
