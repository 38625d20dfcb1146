// Files that are sent: an area to drop or choose one, what is odd about one that was kept, and why one was refused.
import { $, button, complaint, dotted, el, html, items, put, takeFiles } from "../dom.js";
import { change } from "./shell.js";

/** An area for reviews, their `scores` or `texts`: `next()` is called when a file was kept; else it is said why not. */
export function takeReviews(kind, title, help, next) {
  const input = html`<input type="file" id=${kind} accept=".csv,text/csv" hidden aria-label=${title} />`;
  const drop = html`
    <div class="drop">
      <p><strong>${title}</strong><br /><span>${help}</span></p>
      ${button("Choose a file", () => input.click(), { class: "primary" })}${input}
    </div>`;
  takeFiles(drop, input, async ([file]) => {
    put($("#refused"));
    try {
      await change("PUT", `/reviews/${kind}`, { body: file, type: "text/csv" }, { name: file.name });
    } catch ({ message, errors }) {
      put($("#refused"), complaint({ message: `Nothing was kept. ${message}` }), wrongLines(errors));
      return;
    }
    await next();
  });
  put($("#upload"), drop);
}

/** What was sent: its name, what was read, and what is odd beside the assignment. */
export const sent = (file) =>
  file
    ? html`<div class="sent"><p><strong>${file.name}</strong> · ${file.summary}</p>${oddities(file.odd)}</div>`
    : el("div");

/** What is odd about a file, each with its lines; nothing where nothing is. */
export const oddities = (odd) => odd.length > 0 && html`<ul class="oddities">${odd.map(oddity)}</ul>`;

function oddity({ what: words, count, where: places }) {
  if (!places.length) return html`<li>${words}</li>`;
  const more = count - places.length;
  const texts = places.map(({ file, line, text }) => dotted(file, line && `line ${line.toLocaleString("en")}`, text));
  if (more > 0) texts.push(`… and ${more.toLocaleString("en")} more`);
  return html`<li><details><summary>${count.toLocaleString("en")} × ${words}</summary>${lines(texts, words)}</details></li>`;
}

/** Lines of a file; a list that may scroll, so the keyboard reaches it. */
const lines = (texts, label) => html`<ul class="lines" tabindex="0" aria-label=${label}>${items(texts)}</ul>`;

/** What is wrong with a file, by line; nothing where the message says it all. */
export function wrongLines(errors = []) {
  const texts = errors.map(({ field, message }) => dotted(field, message));
  return errors.some(({ field }) => field) && lines(texts, "What is wrong, by line");
}
