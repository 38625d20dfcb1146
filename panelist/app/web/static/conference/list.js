// All conferences, and a new one.
import { $, dayOf, el, plural } from "../dom.js";
import { askJson, showAbout } from "../api.js";
import { keepWho, who } from "./shell.js";

async function show() {
  const found = await askJson("GET", "conferences");
  $("#list").replaceChildren(...found.map((one) => el("li", {},
    el("a", { href: `/conferences/${one.id}` }, one.name), el("span", { class: "help" }, [`created ${dayOf(one.created).textContent}`, ...one.files].join(" · ")))));
  if (!found.length) $("#list").append(el("li", { class: "help" }, "There is none yet: give a name above."));
  $("#status").textContent = plural(found.length, "conference");
}

function fail(problem) {
  $("#problem").textContent = problem.message;
  $("#problem").hidden = false;
}

keepWho($("#who"));
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
showAbout();
