// Leads on collusion, for chairs: groups whose bids on each other's papers nothing else explains.
import { $, el, momentOf, plural, trying } from "../dom.js";
import { ask, askJson } from "../api.js";
import { id, paperPage, personPage } from "./shell.js";

const PAUSE = 1500; // milliseconds
let waiting = false;

/** Show the leads behind their summary, where there are bids. */
export function leadsOf(bids) {
  const box = $("#leads");
  box.hidden = !bids;
  box.ontoggle = () => {
    if (box.open) show();
  };
  if (bids && box.open) show();
}

async function show() {
  const inside = $("#leads > div");
  try {
    const found = await askJson("GET", `conferences/${id}/leads`);
    inside.replaceChildren(...parts(found).filter(Boolean));
    if (found.working && !waiting) {
      waiting = true;
      setTimeout(() => {
        waiting = false;
        show();
      }, PAUSE);
    }
  } catch (problem) {
    inside.replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
}

function parts({ working, error, at, stale, leads }) {
  return [
    el(
      "p",
      { class: "help" },
      "Groups that bid on each other’s papers far more than their other bids, the demand for papers and their texts explain. A lead is where to look, never a verdict: people of one small field bid on each other’s papers, too. Chairs alone see this.",
    ),
    working
      ? el("p", { role: "status" }, "Looking …")
      : el(
          "button",
          {
            type: "button",
            id: "look-for-leads",
            onclick: () =>
              trying(async () => {
                await ask("POST", `conferences/${id}/leads`);
                await show();
              }),
          },
          at ? "Look again" : "Look for leads",
        ),
    error && !working ? el("p", { class: "problem", role: "alert" }, error) : null,
    at
      ? el(
          "p",
          { class: "help" },
          stale ? "Files have changed since this was found, " : "Found ",
          momentOf(at),
          leads.length ? "" : ": no group stands out.",
        )
      : null,
    leads.length ? el("ul", { id: "lead-list", "aria-label": "Leads" }, leads.map(item)) : null,
  ];
}

function item({ members, bids, possible, expected, evidence, distant, ring }) {
  const people = members.flatMap(([person, name], at) => [
    at ? (ring ? " → " : ", ") : "",
    el("a", { href: personPage(person) }, name),
  ]);
  return el(
    "li",
    {},
    el("p", {}, el("strong", {}, people)),
    el(
      "p",
      { class: "help" },
      `${bids.length.toLocaleString("en")} of ${plural(possible, "possible bid")} on papers of ${ring ? "the next one" : "each other"}; by their other bids ${expected.toFixed(1)} would be expected (evidence ${evidence.toFixed(1)})${distant ? `; ${distant} on papers of co-authors of their co-authors` : ""}.`,
    ),
    el(
      "details",
      { class: "more" },
      el("summary", {}, plural(bids.length, "bid")),
      el(
        "ul",
        {},
        bids.map(({ reviewer, name, paper, title }) =>
          el(
            "li",
            {},
            el("a", { href: personPage(reviewer) }, name),
            " on ",
            el("a", { href: paperPage(paper) }, title),
          ),
        ),
      ),
    ),
  );
}
