// Elements and markup: whatever a title or a name contains, it is only ever text.
import htm from "./htm.min.js";

export const $ = (selector, root = document) => root.querySelector(selector);

/** Make an element; `attributes` that start with "on" listen; of attributes and children, null and false ones are left out. */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * Make elements as `el` does, written as markup: html`<p class=${kind} onclick=${act}>${text} <b>now</b></p>`. A value is a
 * text, an element, a list of both, or nothing (null, false); `...${attributes}` adds attributes. Several elements are a list.
 */
export const html = htm.bind(function (tag, attributes, ...children) {
  this[0] = 3; // an element is made for each call, never kept for the next
  return el(tag, attributes ?? {}, ...children);
});

/** Make an element of a picture. */
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const absent = (value) => value === null || value === undefined || value === false;
const present = (children) => children.flat(Infinity).filter((child) => !absent(child));

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (absent(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

/** Put children, as `el` takes them, in place of those that an element has. */
export const put = (element, ...children) => element.replaceChildren(...present(children));

/** A button; while what it does runs it cannot be pressed again, and what goes wrong is said. */
export const button = (label, act, attributes = {}) =>
  el("button", { type: "button", onclick: ({ currentTarget }) => press(currentTarget, act), ...attributes }, label);

async function press(pressed, act) {
  const focused = pressed === document.activeElement;
  pressed.disabled = true;
  await trying(act);
  pressed.disabled = false;
  if (focused && document.activeElement === document.body) pressed.focus({ preventScroll: true }); // unless it is gone
}

/** Listen to clicks: {id of an element: what to do}. */
export function onClick(actions) {
  for (const [id, act] of Object.entries(actions)) $(`#${id}`).addEventListener("click", () => act());
}

/** Call `act` when a form is sent, which stays on the page. */
export const onSubmit = (form, act) =>
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });

/** A labelled control. */
export const field = (label, control, help = null, kind = null) => html`
  <div class=${kind ? `field ${kind}` : "field"}>
    <label for=${control.id}>${label}</label>${control}${help && html`<p class="help">${help}</p>`}
  </div>`;

/** The options of a choice, each [its value, its text]; one may be `chosen`. */
export const options = (pairs, chosen = null) =>
  pairs.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`);

/** Texts or elements as the entries of a list. */
export const items = (entries) => entries.map((entry) => html`<li>${entry}</li>`);

/** What is shown when its summary is opened. */
export const fold = (summary, content, attributes = {}) =>
  html`<details class="more" ...${attributes}><summary>${summary}</summary>${content}</details>`;

/** Entries of a list of figures, each [what it is, its value]. */
export const facts = (...pairs) =>
  pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value.toLocaleString("en")}</dd></div>`);

/** The first of some names, and how many more there are. */
export const firstOf = (names, most = 8) =>
  `${names.slice(0, most).join(", ")}${names.length > most ? ` and ${(names.length - most).toLocaleString("en")} more` : ""}`;

/** Words, of which some may be missing, in one line. */
export const dotted = (...words) => words.filter(Boolean).join(" · ");

/** What went wrong, as screen readers say at once. */
export const complaint = ({ message }) => html`<p class="problem" role="alert">${message}</p>`;

/** Put into an element what `make()` brings, or what went wrong. */
export const putAnswer = async (element, make) => put(element, await make().catch(complaint));

/** The parts of a page, by their ids, of which one is shown at a time: `show(id)`, or `fail(problem)`, which says what went wrong and offers to `retry()`. */
export function pageParts(ids, retry = null) {
  const show = (id) => {
    for (const other of ids) $(`#${other}`).hidden = other !== id;
  };
  const message = el("p");
  $("#failure").append(el("h2", {}, "That did not work"), message, retry ? button("Try again", () => retry()) : "");
  return {
    show,
    fail: (problem) => {
      message.textContent = problem.message;
      show("failure");
    },
  };
}

/** Show a message, and bring it into view: what is said outside the window is not said. */
export function reveal(element, text) {
  if (text !== undefined) element.textContent = text;
  element.hidden = false;
  element.scrollIntoView({ block: "nearest" });
}

/** A day, or a moment with its hour, as “17 Nov 2026”; the machine's form stays in the element. */
export function dayOf(moment) {
  const day = moment.length === 10 ? new Date(`${moment}T12:00:00`) : new Date(moment);
  return html`<time datetime=${moment}>${day.toLocaleDateString("en-GB", DAY)}</time>`;
}
export const momentOf = (moment) =>
  html`<time datetime=${moment}>${new Date(moment).toLocaleString("en-GB", { ...DAY, ...MINUTE })}</time>`;
const DAY = { year: "numeric", month: "short", day: "numeric" };
const MINUTE = { hour: "2-digit", minute: "2-digit" };

/** A bar that is filled by a share from 0 to 1; its value is said in the text beside it. */
export function bar(share) {
  const inner = el("span");
  inner.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return html`<span class="bar" aria-hidden="true">${inner}</span>`;
}

export const plural = (count, singular, many = `${singular}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? singular : many}`;

/** Call `act` when nothing was asked for a while: people type faster than servers answer. */
export function afterPause(act, milliseconds = 200) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
}

/** Go to another page. */
export const visit = (address) => {
  location.href = address;
};

let toastTimer;

/** Say something briefly at the foot of the page, with at most one thing to do about it; a question takes the focus. */
export function toast(message, action) {
  const box = $("#toast");
  const hide = () => {
    box.hidden = true;
  };
  const later = () => {
    clearTimeout(toastTimer);
    toastTimer = setTimeout(hide, action ? 10000 : 4000);
  };
  const run = () => {
    hide();
    return action.run();
  };
  put(box, el("span", {}, message), action && button(action.label, run));
  box.hidden = false;
  later();
  box.onpointerenter = box.onfocusin = () => clearTimeout(toastTimer); // nobody is hurried who is at it
  box.onpointerleave = box.onfocusout = later;
  box.onkeydown = (event) => {
    if (event.key === "Escape") hide();
  };
  if (action?.question) $("button", box).focus();
}

/** Ask before something is done, with one answer that does it. */
export const question = (words, label, run) => toast(words, { label, run, question: true });

/** Do something that may fail: what goes wrong is said by `tell`, unless it was said already. Returns whether it went well. */
export async function trying(act, tell = toast) {
  try {
    await act();
    return true;
  } catch (problem) {
    if (!problem.told) tell(problem.message);
    return false;
  }
}

/** The same; what goes wrong is said in the line that the page has for it. */
export function tryingHere(act) {
  $("#problem").hidden = true;
  return trying(act, (message) => reveal($("#problem"), message));
}

/** Offer a file to the user. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Call `take(files, dropped)` with the files that are chosen with `input` or dropped on `area`; `marked` shows where they may be dropped. */
export function takeFiles(area, input, take, marked = area) {
  const pass = (list, dropped) => {
    const files = [...list];
    if (files.length) take(files, dropped);
  };
  const holdsFiles = (event) => event.dataTransfer.types.includes("Files"); // text may still be dragged into a field
  area.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) {
      event.preventDefault();
      marked.classList.add("dragging");
    }
  });
  area.addEventListener("dragleave", (event) => {
    if (!area.contains(event.relatedTarget)) marked.classList.remove("dragging");
  });
  area.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    marked.classList.remove("dragging");
    pass(event.dataTransfer.files, true);
  });
  input.addEventListener("change", () => {
    pass(input.files, false);
    input.value = "";
  }); // so that the same file can be chosen again
}
