// The scores of a conference: begin or resume scoring, then look at them in numbers and in a plot.
import { $, el, plural } from "../dom.js";
import { askJson } from "../api.js";
import { scorePlot } from "../plots.js";
import { followScoring } from "./scoring.js";
import { begin, id, knownLabels, onConference, paperPage } from "./shell.js";

const number = (value) => value.toFixed(3);
const summary = () => askJson("GET", `conferences/${id}/scores?${new URLSearchParams($("#threshold").value === "" ? {} : { threshold: $("#threshold").value })}`);

async function show(conference) {
  const scored = conference.files.includes("scores");
  $("#none").hidden = scored;
  $("#found").hidden = !scored;
  if (!scored) return;
  const labels = await knownLabels();
  tell(await summary(), labels);
  const key = (name) => el("span", { class: `key ${name}` }, name);
  const caption = ["Every submission: its ", key("best"), ", ", key("third"), " and ", key("tenth"), " best reviewer; the line is where a reviewer counts as able. ", el("span", { id: "pointed", "aria-live": "polite" })];
  $("#plot").replaceChildren(scorePlot(await askJson("GET", `conferences/${id}/scores/plot`), (paper) => { location.href = paperPage(paper); }, caption, labels.title));
}

function tell(found, labels) {
  const fact = (value, text) => el("div", {}, el("dt", {}, text), el("dd", {}, value.toLocaleString("en")));
  const own = found.own_papers.slice(0, 3).map(([paper, who]) => `${labels.title(paper)} (${labels.name(who)})`).join(", ");
  $("#lead").textContent = `${found.summary}: ${plural(found.papers, "submission")} and ${plural(found.reviewers, "reviewer")}, scores from ${number(found.lowest)} to ${number(found.highest)}.`;
  $("#notes").replaceChildren(...[
    found.stale ? "Files were changed since: these scores are of the old ones. Score again." : null,
    own ? `${plural(found.own_papers.length, "submission is", "submissions are")} in a reviewer’s own profile: ${own}${found.own_papers.length > 3 ? ` and ${(found.own_papers.length - 3).toLocaleString("en")} more` : ""}` : null,
  ].filter(Boolean).map((text) => el("li", {}, text)));
  $("#facts").replaceChildren(fact(found.thin, "submissions with fewer than 3 able reviewers"), fact(found.unwanted, "reviewers wanted by nobody"),
    fact(found.conflicts, "pairs with a certain conflict"), fact(found.possible_conflicts, "pairs with a possible conflict"));
  $("#threshold").placeholder = found.threshold.toFixed(4);
}

$("#threshold").addEventListener("change", async () => tell(await summary(), await knownLabels()));
$("#look").addEventListener("submit", (event) => event.preventDefault());
onConference(show);
followScoring();
begin();
