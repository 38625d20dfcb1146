// Who reviews what in the chosen solution: a long list, each pair of which leads to the page of its paper.
import { afterPause, el, field } from "../dom.js";
import { askJson } from "../api.js";
import { windowed } from "../windowed.js";
import { id, paperPage } from "./shell.js";

const HAND = { 1: "locked by hand", "-1": "to be taken off", 0: "free again" };

/** The list of a solution's pairs, as an element with `reload()`. */
export function pairList(number) {
  const search = el("input", { id: "pair-search", type: "search", autocomplete: "off", placeholder: "a paper or a reviewer" });
  const sort = el("select", { id: "pair-order" }, [["paper", "paper"], ["reviewer", "reviewer"], ["score", "score, lowest first"]].map(([value, text]) => el("option", { value }, text)));
  const load = (offset, limit, signal) => askJson("GET", `conferences/${id}/solutions/${number}/pairs?${new URLSearchParams({ offset, limit, sort: sort.value, search: search.value })}`, { signal });
  const box = el("div", { class: "rows of-assigned" });
  const list = windowed(box, {
    label: "Who reviews what", head: ["Paper", "Reviewer", "Score", "Confidence", "Remarks"], load, empty: "No paper or reviewer is called that.",
    cells: ({ pair, title, name, confidence, hand, conflict }) => [el("span", { title: pair.paper }, title), el("span", { title: pair.reviewer }, name), pair.scored ? pair.score.toFixed(4) : "none", confidence ?? "–",
      [conflict && (conflict.certain || conflict.possible) ? `${conflict.certain ? "conflict" : "possible conflict"}: ${conflict.evidence}` : null, pair.role === "reviewer" ? null : pair.role, pair.locked ? "locked" : null, pair.probability < 1 ? `chance ${pair.probability.toFixed(2)}` : null,
        hand === null || (pair.locked && hand === 1) ? null : HAND[hand]].filter(Boolean).join(", ")],
    open: ({ pair }) => { location.href = paperPage(pair.paper); },
  });
  search.addEventListener("input", afterPause(() => list.reset()));
  sort.addEventListener("change", () => list.reset());
  const root = el("div", { class: "pairs" }, el("div", { class: "settings" }, field("Search", search), field("Order by", sort)),
    el("p", { class: "help" }, "Choose a pair to change it or to ask why: click, or arrows and Enter."), box);
  root.reload = () => list.reset();
  list.reset();
  return root;
}
