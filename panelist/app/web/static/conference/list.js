// All conferences, and a new one.
import { $, dayOf, el, plural, reveal, takeFiles } from "../dom.js";
import { ask, askJson } from "../api.js";
import { keepWho, who } from "./shell.js";

async function show() {
  const found = await askJson("GET", "conferences");
  $("#list").replaceChildren(...found.map((one) => el("li", {},
    el("a", { href: `/conferences/${one.id}` }, one.name), el("span", { class: "help" }, [`created ${dayOf(one.created).textContent}`, ...one.files].join(" · ")))));
  if (!found.length) $("#list").append(el("li", { class: "help" }, "There is none yet: give a name above."));
  $("#status").textContent = plural(found.length, "conference");
}

function fail(problem) {
  reveal($("#problem"), problem.message);
}

/** Make a conference of one file: scores are assigned, reviews calibrated and checked. */
async function take(file) {
  $("#problem").hidden = true;
  try {
    const head = (await file.slice(0, 2000).text()).split("\n")[0].toLowerCase();
    const texts = /\btext\b|review/.test(head) || /review/.test(file.name.toLowerCase());
    const kind = texts ? (/\btext\b/.test(head) || /\.jsonl?$/i.test(file.name) ? "reviews/texts" : "reviews/scores") : "files/scores";
    const made = await askJson("POST", `conferences?${new URLSearchParams({ who: who() })}`, { json: { name: file.name } });
    try {
      const type = texts ? "text/csv" : "application/octet-stream";
      await ask("PUT", `conferences/${made.id}/${kind}?${new URLSearchParams({ name: file.name, who: who() })}`, { body: file, type });
    } catch (problem) {
      await ask("DELETE", `conferences/${made.id}`); // a conference without its file would only be in the way
      throw problem;
    }
    location.href = `/conferences/${made.id}${texts ? "/reviews" : ""}`;
  } catch (problem) {
    fail(problem);
  }
}

keepWho($("#who"));
takeFiles($("#drop"), $("#file"), ([file]) => take(file));
$("#choose").addEventListener("click", () => $("#file").click());
$("#create").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("#problem").hidden = true;
  try {
    const made = await askJson("POST", `conferences?${new URLSearchParams({ who: who() })}`, { json: { name: $("#name").value } });
    location.href = `/conferences/${made.id}`;
  } catch (problem) {
    fail(problem);
    $("#name").focus();
  }
});
show().catch(fail);
