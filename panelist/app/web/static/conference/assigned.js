// Who reviews what in the chosen solution: a long list, and a dialog to change a pair by hand or to ask why.
import { $, afterPause, el, field, toast } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { button } from "./solutions.js";
import { change, id, paperPage } from "./shell.js";

const HAND = { 1: "locked by hand", "-1": "to be taken off", 0: "free again" };

/** The list of a solution's pairs, as an element with `reload()`. */
export function pairList(number) {
  const search = el("input", { id: "pair-search", type: "search", autocomplete: "off", placeholder: "a paper or a reviewer" });
  const order = el("select", { id: "pair-order" }, [["paper", "paper"], ["reviewer", "reviewer"], ["score", "score, lowest first"]].map(([value, text]) => el("option", { value }, text)));
  const load = (offset, limit, signal) => askJson("GET", `conferences/${id}/solutions/${number}/pairs?${new URLSearchParams({ offset, limit, order: order.value, search: search.value })}`, { signal });
  const box = el("div", { class: "rows of-assigned" });
  let at = 0;
  const list = windowed(box, {
    label: "Who reviews what", head: ["Paper", "Reviewer", "Score", "Confidence", "Remarks"], load, empty: "No paper or reviewer is called that.",
    cells: ({ pair, title, name, confidence, hand, conflict }) => [el("span", { title: pair.paper }, title), el("span", { title: pair.reviewer }, name), pair.scored ? pair.score.toFixed(4) : "none", confidence ?? "–",
      [conflict && (conflict.certain || conflict.possible) ? `${conflict.certain ? "conflict" : "possible conflict"}: ${conflict.evidence}` : null, pair.role === "reviewer" ? null : pair.role, pair.locked ? "locked" : null, pair.probability < 1 ? `chance ${pair.probability.toFixed(2)}` : null,
        hand === null || (pair.locked && hand === 1) ? null : HAND[hand]].filter(Boolean).join(", ")],
    open: ({ pair, title, name, hand }, position) => { at = position; openPair(number, { ...pair, title, name }, hand); },
  });
  const fromTop = () => { at = 0; list.reset(); };
  search.addEventListener("input", afterPause(fromTop));
  order.addEventListener("change", fromTop);
  const root = el("div", { class: "pairs" }, el("div", { class: "settings" }, field("Search", search), field("Order by", order)),
    el("p", { class: "help" }, "Choose a pair to change it or to ask why: click, or arrows and Enter."), box);
  root.reload = async () => { await list.reset(); list.show(at); };
  list.reset();
  return root;
}

async function openPair(number, pair, hand) {
  const dialog = $("#pair-dialog");
  const say = el("p", { class: "problem", role: "alert", hidden: true });
  const act = (label, body, options) => button(label, async () => {
    say.hidden = true;
    try {
      await change("POST", "/changes", { json: { paper: pair.paper, reviewer: pair.reviewer, ...body() } });
      dialog.close();
      toast("Noted. The next solution knows it.");
    } catch (problem) {
      say.textContent = problem.message;
      say.hidden = false;
    }
  }, options);
  const instead = el("select", { id: "instead" });
  const reasons = el("div", { "aria-live": "polite" });
  const others = el("p", { class: "help", id: "alternates-help" });
  const locked = pair.locked ? hand !== 0 : hand === 1;
  dialog.replaceChildren(
    el("h2", { id: "pair-heading" }, `${pair.name} on “${pair.title}”`), say, el("p", {}, el("a", { href: paperPage(pair.paper) }, "All about this paper, and how to exchange its reviewers")), reasons,
    el("div", { class: "buttons" },
      locked ? act("Release", () => ({ action: "release" }), { id: "release" }) : act("Lock", () => ({ action: "lock" }), { id: "lock" }),
      act("Forbid", () => ({ action: "forbid" }), { id: "forbid" }),
      act("Declined this paper", () => ({ action: "decline" }), { id: "declined" }),
      act("Declined altogether", () => ({ action: "decline", paper: "" }), { id: "declined-all" }),
      button("Why?", () => explain(number, pair, reasons), { id: "why" })),
    el("fieldset", {}, el("legend", {}, "Somebody else instead"), others, field("Reviewer", instead),
      act("Replace", () => ({ action: "replace", other: instead.value }), { id: "replace" })),
    el("form", { method: "dialog" }, el("button", {}, "Close")));
  dialog.setAttribute("aria-labelledby", "pair-heading");
  dialog.showModal();
  try {
    const found = await askJson("GET", `conferences/${id}/solutions/${number}/alternates?${new URLSearchParams({ paper: pair.paper })}`);
    instead.replaceChildren(...found.map((one) => el("option", { value: one.reviewer }, `${one.name} (${one.score.toFixed(4)})`)));
    others.textContent = found.length
      ? `Alternates: ${found.map((one) => `${one.name} (${one.score.toFixed(3)}${one.swaps.length ? `, after ${one.swaps.map((swap) => `${swap.takes} for ${swap.gives_up} on ${swap.paper}`).join("; ")}` : ""})`).join(", ")}`
      : "Nobody with a score is free.";
  } catch (problem) {
    others.textContent = problem.message;
  }
}

async function explain(number, pair, root) {
  root.replaceChildren(el("p", { class: "help" }, "Thinking …"));
  const found = await askJson("GET", `conferences/${id}/solutions/${number}/why?${new URLSearchParams({ paper: pair.paper, reviewer: pair.reviewer })}`)
    .catch((problem) => { root.replaceChildren(el("p", { class: "problem" }, problem.message)); return null; });
  if (!found) return;
  root.replaceChildren(el("ul", { class: "reasons" }, found.conflict ? el("li", {}, `${found.conflict.certain ? "conflict" : "possible conflict"}: ${found.conflict.evidence}`) : null,
    found.reasons.map((reason) => el("li", {}, reason)),
    found.score === null ? null : el("li", {}, `score ${found.score.toFixed(4)}, rank ${found.rank} of the paper’s candidates`),
    found.cost === null ? null : el("li", {}, `${found.chosen ? "without" : "with"} the pair, the greatest total would be ${found.cost.toFixed(4)} less`)));
}
