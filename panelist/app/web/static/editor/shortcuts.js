// Single keys for people who prefer the keyboard. They never act while something is typed, and can be switched off.
import { el } from "../dom.js";
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
  const step = (by) => {
    const all = items();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
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
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      typing(event.target) ||
      document.querySelector("dialog[open]") ||
      !allowed()
    )
      return;
    const act = general[event.key]?.[1] ?? (keys[event.key] && current() ? () => keys[event.key][1](current()) : null);
    if (!act) return;
    event.preventDefault();
    act();
  });
  button.addEventListener("click", show);

  function show() {
    const check = el("input", {
      type: "checkbox",
      id: "shortcuts-on",
      checked: allowed(),
      onchange: () => {
        try {
          localStorage.setItem(KEY, check.checked ? "on" : "off");
        } catch {
          /* for this page only */
        }
      },
    });
    const rows = [...Object.entries(general), ...Object.entries(keys)].map(([key, [what]]) =>
      el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)),
    );
    const close = el("button", { class: "primary", value: "close" }, "Close");
    showDialog(
      "Keys",
      el(
        "p",
        { class: "help" },
        `j and k go from ${name} to ${name}; the other keys act on what has the focus. They do nothing while you type.`,
      ),
      el("dl", { class: "keys" }, rows),
      el("label", { class: "check" }, check, " Single keys act"),
      el("div", { class: "actions" }, close),
    );
    close.focus();
  }
}
