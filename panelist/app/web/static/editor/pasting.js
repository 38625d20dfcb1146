// A DOI, an id or a record instead of title and abstract: found in the corpus, elsewhere only when the editor says so.
import { $, el, toast } from "../dom.js";
import { askJson } from "../api.js";

const DOI = /^\s*(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?10\.\d{4,9}\/\S+\s*$/i;

/** @param {(found) => void} fill takes the fields of the submission */
export function usePasting(fill) {
  const box = $("#record");
  const answer = $("#record-answer");
  const say = (...parts) => { answer.replaceChildren(...parts); answer.hidden = parts.length === 0; };

  async function resolve(elsewhere = false) {
    const text = box.value.trim();
    if (!text) { box.focus(); return; }
    say(elsewhere ? "Asking …" : "Looking in the corpus …");
    try {
      const { found, host, kind } = await askJson("POST", "records", { json: { text, elsewhere } });
      if (found) {
        fill(found);
        box.value = "";
        say();
        $("#paste").open = false;
        toast(`Filled from ${found.source}: please check`);
      } else if (host && !elsewhere) {
        say(`Not in the corpus. ${host} may know it: only this ${kind === "doi" ? "DOI" : "id"} would be sent there, and it would learn this server’s address. `,
          el("button", { type: "button", id: "record-elsewhere", onclick: () => resolve(true) }, `Ask ${host}`));
      } else if (elsewhere) {
        say(`${host} does not know it either: please give title and abstract.`);
      } else {
        say("Not in the corpus, and this server asks nobody else: paste the whole record, or give title and abstract.");
      }
    } catch (problem) {
      say(problem.message);
    }
  }

  $("#resolve").addEventListener("click", () => resolve());
  box.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); event.stopPropagation(); resolve(); } });
  $("#title").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!DOI.test(text)) return;
    event.preventDefault();
    box.value = text.trim();
    $("#paste").open = true;
    resolve();
  });
}
