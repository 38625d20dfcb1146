// Leads on collusion, for chairs: groups whose bids on each other's papers nothing else explains.
import { $, button, complaint, fold, html, momentOf, plural, putAnswer } from "../dom.js";
import { ask } from "../api.js";
import { paperPage, path, personPage, read } from "./shell.js";

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

const show = () => putAnswer($("#leads > div"), async () => found(await read("/leads")));

function found({ working, error, at: moment, stale, leads }) {
  if (working && !waiting) {
    waiting = true;
    setTimeout(() => {
      waiting = false;
      show();
    }, PAUSE);
  }
  const look = async () => {
    await ask("POST", path("/leads"));
    await show();
  };
  return html`
    <p class="help">
      Groups that bid on each other’s papers far more than their other bids, the demand for papers and their texts explain. A lead is where to look, never a verdict: people of one small field bid on each other’s papers, too. Chairs alone see this.
    </p>
    ${
      working
        ? html`<p role="status">Looking …</p>`
        : button(moment ? "Look again" : "Look for leads", look, { id: "look-for-leads" })
    }
    ${error && !working && complaint({ message: error })}
    ${
      moment &&
      html`<p class="help">
        ${stale ? "Files have changed since this was found, " : "Found "}${momentOf(moment)}${leads.length ? "" : ": no group stands out."}
      </p>`
    }
    ${leads.length > 0 && html`<ul id="lead-list" aria-label="Leads">${leads.map(item)}</ul>`}`;
}

function item({ members, bids, possible, expected, evidence, distant, ring }) {
  const between = ring ? " → " : ", ";
  const bid = ({ reviewer, name, paper, title }) =>
    html`<li><a href=${personPage(reviewer)}>${name}</a> on <a href=${paperPage(paper)}>${title}</a></li>`;
  return html`
    <li>
      <p><strong>${members.map(([person, name], index) => [index > 0 && between, html`<a href=${personPage(person)}>${name}</a>`])}</strong></p>
      <p class="help">
        ${bids.length.toLocaleString("en")} of ${plural(possible, "possible bid")} on papers of ${ring ? "the next one" : "each other"}; by their other bids ${expected.toFixed(1)} would be expected (evidence ${evidence.toFixed(1)})${distant ? `; ${distant} on papers of co-authors of their co-authors` : ""}.
      </p>
      ${fold(plural(bids.length, "bid"), html`<ul>${bids.map(bid)}</ul>`)}
    </li>`;
}
