// Sign in, then go where the user wanted to be: a page of this server, never elsewhere.
import { $, reveal } from "./dom.js";
import { ask } from "./api.js";

$("#sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("POST", "session", { json: { name: $("#name").value, password: $("#password").value } });
    const next = new URL(new URLSearchParams(location.search).get("next") ?? "/", location.origin);
    location.href = next.origin === location.origin ? next.href : "/";
  } catch (problem) {
    $("#password").value = "";
    reveal($("#sign-in .problem"), problem.message);
  }
});
