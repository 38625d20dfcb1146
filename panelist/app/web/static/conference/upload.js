// A place to drop or choose one CSV file, and what is odd about the one that was sent.
import { el, takeFiles } from "../dom.js";

/** The element; `take(file)` is called with the file. */
export function upload({ id, title, help, take }) {
  const input = el("input", { type: "file", id, accept: ".csv,text/csv", hidden: true, "aria-label": title });
  const drop = el("div", { class: "drop" }, el("p", {}, el("strong", {}, title), el("br"), el("span", {}, help)),
    el("button", { type: "button", class: "primary", onclick: () => input.click() }, "Choose a file"), input);
  takeFiles(drop, input, (file) => { take(file); input.value = ""; });
  return drop;
}

/** What was sent: its name, what was read, and what is odd beside the assignment. */
export function sent(file) {
  if (!file) return el("div");
  const oddity = ({ what, count, where }) => el("li", {}, el("details", {}, el("summary", {}, where.length ? `${count.toLocaleString("en")} × ${what}` : what),
    el("ul", { class: "lines" }, where.map(({ line, text }) => el("li", {}, [line ? `line ${line.toLocaleString("en")}` : null, text].filter(Boolean).join(" · "))),
      count > where.length && where.length ? el("li", {}, `… and ${(count - where.length).toLocaleString("en")} more`) : null)));
  return el("div", { class: "sent" }, el("p", {}, el("strong", {}, file.name), ` · ${file.summary}`), file.odd.length ? el("ul", { class: "oddities" }, file.odd.map(oddity)) : null);
}

/** Why a file was refused, with its lines. */
export function refused(root, problem) {
  root.replaceChildren(el("p", { class: "problem", role: "alert" }, `Nothing was kept. ${problem.message}`),
    problem.errors?.some(({ field }) => field) ? el("ul", { class: "lines" }, problem.errors.map(({ field, message }) => el("li", {}, [field, message].filter(Boolean).join(" · ")))) : "");
}
