// The authors of the submission: by id where the corpus knows them, else by name.
import { $, el, plural } from "./dom.js";
import { askJson } from "./api.js";

export class AuthorField {
  constructor() {
    this.people = [];
    this.input = $("#author");
    this.list = $("#authors");
    this.choices = $("#namesakes");
    this.input.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === ";") && this.input.value.trim()) {
        event.preventDefault();
        this.take();
      } else if (event.key === "Backspace" && !this.input.value && this.people.length) {
        this.remove(this.people.length - 1);
      } else if (event.key === "Escape") {
        this.choices.hidden = true;
      }
    });
    this.input.addEventListener("paste", (event) => {
      const pasted = event.clipboardData.getData("text");
      if (/[;\n]/.test(pasted)) {
        event.preventDefault();
        this.addAll(pasted.split(/[;\n]/));
      }
    });
  }

  /** The authors of the submission. */
  value() {
    return {
      authors: this.people.filter((person) => person.id).map(({ id, name }) => ({ id, name })),
      author_names: this.people.filter((person) => !person.id).map(({ name }) => name),
    };
  }

  set(people) {
    this.people = people;
    this.choices.hidden = true;
    this.render();
  }

  async addAll(texts) {
    for (const text of texts.map((one) => one.trim()).filter(Boolean)) await this.resolve(text);
  }

  /** Take what is in the box: called on Enter and before a search. */
  async take() {
    const text = this.input.value.trim();
    this.input.value = "";
    if (text) await this.resolve(text);
  }

  /** An id of the corpus, else a name: of one person, of several to choose from, or of nobody known. */
  async resolve(text) {
    if (!/\s/.test(text)) {
      try {
        const found = await askJson("GET", `authors/${encodeURIComponent(text)}`);
        this.add({ id: found.author.id, name: found.author.name });
        return;
      } catch (problem) {
        if (problem.status !== 404 && problem.status !== 422) throw problem;
      }
    }
    this.add({ id: null, name: text });
    const found = await askJson("GET", `authors?name=${encodeURIComponent(text)}`);
    if (found.length) this.offer(text, found);
  }

  offer(name, found) {
    const keep = () => { this.choices.hidden = true; this.input.focus(); };
    const pick = ({ author }) => {
      this.people = this.people.map((one) => (one.id || one.name !== name ? one : { id: author.id, name: author.name }));
      keep();
      this.render();
    };
    this.choices.replaceChildren(
      el("p", {}, found.length === 1 ? `One ${name} is in the corpus. Is it this person?` : `${found.length} people called ${name} are in the corpus. Who is it?`),
      ...found.map((one) => el("button", { type: "button", onclick: () => pick(one) }, one.author.name,
        el("small", {}, describe(one)))),
      el("button", { type: "button", onclick: keep }, "Not sure", el("small", {}, "conflicts will be shown as possible")),
    );
    this.choices.hidden = false;
  }

  add(person) {
    const same = (one) => (person.id ? one.id === person.id : !one.id && one.name === person.name);
    if (!this.people.some(same)) this.people.push(person);
    this.render();
  }

  remove(position) {
    this.people.splice(position, 1);
    this.choices.hidden = true;
    this.render();
    this.input.focus();
  }

  render() {
    this.list.replaceChildren(...this.people.map((person, position) =>
      el("li", { class: person.id ? "by-id" : "by-name", title: person.id || "known by name only" },
        person.name, person.id ? null : el("small", {}, "by name"),
        el("button", { type: "button", "aria-label": `Remove ${person.name}`, onclick: () => this.remove(position) }, "×"))));
  }
}

export function describe(person) {
  const institution = person.institutions[0];
  return [institution && institution.name, plural(person.paper_count, "paper"), years(person)].filter(Boolean).join(" · ");
}

export function years({ first_year: first, last_year: last }) {
  if (!first) return "";
  return first === last ? `${first}` : `${first}–${last}`;
}
