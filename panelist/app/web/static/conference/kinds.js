// The kinds of files of a conference: what they are called and look like, a sample of each, and which one a file is.
export const KINDS = {
  submissions: { title: "Submissions", need: "needed, unless you have scores",
    help: "CSV (id, title, abstract, authors, authorids), JSON lines, OpenReview’s submissions.json, or a zip file of one of these, perhaps with what each cites as ID.bib or ID.ris",
    sample: "id,title,abstract,authors,authorids\ns1,Fats in immune cells,Lipid droplets feed immune cells.,Ada Moreno;Bela Novak,~Ada_Moreno1;~Bela_Novak1\ns2,Maps of the retina,We map cells of the retina.,Chen Okafor,~Chen_Okafor1\n" },
  committee: { title: "Committee", need: "needed, unless you have scores",
    help: "ids of this corpus, one per line; expertise as CSV (reviewer, paper, title, abstract); or OpenReview’s archives as a zip file",
    sample: "reviewer,paper,title,abstract\n~Dita_Petrov1,p1,Droplets of fat,How cells store lipids.\n~Eva_Quist1,p2,Seeing cells,Cells of the retina in pictures.\n~Ada_Moreno1,p3,Immunity and food,What immune cells eat.\n" },
  scores: { title: "Scores", need: "instead of scoring here", help: "CSV: paper, reviewer, score",
    sample: "paper,reviewer,score\ns1,~Dita_Petrov1,0.81\ns1,~Eva_Quist1,0.2\ns2,~Dita_Petrov1,0.1\ns2,~Eva_Quist1,0.74\ns2,~Ada_Moreno1,0.15\n" },
  constraints: { title: "Conflicts and locks", need: "optional", help: "CSV: paper, reviewer, constraint: -1 (conflict) or 1 (lock); others are found by themselves",
    sample: "paper,reviewer,constraint\ns2,~Dita_Petrov1,-1\n" },
  bids: { title: "Bids", need: "optional", help: "CSV: paper, reviewer, bid – OpenReview’s words or numbers", sample: "paper,reviewer,bid\ns1,~Dita_Petrov1,Very High\ns2,~Eva_Quist1,High\n" },
  quotas: { title: "Quotas", need: "optional", help: "CSV: reviewer, max[, min]", sample: "reviewer,max\n~Dita_Petrov1,2\n~Eva_Quist1,3\n" },
  demands: { title: "Demands", need: "optional", help: "CSV: paper, demand[, role] – papers that need more or fewer reviews", sample: "paper,demand\ns1,1\ns2,2\n" },
  reviewers: { title: "People: names, roles, seniority", need: "optional", help: "CSV with header: reviewer, name, email, orcid, seniority, institution, country, role, authored – tracks and area chairs are roles",
    sample: "reviewer,name,email,seniority,institution,country,role\n~Dita_Petrov1,Dita Petrov,dita@example.org,senior,University of Examples,DE,reviewer\n~Eva_Quist1,Eva Quist,eva@example.org,junior,Example Institute,SE,reviewer\n~Ada_Moreno1,Ada Moreno,ada@example.org,senior,Example College,ES,reviewer\n" },
};
export const OPENREVIEW = "openreview";

const HEADS = [
  ["scores", "paper", "reviewer", "score"], ["bids", "paper", "reviewer", "bid"], ["constraints", "paper", "reviewer", "constraint"], ["quotas", "reviewer", "max"], ["demands", "paper", "demand"],
  ["committee", "reviewer", "paper", "title"], ["submissions", "id", "title"], ["reviewers", "reviewer", "name"], ["reviewers", "reviewer", "role"], ["reviewers", "reviewer", "seniority"],
];
const NAMES = [
  [/scores?|affinit|similarit/, "scores"], [/bids?/, "bids"], [/quota|loads?/, "quotas"], [/demand/, "demands"],
  [/conflict|constraint|coi|locks?/, "constraints"], [/roles?|seniorit|^reviewers\.(csv|tsv)/, "reviewers"],
  [/submi|papers?\b/, "submissions"], [/committee|archive|expertise|profiles?|reviewers?|ids?\b/, "committee"],
];

/** The kind that a file's header or name suggests, or null. */
export async function guess(file) {
  const head = (await file.slice(0, 2000).text()).split(/\r?\n/)[0].toLowerCase().split(/[,;\t]/).map((part) => part.replace(/["\uFEFF]/g, "").trim());
  const plain = file.name.toLowerCase();
  const found = HEADS.find(([, ...columns]) => columns.every((column) => head.includes(column)))?.[0] ?? NAMES.find(([pattern]) => pattern.test(plain))?.[1];
  return found ?? (plain.endsWith(".zip") ? OPENREVIEW : null);
}
