// Letters to reviewers, to copy or to send from the editor's own mail program: templates with fields, in some languages.
import { conflicts } from "../cards.js";
import { askJson } from "../api.js";
import { $, onClick, options, put, toast, trying } from "../dom.js";
import { copyText, titled } from "./desk.js";

const KEY = "panelist-invitation"; // journal, name, weeks and language, in this browser only
const KINDS = { first: "Invitation", reminder: "Reminder", thanks: "Thanks", declined: "After a refusal" };
const USUAL = { shortlisted: "first", invited: "reminder", accepted: "reminder", declined: "declined" };
const dialog = $("#invitation");
let templates = null;
let shown = null;

/** A letter: a paragraph stays only if all of its fields are known, else its other form after the bar does. */
function letter(kind, language, fields) {
  const complete = (text) => [...text.matchAll(/{(\w+)}/g)].every(([, name]) => fields[name]);
  const filled = (text) => text.replace(/{(\w+)}/g, (_, name) => fields[name]);
  const last = (text) => text.split("\n").filter(complete).map(filled).join("\n"); // a signature loses its empty lines
  const paragraphs = templates[language][kind];
  const forms = paragraphs.slice(0, -1).map((text) => text.split("|").find(complete));
  return [...forms.filter(Boolean).map(filled), last(paragraphs.at(-1))].join("\n\n");
}

/** Weeks for a review, as the last invitation had them. */
export const weeks = () => stored().weeks || 3;

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

const paperLine = ({ title, year, url }) => `- ${titled(title)}${year ? ` (${year})` : ""}${url ? `, ${url}` : ""}`;

function fill() {
  const settings = {
    journal: $("#journal").value.trim(),
    editor: $("#editor").value.trim(),
    weeks: Number($("#weeks").value) || 3,
    language: $("#language").value,
  };
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    /* not allowed: asked again next time */
  }
  const words = templates[settings.language];
  const time = settings.weeks === 1 ? words.one_week : words.weeks.replace("{n}", settings.weeks);
  const fields = {
    ...shown,
    ...settings,
    editor: settings.editor || words.signed,
    papers: shown.papers.map(paperLine).join("\n"),
    due: shown.due && new Date(`${shown.due}T12:00:00`).toLocaleDateString(settings.language, { dateStyle: "long" }),
    weeks: time,
  };
  shown.subject = words.subject.replace("{title}", shown.title);
  $("#letter").value = letter($("#kind").value, settings.language, fields);
  $("#letter").setSelectionRange(0, 0);
  $("#letter").scrollTop = 0;
  address();
}

/** The link that opens the letter, as it stands, in the mail program of the editor. */
function address() {
  const email = $("#address").value.trim();
  const body = $("#letter").value.replaceAll("\n", "\r\n");
  const query = `subject=${encodeURIComponent(shown.subject)}&body=${encodeURIComponent(body)}`;
  $("#mail-letter").href = `mailto:${encodeURIComponent(email)}?${query}`;
  $("#mail-letter").textContent = email ? `Write to ${email}` : "Open in the mail program";
}

/** Keep an address that was typed, for this person and all submissions. */
async function keepAddress() {
  const email = $("#address").value.trim();
  if (email === (shown.email ?? "") || !$("#address").reportValidity()) return;
  await askJson("PUT", `desk/addresses/${encodeURIComponent(shown.person)}`, { json: { email } });
  shown.email = email;
  shown.onaddress();
  toast(email ? `Address of ${shown.name} kept` : `Address of ${shown.name} erased`);
}

/**
 * Show a letter to a person: {person, name, email, state, due, title, abstract, papers, conflicts, oninvited, onaddress}.
 * `oninvited` is called where the editor marks them as invited, `onaddress` after an address was kept.
 */
export async function showInvitation({ conflicts: reasons, ...about }) {
  templates ??= await (await fetch("/static/editor/letters.json")).json();
  shown = about;
  $("#journal").value = stored().journal ?? "";
  $("#editor").value = stored().editor ?? "";
  $("#weeks").value = weeks();
  $("#address").value = about.email ?? "";
  const languages = Object.entries(templates).map(([language, { label }]) => [language, label]);
  put($("#language"), options(languages, stored().language ?? "en"));
  put($("#kind"), options(Object.entries(KINDS), USUAL[about.state] ?? "first"));
  $("#invitation-heading").textContent = `Letter to ${about.name}`;
  put($("#invitation-conflicts"), conflicts(reasons));
  fill();
  dialog.showModal();
  $("#letter").focus();
}

for (const id of ["journal", "editor", "weeks", "kind", "language"]) $(`#${id}`).addEventListener("input", fill);
for (const id of ["letter", "address"]) $(`#${id}`).addEventListener("input", address);
$("#address").addEventListener("change", () => trying(keepAddress));
const copyLetter = () => copyText($("#letter").value, "Letter copied");
onClick({
  "copy-letter": copyLetter,
  "copy-and-invite": async () => {
    await copyLetter();
    dialog.close();
    shown.oninvited();
  },
});
