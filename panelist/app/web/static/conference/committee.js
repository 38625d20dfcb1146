// The people of a committee's list: who was found in the corpus, who may be meant, and what the chair says; many at once.
import { $, button, dotted, fold, html, onClick, options, plural, put, tryingHere } from "../dom.js";
import { begin, change, listed, newestOnly, read, search, tag, tryChange } from "./shell.js";

const FOUND = {
  open: "open: several, or a mere name",
  probable: "found probably",
  none: "not in the corpus",
  certain: "found for certain",
  settled: "settled by hand",
};
let shown = [];
const limit = listed(show, 50, "#found");
const newest = newestOnly();

async function show() {
  const ask = () => newest(read("/committee", { limit: limit(), search: search(), found: $("#found").value }));
  let answer = await ask();
  if (!answer) return;
  const counts = Object.entries(FOUND).map(([found, words]) => [found, words, answer.found[found]]);
  const total = counts.reduce((sum, [, , count]) => sum + count, 0);
  const first = $("#found").options.length ? null : counts.find(([, , count]) => count)?.[0];
  const value = first ?? $("#found").value;
  const choices = counts.map(([found, words, count]) => [found, `${words} (${count.toLocaleString("en")})`]);
  put($("#found"), options([...choices, ["", "all"]], value));
  if (first) answer = await ask();
  if (!answer) return;
  const words = counts
    .filter(([, , count]) => count)
    .map(([, words, count]) => `${count.toLocaleString("en")} ${words.split(":")[0]}`);
  $("#lead").textContent = total
    ? `${plural(total, "person", "people")}: ${words.join(", ")}.`
    : "No list of names or addresses was sent for this committee.";
  $("#look").hidden = !total;
  $("#paste").open ||= !total;
  shown = answer.rows.map(card);
  put($("#people"), shown.length || !total ? shown.map(({ box }) => box) : html`<li class="help">Nobody.</li>`);
  $("#more").hidden = answer.total <= shown.length;
  mark();
}

const marked = () => shown.filter(({ chosen }) => chosen().length);

function mark() {
  $("#settle").textContent = `Settle ${plural(marked().length, "person", "people")} as marked`;
  $("#settle").disabled = !marked().length;
}

function settle(settled) {
  const people = plural(Object.keys(settled).length, "person", "people");
  return tryChange("POST", "/committee", { json: { settled } }, `Settled: ${people}`);
}

/** Everybody who may be one person of the list, to be marked: two marks are two profiles of one person. */
function card({ id, found, papers, person, profiles, chosen }) {
  const name = person.name || person.email || id;
  const choices = profiles.map((profile) => choice(profile, chosen));
  const boxes = choices.map((label) => $("input", label));
  const read = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const text = html`<textarea rows="4" aria-label="Publications of ${name}"></textarea>`;
  const add = () =>
    tryChange("POST", "/committee", { json: { written: { [id]: text.value } } }, "The publications were added.");
  const settleMarked = () => {
    if (!boxes.some(({ checked }) => checked)) throw new Error("Mark who it is, or press “None of these”.");
    return settle({ [id]: read() });
  };
  const written = html`
    ${text}
    <p class="help">BibTeX, RIS, DBLP’s XML, Semantic Scholar’s JSON, or one reference per line; they replace those given before.</p>
    ${button("Add them", add)}`;
  const box = html`
    <li class="conflict ${found === "open" ? "possible" : ""}" data-person=${id}>
      <p><strong>${name}</strong> ${tag(FOUND[found].split(":")[0])}</p>
      <p class="help">
        ${dotted(
          person.name && person.email,
          person.orcid,
          person.institution,
          person.role,
          papers && `${plural(papers, "publication")} given by hand`,
        )}
      </p>
      <div class="candidates">${choices}</div>
      <div class="buttons">
        ${profiles.length > 0 && [button("Settle as marked", settleMarked), button("None of these", () => settle({ [id]: [] }))]}
        ${!profiles.length && found === "none" && button("Continue without papers", () => settle({ [id]: [] }))}
      </div>
      ${fold("Give publications", written)}
    </li>`;
  return { key: id, box, chosen: read };
}

function choice({ author, papers, first_year: first, last_year: last, institution, evidence, titles }, chosen) {
  const years = first && (first === last ? `${first}` : `${first}–${last}`);
  return html`<label class="check">
    <input type="checkbox" value=${author.id} checked=${chosen.includes(author.id)} onchange=${mark} />
    <span>
      ${dotted(author.name, plural(papers, "paper"), years, institution, author.orcid)}
      <small>${dotted(evidence.join("; "), ...titles.map((title) => `“${title}”`))}</small>
    </span>
  </label>`;
}

const send = () =>
  tryingHere(async () => {
    const content = { body: $("#pasted").value, type: "application/octet-stream" };
    await change("PUT", "/files/committee", content, { name: "pasted.csv", role: $("#role").value });
    $("#pasted").value = "";
    $("#paste").open = false;
  });

onClick({ settle: () => settle(Object.fromEntries(marked().map(({ key, chosen }) => [key, chosen()]))), send });
begin(show);
