// The people of a committee's list: who was found in the corpus, who may be meant, and what the chair says; many at once.
import { $, el, onClick, plural, reveal } from "../dom.js";
import { askJson } from "../api.js";
import { begin, button, change, id, listed, newestOnly, tryChange } from "./shell.js";

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
  const ask = () =>
    newest(
      askJson(
        "GET",
        `conferences/${id}/committee?${new URLSearchParams({ limit: limit(), search: $("#search").value.trim(), ...($("#found").value ? { found: $("#found").value } : {}) })}`,
      ),
    );
  let answer = await ask();
  if (!answer) return;
  const total = Object.values(answer.found).reduce((sum, count) => sum + count, 0);
  const first = $("#found").options.length ? null : Object.keys(FOUND).find((found) => answer.found[found]);
  const value = first ?? $("#found").value;
  $("#found").replaceChildren(
    ...Object.entries(FOUND).map(([found, words]) =>
      el(
        "option",
        { value: found, selected: found === value },
        `${words} (${answer.found[found].toLocaleString("en")})`,
      ),
    ),
    el("option", { value: "", selected: value === "" }, "all"),
  );
  if (first) answer = await ask();
  if (!answer) return;
  $("#lead").textContent = total
    ? `${plural(total, "person", "people")}: ${Object.entries(FOUND)
        .filter(([found]) => answer.found[found])
        .map(([found, words]) => `${answer.found[found].toLocaleString("en")} ${words.split(":")[0]}`)
        .join(", ")}.`
    : "No list of names or addresses was sent for this committee.";
  $("#look").hidden = !total;
  $("#paste").open ||= !total;
  shown = answer.rows.map(card);
  $("#people").replaceChildren(
    ...(shown.length || !total ? shown.map(({ box }) => box) : [el("li", { class: "help" }, "Nobody.")]),
  );
  $("#more").hidden = answer.total <= shown.length;
  mark();
}

const marked = () => shown.filter(({ chosen }) => chosen().length);

function mark() {
  $("#settle").textContent = `Settle ${plural(marked().length, "person", "people")} as marked`;
  $("#settle").disabled = !marked().length;
}

const settle = (settled) =>
  tryChange(
    "POST",
    "/committee",
    { json: { settled } },
    `Settled: ${plural(Object.keys(settled).length, "person", "people")}`,
  );

/** Everybody who may be one person of the list, to be marked: two marks are two profiles of one person. */
function card(row) {
  const { person, profiles, chosen } = row;
  const name = person.name || person.email || row.id;
  const boxes = profiles.map((profile) =>
    el("input", {
      type: "checkbox",
      value: profile.author.id,
      checked: chosen.includes(profile.author.id),
      onchange: mark,
    }),
  );
  const read = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const text = el("textarea", { rows: 4, "aria-label": `Publications of ${name}` });
  const add = () =>
    tryChange("POST", "/committee", { json: { written: { [row.id]: text.value } } }, "The publications were added.");
  const box = el(
    "li",
    { class: `conflict ${row.found === "open" ? "possible" : ""}`, "data-person": row.id },
    el("p", {}, el("strong", {}, name), " ", el("span", { class: "tag" }, FOUND[row.found].split(":")[0])),
    el(
      "p",
      { class: "help" },
      [
        person.name ? person.email : null,
        person.orcid,
        person.institution,
        person.role,
        row.papers ? `${plural(row.papers, "publication")} given by hand` : null,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
    el(
      "div",
      { class: "candidates" },
      profiles.map((profile, at) =>
        el(
          "label",
          { class: "check" },
          boxes[at],
          el(
            "span",
            {},
            about(profile),
            el(
              "small",
              {},
              [profile.evidence.join("; "), ...profile.titles.map((title) => `“${title}”`)].filter(Boolean).join(" · "),
            ),
          ),
        ),
      ),
    ),
    el(
      "div",
      { class: "buttons" },
      profiles.length
        ? button("Settle as marked", () => {
            if (!read().length) throw new Error("Mark who it is, or press “None of these”.");
            return settle({ [row.id]: read() });
          })
        : null,
      profiles.length
        ? button("None of these", () => settle({ [row.id]: [] }))
        : row.found === "none"
          ? button("Continue without papers", () => settle({ [row.id]: [] }))
          : null,
    ),
    el(
      "details",
      { class: "more" },
      el("summary", {}, "Give publications"),
      text,
      el(
        "p",
        { class: "help" },
        "BibTeX, RIS, DBLP’s XML, Semantic Scholar’s JSON, or one reference per line; they replace those given before.",
      ),
      button("Add them", add),
    ),
  );
  return { key: row.id, box, chosen: read };
}

function about({ author, papers, first_year: first, last_year: last, institution }) {
  const years = first ? (first === last ? `${first}` : `${first}–${last}`) : null;
  return [author.name, plural(papers, "paper"), years, institution || null, author.orcid].filter(Boolean).join(" · ");
}

async function send() {
  $("#problem").hidden = true;
  try {
    await change("PUT", `/files/committee?${new URLSearchParams({ name: "pasted.csv", role: $("#role").value })}`, {
      body: $("#pasted").value,
      type: "application/octet-stream",
    });
    $("#pasted").value = "";
    $("#paste").open = false;
  } catch (problem) {
    reveal($("#problem"), problem.message);
  }
}

onClick({ settle: () => settle(Object.fromEntries(marked().map(({ key, chosen }) => [key, chosen()]))), send });
begin(show);
