// The kinds of files of a conference: what they are called, what they may look like, and which one a name suggests.
export const KINDS = {
  submissions: { title: "Submissions", need: "needed, unless you have scores",
    help: "CSV (id, title, abstract, authors, authorids), JSON lines, OpenReview’s submissions.json, or a zip file of one of these, perhaps with what each cites as ID.bib or ID.ris" },
  committee: { title: "Committee", need: "needed, unless you have scores",
    help: "ids of this corpus, one per line; expertise as CSV (reviewer, paper, title, abstract); or OpenReview’s archives as a zip file" },
  scores: { title: "Scores", need: "instead of scoring here", help: "CSV without header: paper, reviewer, score" },
  constraints: { title: "Conflicts and locks", need: "optional", help: "CSV without header: paper, reviewer, -1 (conflict) or 1 (lock); others are found by themselves" },
  bids: { title: "Bids", need: "optional", help: "CSV without header: paper, reviewer, bid – OpenReview’s words or numbers" },
  quotas: { title: "Quotas", need: "optional", help: "CSV without header: reviewer, most[, least]" },
  demands: { title: "Demands", need: "optional", help: "CSV without header: paper, demand[, role] – papers that need more or fewer reviews" },
  reviewers: { title: "People: names, roles, seniority", need: "optional", help: "CSV with header: reviewer, name, email, orcid, seniority, institution, country, role, authored – tracks and area chairs are roles" },
};
export const OPENREVIEW = "openreview";

const NAMES = [
  [/scores?|affinit|similarit/, "scores"], [/bids?/, "bids"], [/quota|loads?/, "quotas"], [/demand/, "demands"],
  [/conflict|constraint|coi|locks?/, "constraints"], [/roles?|seniorit|^reviewers\.(csv|tsv)/, "reviewers"],
  [/submi|papers?\b/, "submissions"], [/committee|archive|expertise|profiles?|reviewers?|ids?\b/, "committee"],
];

/** The kind that a file's name suggests, or null. */
export function guess(name) {
  const plain = name.toLowerCase();
  const found = NAMES.find(([pattern]) => pattern.test(plain));
  if (found) return found[1];
  return plain.endsWith(".zip") ? OPENREVIEW : null;
}
