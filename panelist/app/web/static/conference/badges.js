// What a chair should see beside a name: a conflict, low confidence, a change by hand; and the buttons that settle a conflict.
import { el } from "../dom.js";
import { id, note } from "./shell.js";

/** The page of one person of this conference. */
export const personPage = (reviewer) => `/conferences/${encodeURIComponent(id)}/person?${new URLSearchParams({ id: reviewer })}`;

/** A conflict as a badge; nothing where there is none, or somebody dismissed it. */
function conflictBadge(conflict) {
  if (!conflict || (!conflict.certain && !conflict.possible)) return null;
  return el("span", { class: `tag ${conflict.certain ? "bad" : "warn"}`, title: conflict.evidence }, conflict.certain ? "conflict" : "possible conflict");
}

/** All badges of an assigned pair. */
export const badges = ({ conflict, confidence, by_hand: byHand, role }) => [
  conflictBadge(conflict), confidence === "low" ? el("span", { class: "tag" }, "low confidence") : null,
  byHand ? el("span", { class: "tag" }, "by hand") : null, role && role !== "reviewer" ? el("span", { class: "tag" }, role) : null].filter(Boolean);

/** A conflict in words: its reasons, what was decided, and buttons to decide. */
export function conflictCard(conflict, heading) {
  const { submission: paper, reviewer, reasons, decision, certain } = conflict;
  const act = (action, label, said) => el("button", { type: "button", "data-action": action, onclick: () => note({ action, paper, reviewer }, said) }, label);
  const byIds = reasons.some((reason) => reason.certain);
  return el("li", { class: `conflict ${certain ? "certain" : conflict.possible ? "possible" : "dismissed"}` },
    el("p", {}, el("strong", {}, heading), " ", el("span", { class: "tag" }, decision ? decision.verdict : certain ? "certain" : "possible")),
    el("ul", {}, reasons.map((reason) => el("li", {}, reason.evidence))),
    decision ? el("p", { class: "help" }, `${decision.verdict} by ${decision.by || "somebody"}${decision.note ? `: ${decision.note}` : ""}`) : null,
    byIds ? null : el("div", { class: "buttons" }, decision?.verdict === "confirmed" ? null : act("confirm", "Confirm", "Confirmed: the pair will not be assigned."), decision?.verdict === "dismissed" ? null : act("dismiss", "Dismiss", "Dismissed: the pair may be assigned.")));
}
