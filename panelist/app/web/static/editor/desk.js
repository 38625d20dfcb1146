// What the pages of the editor's desk share: words for states, addresses, and telling of changes made elsewhere.
import { dayOf, dotted, html, plural, toast } from "../dom.js";

export const STATES = {
  shortlisted: "Short-listed",
  invited: "Invited",
  accepted: "Accepted",
  done: "Report in",
  declined: "Declined",
  excluded: "Excluded",
};
export const ON_PANEL = ["shortlisted", "invited", "accepted", "done"];

export const personPath = (id, submission) =>
  `/people/${encodeURIComponent(id)}${submission ? `?submission=${encodeURIComponent(submission)}` : ""}`;
export const comparePath = (first, second, submission) =>
  `/compare?${new URLSearchParams({ a: first, b: second, ...(submission ? { submission } : {}) })}`;
export const submissionPath = (id) => `/submissions/${encodeURIComponent(id)}`;
export const reviewerRoute = (submission, person) =>
  `submissions/${encodeURIComponent(submission)}/reviewers/${encodeURIComponent(person)}`;

/** The part of this page's address after a prefix, decoded. */
export function fromPath(prefix) {
  try {
    return decodeURIComponent(location.pathname.slice(prefix.length));
  } catch {
    return "";
  }
}

export const fromQuery = (name) => new URLSearchParams(location.search).get(name) ?? "";

/** What a paper is called; some have an abstract only. */
export const titled = (title) => title || "(no title)";

/** An e-mail address with where it is from, null where there is none. */
export function contactLine(contact) {
  if (!contact) return null;
  const { email, paper, year, typed_by: editor, typed } = contact;
  const source = typed
    ? [" typed", editor ? ` by ${editor}` : "", " on ", dayOf(typed)]
    : [` from “${titled(paper)}”${year ? `, ${year}` : ""}`];
  return html`<p class="contact meta"><a href="mailto:${encodeURIComponent(email)}">${email}</a>${source}</p>`;
}

/** How often somebody was invited this year, and how busy they are; null where this desk never asked them. */
export function loadTag(load) {
  if (!load?.invited && !load?.recent && !load?.refused) return null;
  const answers = [load.accepted && `accepted ${load.accepted}`, load.declined && `declined ${load.declined}`];
  const answered = answers.filter(Boolean).join(", ");
  const days = Math.max(0, Math.round((Date.now() - Date.parse(load.last)) / 864e5));
  const words = dotted(
    load.invited && `invited ${plural(load.invited, "time")} this year${answered ? ` (${answered})` : ""}`,
    load.open && `${plural(load.open, "review")} open`,
    load.recent > load.open && `${load.recent} in 12 months`,
    load.last && `last report ${plural(days, "day")} ago`,
    load.refused > 1 && `declined ${load.refused} times in a row`,
  );
  return html`<span class=${load.invited > 2 ? "tag busy" : "tag"}>${words}</span>`;
}

export const today = () => inDays(0);

/** The day so many days after today, as the API writes days. */
export function inDays(days) {
  const day = new Date();
  day.setDate(day.getDate() + days);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
}

/** Make a change; where the thing was changed elsewhere meanwhile, say so and show how it is now: `reload(status)`. Returns whether it was made. */
export async function attempt(change, reload) {
  try {
    await change();
    return true;
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    toast(problem.message);
    if ([404, 409].includes(problem.status)) await reload(problem.status);
    return false;
  }
}

/** Load again whenever somebody comes back to this tab: another one may have changed things. */
export function onReturn(reload) {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reload();
  });
}

/** Show a dialog that is gone when it is closed; resolves to the value of the button that closed it. */
export function showDialog(title, ...content) {
  const dialog = html`
    <dialog aria-labelledby="dialog-heading">
      <form method="dialog"><h2 id="dialog-heading">${title}</h2>${content}</form>
    </dialog>`;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** A question before something is erased; resolves to true where the user agrees. */
export async function confirmErasing(title, text, verb) {
  const content = html`
    <p>${text}</p>
    <div class="actions"><button class="primary danger" value="yes">${verb}</button><button value="no">Keep</button></div>`;
  return (await showDialog(title, ...content)) === "yes";
}

export async function copyText(text, done = "Copied") {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // not on a secure address: the old way
    const area = html`<textarea class="visually-hidden" aria-label="Text to copy">${text}</textarea>`;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(done);
}
