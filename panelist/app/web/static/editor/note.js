// The one note about a person: opened, it is read again, so that nobody writes over what another tab wrote.
import { $, html, reveal, toast, trying } from "../dom.js";
import { askJson } from "../api.js";

export function noteField(person, name, text) {
  const route = encodeURIComponent(person);
  let revision = 0;
  const field = html`
    <div class="note-box">
      <p class="note-text">${text}</p>
      <details class="note" ontoggle=${compare}>
        <summary>${text ? "Note" : "Write a note"}</summary>
        <textarea rows="3" maxlength="5000" aria-label="Note about ${name}"></textarea>
        <p class="problem" role="alert" hidden></p>
        <div class="actions">
          <button type="button" aria-label="Save the note about ${name}" onclick=${save}>Save note</button>
          <span class="help">About this person, for all submissions. An empty note is erased.</span>
        </div>
      </details>
    </div>`;
  const area = $("textarea", field);
  area.value = text;

  async function read() {
    const { note } = await askJson("GET", `desk/people/${route}`);
    revision = note.revision;
    return note.text;
  }

  function compare() {
    if (!$("details", field).open) return;
    trying(async () => {
      const current = await read();
      if (area.value === text) area.value = current;
    });
  }

  async function save() {
    const problem = $(".problem", field);
    problem.hidden = true;
    try {
      const saved = await askJson("PUT", `desk/notes/${route}`, { json: { text: area.value, revision } });
      revision = saved.revision;
      $(".note-text", field).textContent = text = saved.text;
      $("summary", field).textContent = text ? "Note" : "Write a note";
      toast(text ? `Note about ${name} saved` : `Note about ${name} erased`);
    } catch (refused) {
      if (refused.status !== 409) return toast(refused.message);
      const current = await read(); // the next save is meant, now that both texts were seen
      const change = current
        ? `The note was changed elsewhere to: “${current}”. Your text is still here: join them, then save again.`
        : "The note was erased elsewhere. Save again to keep your text.";
      reveal(problem, change);
    }
  }
  return field;
}
