// An invitation to copy: why this person is asked, by their own papers.
import { $ } from "../dom.js";
import { copyText } from "./desk.js";

const KEY = "panelist-invitation"; // the journal and the editor's name, in this browser only
const dialog = $("#invitation");
let shown = null;

/** The text of an invitation. */
function letter({ title, name, papers, journal, editor, weeks }) {
  const where = journal ? ` for ${journal}` : "";
  const known = papers.map((paper) => `- ${paper.title}${paper.year ? ` (${paper.year})` : ""}${paper.url ? `, ${paper.url}` : ""}`);
  const reason = known.length
    ? [`We turn to you because of your work, in particular:`, ``, ...known, ``]
    : [];
  return [
    `Dear ${name.trim()},`,
    ``,
    `would you be willing to review the manuscript “${title}”${where}?`,
    ``,
    ...reason,
    `If you accept, we would ask for your report within ${weeks === 1 ? "one week" : `${weeks} weeks`}. If you cannot, or if you have a conflict of interest with the authors, please let us know soon; names of other experts are welcome.`,
    ``,
    `Please treat the manuscript, and this invitation, as confidential.`,
    ``,
    `Kind regards,`,
    editor || "The editors",
    ...(journal ? [journal] : []),
  ].join("\n");
}

function fill() {
  const settings = { journal: $("#journal").value.trim(), editor: $("#editor").value.trim(), weeks: Number($("#weeks").value) || 3 };
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* not allowed: asked again next time */ }
  $("#letter").value = letter({ ...shown, ...settings });
}

/** Show the invitation of a person; `oninvited` is called where the editor marks them as invited. */
export function showInvitation({ title, name, papers, oninvited }) {
  shown = { title, name, papers, oninvited };
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { /* nothing kept */ }
  $("#journal").value = kept.journal ?? "";
  $("#editor").value = kept.editor ?? "";
  $("#weeks").value = kept.weeks ?? 3;
  $("#invitation-heading").textContent = `Invitation for ${name}`;
  fill();
  dialog.showModal();
  $("#letter").focus();
}

for (const id of ["journal", "editor", "weeks"]) $(`#${id}`).addEventListener("input", fill);
$("#copy-letter").addEventListener("click", () => copyText($("#letter").value, "Invitation copied"));
$("#copy-and-invite").addEventListener("click", async () => {
  await copyText($("#letter").value, "Invitation copied");
  dialog.close();
  shown.oninvited();
});
