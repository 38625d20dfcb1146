// Single keys for people who prefer the keyboard. They never act while something is typed, and can be switched off.
import { html } from "../dom.js";
import { showDialog } from "./desk.js";

const KEY = "panelist-shortcuts"; // "off" where the user does not want them
const allowed = () => {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
};
const typing = (element) => Boolean(element?.closest?.("input, textarea, select, [contenteditable]"));

/**
 * Let keys act: `button` shows which there are, j and k go through `items()`.
 * `keys` are {letter: [what it does, (the current item) => void]}, `others` the same without an item.
 */
export function useShortcuts(button, { items, keys, others = {}, item: [name, selector] = ["person", ".card"] }) {
  const current = () => document.activeElement?.closest?.(selector);
  const step = (distance) => {
    const all = items();
    if (!all.length) return;
    const position = all.indexOf(current());
    const next = position < 0 ? (distance > 0 ? 0 : -1) : Math.min(Math.max(position + distance, 0), all.length - 1);
    const element = all.at(next);
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  };
  const arrows = {
    ArrowDown: [`Next ${name}, from a ${name}`, () => step(1)],
    ArrowUp: [`Previous ${name}, from a ${name}`, () => step(-1)],
  };
  keys = { ...arrows, ...keys };
  const general = {
    j: [`Next ${name}`, () => step(1)],
    k: [`Previous ${name}`, () => step(-1)],
    "?": ["Show these keys", show],
    ...others,
  };

  document.addEventListener("keydown", (event) => {
    const changed = event.ctrlKey || event.metaKey || event.altKey;
    if (changed || typing(event.target) || document.querySelector("dialog[open]") || !allowed()) return;
    const act = general[event.key]?.[1] ?? (keys[event.key] && current() ? () => keys[event.key][1](current()) : null);
    if (!act) return;
    event.preventDefault();
    act();
  });
  button.addEventListener("click", show);

  function show() {
    const remember = ({ target }) => {
      try {
        localStorage.setItem(KEY, target.checked ? "on" : "off");
      } catch {
        /* for this page only */
      }
    };
    const rows = [...Object.entries(general), ...Object.entries(keys)].map(
      ([key, [words]]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${words}</dd></div>`,
    );
    const close = html`<button class="primary" value="close">Close</button>`;
    const content = html`
      <p class="help">j and k go from ${name} to ${name}; the other keys act on what has the focus. They do nothing while you type.</p>
      <dl class="keys">${rows}</dl>
      <label class="check"><input type="checkbox" id="shortcuts-on" checked=${allowed()} onchange=${remember} /> Single keys act</label>
      <div class="actions">${close}</div>`;
    showDialog("Keys", ...content);
    close.focus();
  }
}
