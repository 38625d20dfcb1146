// What the page that finds reviewers keeps, once the editor says so; before that it keeps nothing.
import { $, toast } from "../dom.js";
import { ask, askJson } from "../api.js";
import { attempt, reviewerRoute, submissionPath } from "./desk.js";

export class Keeping {
  /** @param {(kept) => void} changed called with the kept submission where another tab changed its list */
  constructor(changed) {
    this.kept = null;
    this.changed = changed;
  }

  /** Another submission is looked up. */
  detach() {
    if (this.kept) history.replaceState(null, "", "/");
    this.kept = null;
    this.show();
  }

  /** Keep what was looked up with its short list and those excluded. */
  async keep(request, shortlisted, excluded) {
    const list = (people, state) => people.map((id) => ({ id, state }));
    const reviewers = [...list(shortlisted, "shortlisted"), ...list(excluded, "excluded")];
    this.kept = await askJson("POST", "submissions", { json: { ...request, reviewers } });
    history.replaceState(null, "", `/?submission=${encodeURIComponent(this.kept.id)}`);
    this.show();
    toast("This submission is kept", { label: "Open it", run: () => location.assign(submissionPath(this.kept.id)) });
  }

  /** A kept submission by its id, with the matches of everybody in its list. */
  async open(id) {
    const route = `submissions/${encodeURIComponent(id)}`;
    this.kept = await askJson("GET", route);
    this.show();
    const panel = this.kept.reviewers.length ? await askJson("GET", `${route}/panel`) : { matches: [] };
    return new Map(panel.matches.map((match) => [match.author.id, match]));
  }

  /** The look-up was made again, with other options. */
  async update({ submission, options }) {
    if (!this.kept) return;
    const json = { submission, options: { ...options, exclude: [] }, revision: this.kept.revision };
    await this.attempt(async () => {
      const { revision } = await askJson("PUT", `submissions/${encodeURIComponent(this.kept.id)}`, { json });
      this.kept.revision = revision;
    });
  }

  /** Whether somebody was invited, and so is moved on the submission's own page only. */
  isInvited(person) {
    return ["invited", "accepted", "done", "declined"].includes(this.find(person)?.state);
  }

  /** Put a person into the list, or take them off it (null); true unless that failed. */
  async setState(person, state) {
    if (!this.kept) return true;
    const old = this.find(person);
    return this.attempt(async () => {
      const others = this.kept.reviewers.filter((reviewer) => reviewer.person !== person);
      const route = reviewerRoute(this.kept.id, person);
      if (state === null) {
        if (old) await ask("DELETE", `${route}?revision=${old.revision}`);
        this.kept.reviewers = others;
      } else {
        const placed = await askJson("PUT", route, { json: { state, revision: old?.revision ?? 0 } });
        this.kept.reviewers = [...others, placed];
      }
    });
  }

  attempt(change) {
    return attempt(change, async (status) =>
      status === 404 ? this.detach() : this.changed(await this.open(this.kept.id)),
    );
  }

  find(person) {
    return this.kept?.reviewers.find((reviewer) => reviewer.person === person);
  }

  show() {
    $("#keep").hidden = Boolean(this.kept);
    $("#kept-link").hidden = !this.kept;
    $("#keeping-help").textContent = this.kept
      ? "Kept in this workspace: what you short-list or exclude here is kept too, until you forget the submission."
      : "Unless you press “Keep this submission”, nothing of this look-up is kept. The button stores title, abstract, authors, options, short list and exclusions in this workspace, until you forget them.";
    if (this.kept) $("#kept-link").href = submissionPath(this.kept.id);
  }
}
