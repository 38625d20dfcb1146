// Sign in, then go where the user wanted to be: a page of this server, never elsewhere.
import { $, onSubmit, reveal, visit } from "./dom.js";
import { ask, askJson } from "./api.js";

const next = new URL(new URLSearchParams(location.search).get("next") ?? "/", location.origin);
const target = next.origin === location.origin ? next.pathname + next.search : "/";
const problem = $("#sign-in .problem");
problem.hidden = !problem.textContent;

askJson("GET", "session").then(({ provider }) => {
  $("#elsewhere").hidden = !provider;
  $("#elsewhere a").search = new URLSearchParams({ next: target });
});

onSubmit($("#sign-in"), async () => {
  try {
    await ask("POST", "session", { json: { name: $("#name").value, password: $("#password").value } });
    visit(target);
  } catch (refused) {
    $("#password").value = "";
    reveal(problem, refused.message);
  }
});
