// The authors of the submission: by id where the corpus knows them, else by name.
import { $, dotted, html, plural, put } from "./dom.js";
import { askJson } from "./api.js";

const SEVERAL = /[;,|<\n\t]|\sand\s|&|\s\/\s/; // what a pasted list has, and a name has not
const STANDING = {
  matched: ["", "in the corpus"],
  waiting: ["who is it?", "People of this name are in the corpus: say who it is, or that it is none of them"],
  unsure: [
    "not sure who",
    "People of this name are in the corpus: they are on no panel, and conflicts of others are shown as possible",
  ],
  absent: ["not in the corpus", "Nobody in the corpus is this person: their conflicts cannot be known"],
};

export class AuthorField {
  /** @param {() => void} changed called when somebody was added, removed, or said to be somebody */
  constructor(changed = () => {}) {
    this.people = []; // {id, name, orcid, email, standing, given: the id that a record or a list gave, more: ids of the same person}
    this.others = new Set(); // ids of people who are called like an author, and of whom the editor said that they are not
    this.institutions = []; // of the submission, as a record gave them
    this.changed = changed;
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
      if (!SEVERAL.test(pasted.trim())) return;
      event.preventDefault();
      this.add(pasted);
    });
  }

  /** The authors of the submission. */
  value() {
    const known = this.people.filter((person) => person.id);
    return {
      authors: known.flatMap(({ id, name, orcid = null, email = null, more = [] }) => [
        { id, name, orcid, email },
        ...more.map((key) => ({ id: key, name })),
      ]),
      author_names: this.people.filter((person) => !person.id).map(({ name }) => name),
      institutions: this.institutions,
      not_authors: [...this.others],
    };
  }

  /** Somebody of the corpus is an author: the one of that name, if there is one without an id. */
  identify({ id, name }) {
    const person =
      this.people.find((author) => !author.id && author.name.toLowerCase() === name.toLowerCase()) ??
      this.people.find((author) => author.id && author.name === name);
    if (person?.id) person.more = [...(person.more ?? []), id];
    else if (person) Object.assign(person, { id, standing: "matched" });
    else this.people.push({ id, name, standing: "matched" });
    this.render();
    this.changed();
  }

  /** Somebody of the corpus is only called like an author. */
  distinguish({ id }) {
    this.others.add(id);
    this.changed();
  }

  /** Those of whom somebody has to say who they are. */
  waiting() {
    return this.people.filter((person) => person.standing === "waiting");
  }

  /** The ids of authors beside their first ones: other profiles of the same people. */
  otherProfiles() {
    return this.people.flatMap(({ more = [] }) => more);
  }

  /** Show these people; of those without an id the corpus is asked, unless it is known how they stand. */
  async set(people, institutions = people.length ? this.institutions : [], others = people.length ? this.others : []) {
    this.institutions = institutions;
    this.others = new Set(others);
    this.people = joined(people);
    for (const person of people) person.standing ??= person.id && !person.given ? "matched" : undefined;
    this.choices.hidden = true;
    this.render();
    await Promise.all(this.people.filter((person) => !person.standing).map((person) => this.look(person)));
    this.askAll();
  }

  /** Take what is in the box: called on Enter and before a search. */
  async take() {
    const text = this.input.value.trim();
    this.input.value = "";
    if (text) await this.add(text);
  }

  /** Add the people of a text: an id, a name, or a list of names in any form. */
  async add(text) {
    const people = SEVERAL.test(text) ? await split(text) : [{ id: null, name: text }];
    const names = this.people.map((person) => person.name);
    await this.set([...this.people, ...people.filter((person) => !names.includes(person.name))]);
    this.changed();
  }

  /** Ask the corpus for a person by id, then by name. */
  async look(person) {
    const key = person.id ?? person.name;
    if (!/\s/.test(key)) {
      try {
        const { author } = await askJson("GET", `authors/${encodeURIComponent(key)}`);
        Object.assign(person, { id: author.id, name: author.name, standing: "matched" });
        return this.render();
      } catch (problem) {
        if (problem.status !== 404 && problem.status !== 422) throw problem;
      }
    }
    person.standing = (await namesakes(person.name)).length ? "waiting" : "absent";
    this.render();
  }

  /** Ask of everybody at once who they are. */
  askAll() {
    if (this.waiting().length) this.ask(this.waiting());
  }

  /** Ask who these authors are, on one screen; may be asked again of everybody whose name is in the corpus. */
  async ask(asked, focus = false) {
    const known = await Promise.all(asked.map(({ name }) => namesakes(name)));
    const answered = (person, change) => {
      Object.assign(person, change);
      this.choices.hidden = true;
      this.render();
      this.askAll();
      if (!this.waiting().length) this.input.focus();
      this.changed();
    };
    const questions = asked.map((person, position) => this.question(person, known[position], answered));
    put(this.choices, questions);
    this.choices.hidden = false;
    if (focus) {
      this.choices.scrollIntoView({ block: "nearest" });
      $("button", this.choices).focus();
    }
  }

  /** The question who one author is: a profile, several of one person, none of them, or not sure. */
  question(person, people, answered) {
    const { name, id, more = [] } = person;
    const ids = id ? [id, ...more] : [];
    const choose = (namesake) => {
      const key = namesake.author.id;
      this.others.delete(key);
      const left = ids.filter((other) => other !== key);
      const chosen = person.standing !== "matched" ? [key] : ids.includes(key) ? left : [...ids, key];
      const [first = person.given ?? null, ...rest] = chosen;
      const standing = first ? "matched" : "unsure";
      answered(person, { id: first, more: rest, name: first === key ? namesake.author.name : name, standing });
    };
    const nobody = (standing) => answered(person, { id: person.given ?? null, more: [], standing });
    const none = () => {
      for (const { author } of people) this.others.add(author.id);
      nobody("absent");
    };
    const [count, other] =
      people.length === 1
        ? [`One ${name} is in the corpus. Is it this person?`, "Another person"]
        : [`${people.length || "No"} people called ${name} are in the corpus. Who is it?`, "None of them"];
    return [
      html`<p>${count}${people.length > 1 && id && html`<small>Two profiles of one person? Choose both.</small>`}</p>`,
      people.map((match) => personButton(match, () => choose(match), String(ids.includes(match.author.id)))),
      people.length > 0 &&
        html`<button type="button" class="none" onclick=${none}>${other}<small>may be on the panel</small></button>`,
      html`
        <button type="button" onclick=${() => nobody("unsure")}>Not sure
          <small>nobody of this name will be on the panel; conflicts of others will be shown as possible</small>
        </button>`,
    ];
  }

  remove(position) {
    this.people.splice(position, 1);
    this.choices.hidden = true;
    this.render();
    this.input.focus();
    this.changed();
  }

  render() {
    const entries = this.people.map((person, position) => {
      const { name, id, standing } = person;
      const [words, help] = STANDING[standing] ?? ["…", "The corpus is asked"];
      const label = [name, words && html`<small>${words}</small>`];
      const ask = () => this.ask([person], true);
      const asking = `Who is ${name}? ${words}`;
      const answerable = standing && standing !== "absent";
      return html`
        <li class=${standing} title=${id ? `${help}: ${id}` : help}>
          ${answerable ? html`<button type="button" class="who" aria-label=${asking} onclick=${ask}>${label}</button>` : label}
          <button type="button" aria-label="Remove ${name}" onclick=${() => this.remove(position)}>×</button>
        </li>`;
    });
    put(this.list, entries);
  }
}

/** People of whom several ids are given under one name, each once. */
function joined(people) {
  const known = new Map();
  return people.filter((person) => {
    const first = person.id ? known.get(person.name) : null;
    if (first && first.id !== person.id) first.more = [...new Set([...(first.more ?? []), person.id])];
    if (person.id && !first) known.set(person.name, person);
    return !first;
  });
}

/** People of whom only the names are known. */
export const named = (names) => names.map((name) => ({ id: null, name }));

/** The people of a list as somebody pasted it. */
async function split(text) {
  const { authors, author_names: names } = await askJson("POST", "authors/split", { json: { text } });
  return [...authors.map((author) => ({ ...author, given: author.id })), ...named(names)];
}

/** The people of the corpus with a name. */
export const namesakes = (name) => askJson("GET", `authors?name=${encodeURIComponent(name)}`);

/** What tells people of one name apart. */
export const traits = (person) =>
  dotted(person.institutions[0]?.name, plural(person.paper_count, "paper"), years(person));

/** A button that chooses one of several people. */
export const personButton = (person, onclick, pressed = null) => html`
  <button type="button" aria-pressed=${pressed} onclick=${onclick}>${person.author.name}<small>${traits(person)}</small></button>`;

export function years({ first_year: first, last_year: last }) {
  if (!first) return "";
  return first === last ? `${first}` : `${first}–${last}`;
}
