// One person of a conference: load, papers, conflicts, and how mild or harsh they are.
import { $, dotted, facts, field, html, plural, putAnswer } from "../dom.js";
import { profileOf } from "./profile.js";
import { badges, begin, conflictCard, note, noteButton, paperPage, read } from "./shell.js";

const person = new URLSearchParams(location.search).get("id") ?? "";

const show = () => putAnswer($("#person"), async () => view(await read("/person", { id: person })));

function view({ row, conflicts, best }) {
  const quota = html`<input id="quota" type="number" min="0" max="1000" value=${row.quota ?? ""} />`;
  const change = (event) => {
    event.preventDefault();
    note({ action: "quota", quotas: { [row.id]: Number(quota.value) } });
  };
  document.title = `${row.name} · Panelist`;
  return html`
    <h2 title=${row.id}>${row.name}</h2>
    <p class="help">${dotted(row.institution, row.role) || "Nothing else is known."}</p>
    <dl class="facts">
      ${facts(
        ["papers in the profile", row.papers ?? "–"],
        ["assigned", `${row.assigned.length}${row.quota === null ? "" : ` of ${row.quota}`}`],
        ["best score", row.best?.toFixed(3) ?? "–"],
        ["offset of the scores given", row.offset?.toFixed(2) ?? "–"],
      )}
    </dl>
    ${list("Assigned papers", row.assigned)}${list("Best papers by score", best)}${profileOf(row.id)}
    <h3>${plural(conflicts.length, "conflict")}</h3>
    <ul class="conflict-list">${conflicts.map(({ conflict, title }) => conflictCard(conflict, title))}</ul>
    <form class="settings" onsubmit=${change}>
      ${field("At most this many papers", quota)}<button>Note it</button>
      ${noteButton("Declined altogether", { action: "decline", reviewer: row.id })}
    </form>`;
}

const list = (title, papers) => html`
  <section aria-label=${title}>
    <h3>${title}</h3>
    ${papers.length ? html`<ul>${papers.map(item)}</ul>` : html`<p class="help">None.</p>`}
  </section>`;

function item(paper) {
  const score = paper.score !== null && html`<span class="help">${paper.score.toFixed(3)}</span>`;
  return html`<li><a href=${paperPage(paper.id)} title=${paper.id}>${paper.label}</a> ${score} ${badges(paper)}</li>`;
}

begin(show);
