// An invitation to copy: why this person is asked, by their own papers.
import { conflicts } from "../cards.js";
import { $ } from "../dom.js";
import { copyText } from "./desk.js";

const KEY = "panelist-invitation"; // the journal and the editor's name, in this browser only
const dialog = $("#invitation");
let shown = null;

/** The text of an invitation. */
function letter({ title, name, papers, journal, editor, weeks }) {
  const works = papers.map((paper) => `- ${paper.title}${paper.year ? ` (${paper.year})` : ""}${paper.url ? `, ${paper.url}` : ""}`);
  return [
    `Dear ${name.trim()},`,
    ``,
    `would you be willing to review the manuscript “${title}”${journal ? ` for ${journal}` : ""}?`,
    ``,
    ...(works.length ? [`We turn to you because of your work, in particular:`, ``, ...works, ``] : []),
    `If you accept, we would ask for your report within ${weeks === 1 ? "one week" : `${weeks} weeks`}. If you cannot, or if you have a conflict of interest with the authors, please let us know soon; names of other experts are welcome.`,
    ``,
    `Please treat the manuscript, and this invitation, as confidential.`,
    ``,
    `Kind regards,`,
    editor || "The editors",
    ...(journal ? [journal] : []),
  ].join("\n");
}

/** Weeks for a review, as the last invitation had them. */
export const weeks = () => stored().weeks || 3;

function stored() {
  try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}

function fill() {
  const settings = { journal: $("#journal").value.trim(), editor: $("#editor").value.trim(), weeks: Number($("#weeks").value) || 3 };
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* not allowed: asked again next time */ }
  $("#letter").value = letter({ ...shown, ...settings });
  address();
}

/** The link that opens the letter, as it stands, in the mail program of the editor. */
function address() {
  const parts = { subject: `Review of “${shown.title}”`, body: $("#letter").value.replaceAll("\n", "\r\n") };
  const query = Object.entries(parts).map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join("&");
  $("#mail-letter").href = `mailto:${encodeURIComponent(shown.email ?? "")}?${query}`;
  $("#mail-letter").textContent = shown.email ? `Write to ${shown.email}` : "Open in the mail program";
}

/** Show the invitation of a person; `oninvited` is called where the editor marks them as invited. */
export function showInvitation({ title, name, email, papers, conflicts: reasons, oninvited }) {
  shown = { title, name, email, papers, oninvited };
  $("#journal").value = stored().journal ?? "";
  $("#editor").value = stored().editor ?? "";
  $("#weeks").value = weeks();
  $("#invitation-heading").textContent = `Invitation for ${name}`;
  $("#invitation-conflicts").replaceChildren(conflicts(reasons) ?? "");
  fill();
  dialog.showModal();
  $("#letter").focus();
}

for (const id of ["journal", "editor", "weeks"]) $(`#${id}`)?.addEventListener("input", fill);
$("#letter")?.addEventListener("input", address);
$("#copy-letter")?.addEventListener("click", () => copyText($("#letter").value, "Invitation copied"));
$("#copy-and-invite")?.addEventListener("click", async () => {
  await copyText($("#letter").value, "Invitation copied");
  dialog.close();
  shown.oninvited();
});
