// All conferences, and a new one.
import { $, dayOf, el, onClick, plural, reveal, takeFiles } from "../dom.js";
import { ask, askJson } from "../api.js";
import { keepWho, who } from "./shell.js";

const SAMPLES = {
  // that 'panelist demo' makes
  "Invented Conference":
    "A sample to try everything on, all of it invented: files, conflicts and scores, two assignments of which one is chosen, reviews with what a chair should notice, calibration. Change what you like, or forget it below its name.",
};

async function show() {
  const conferences = await askJson("GET", "conferences");
  $("#list").replaceChildren(
    ...conferences.map(({ id, name, created, files }) =>
      el(
        "li",
        {},
        el("a", { href: `/conferences/${id}` }, name),
        el("span", { class: "help" }, [`created ${dayOf(created).textContent}`, ...files].join(" · ")),
        SAMPLES[name] ? el("p", { class: "meta" }, SAMPLES[name]) : null,
      ),
    ),
  );
  if (!conferences.length) $("#list").append(el("li", { class: "help" }, "There is none yet: give a name above."));
  $("#status").textContent = plural(conferences.length, "conference");
}

const fail = (problem) => reveal($("#problem"), problem.message);

/** Make a conference, do with its id what else it needs, then go to one of its pages. */
async function create(name, page = "", fill = () => {}) {
  $("#problem").hidden = true;
  const { id } = await askJson("POST", `conferences?${new URLSearchParams({ who: who() })}`, { json: { name } });
  try {
    await fill(id);
  } catch (problem) {
    await ask("DELETE", `conferences/${id}`); // a conference without its file would only be in the way
    throw problem;
  }
  location.href = `/conferences/${id}${page}`;
}

/** Make a conference of one file: scores are assigned, reviews calibrated and checked. */
async function take(file) {
  const head = (await file.slice(0, 2000).text()).split("\n")[0].toLowerCase();
  const texts = /\btext\b|review/.test(head) || /review/.test(file.name.toLowerCase());
  const kind = texts
    ? /\btext\b/.test(head) || /\.jsonl?$/i.test(file.name)
      ? "reviews/texts"
      : "reviews/scores"
    : "files/scores";
  const content = { body: file, type: texts ? "text/csv" : "application/octet-stream" };
  await create(file.name, texts ? "/reviews" : "", (id) =>
    ask("PUT", `conferences/${id}/${kind}?${new URLSearchParams({ name: file.name, who: who() })}`, content),
  );
}

keepWho($("#who"));
takeFiles($("#drop"), $("#file"), ([file]) => take(file).catch(fail));
onClick({ choose: () => $("#file").click() });
$("#create").addEventListener("submit", (event) => {
  event.preventDefault();
  create($("#name").value).catch((problem) => {
    fail(problem);
    $("#name").focus();
  });
});
show().catch(fail);
