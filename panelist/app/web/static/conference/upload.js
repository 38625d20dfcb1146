// Files that are sent: an area to drop or choose one, what is odd about one that was kept, and why one was refused.
import { $, el, takeFiles } from "../dom.js";
import { change } from "./shell.js";

/** An area for reviews, their `scores` or `texts`: `next()` is called when a file was kept; else it is said why not. */
export function takeReviews(kind, title, help, next) {
  const input = el("input", { type: "file", id: kind, accept: ".csv,text/csv", hidden: true, "aria-label": title });
  const drop = el(
    "div",
    { class: "drop" },
    el("p", {}, el("strong", {}, title), el("br"), el("span", {}, help)),
    el("button", { type: "button", class: "primary", onclick: () => input.click() }, "Choose a file"),
    input,
  );
  takeFiles(drop, input, async ([file]) => {
    $("#refused").replaceChildren();
    try {
      await change("PUT", `/reviews/${kind}?${new URLSearchParams({ name: file.name })}`, {
        body: file,
        type: "text/csv",
      });
    } catch (problem) {
      $("#refused").replaceChildren(
        el("p", { class: "problem", role: "alert" }, `Nothing was kept. ${problem.message}`),
        wrongLines(problem.errors),
      );
      return;
    }
    await next();
  });
  $("#upload").replaceChildren(drop);
}

/** What was sent: its name, what was read, and what is odd beside the assignment. */
export function sent(file) {
  if (!file) return el("div");
  return el(
    "div",
    { class: "sent" },
    el("p", {}, el("strong", {}, file.name), ` · ${file.summary}`),
    oddities(file.odd),
  );
}

/** What is odd about a file, each with its lines; nothing where nothing is. */
export function oddities(odd) {
  return odd.length
    ? el(
        "ul",
        { class: "oddities" },
        odd.map(({ what, count, where }) => {
          if (!where.length) return el("li", {}, what);
          const more = count > where.length ? [`… and ${(count - where.length).toLocaleString("en")} more`] : [];
          const places = where.map(({ file, line, text }) =>
            [file, line ? `line ${line.toLocaleString("en")}` : null, text].filter(Boolean).join(" · "),
          );
          return el(
            "li",
            {},
            el(
              "details",
              {},
              el("summary", {}, `${count.toLocaleString("en")} × ${what}`),
              lines([...places, ...more], what),
            ),
          );
        }),
      )
    : null;
}

/** Lines of a file; a list that may scroll, so the keyboard reaches it. */
const lines = (texts, label) =>
  el(
    "ul",
    { class: "lines", tabindex: "0", "aria-label": label },
    texts.map((text) => el("li", {}, text)),
  );

/** What is wrong with a file, by line; nothing where the message says it all. */
export function wrongLines(errors = []) {
  return errors.some(({ field }) => field)
    ? lines(
        errors.map(({ field, message }) => [field, message].filter(Boolean).join(" · ")),
        "What is wrong, by line",
      )
    : "";
}
