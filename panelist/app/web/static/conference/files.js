// The files of a conference: dropped or chosen, sent one after the other, shown with what is odd about them.
import { $, button, dotted, download, html, momentOf, options, put, question, reveal, takeFiles } from "../dom.js";
import { leadsOf } from "./leads.js";
import { begin, change, newestOnly, path, read, tryChange } from "./shell.js";
import { oddities, wrongLines } from "./upload.js";

// The kinds: what they are called and look like, a sample of each, and which one a file is.
const KINDS = {
  submissions: {
    title: "Submissions",
    need: "needed, unless you have scores",
    help: "CSV (id, title, abstract, authors, authorids), JSON lines, OpenReview’s submissions.json, or a zip file of one of these, perhaps with what each cites as ID.bib, ID.ris or ID.pdf",
    sample:
      "id,title,abstract,authors,authorids\ns1,Fats in immune cells,Lipid droplets feed immune cells.,Ada Moreno;Bela Novak,~Ada_Moreno1;~Bela_Novak1\ns2,Maps of the retina,We map cells of the retina.,Chen Okafor,~Chen_Okafor1\n",
  },
  committee: {
    title: "Committee",
    need: "needed, unless you have scores",
    help: "names, e-mail addresses, ORCIDs, affiliations in any order, which are looked up; or expertise as CSV (reviewer, paper, title, abstract), or OpenReview’s archives as a zip file",
    sample:
      "reviewer,paper,title,abstract\n~Dita_Petrov1,p1,Droplets of fat,How cells store lipids.\n~Eva_Quist1,p2,Seeing cells,Cells of the retina in pictures.\n~Ada_Moreno1,p3,Immunity and food,What immune cells eat.\n",
  },
  scores: {
    title: "Scores",
    need: "instead of scoring here",
    help: "CSV: paper, reviewer, score",
    sample:
      "paper,reviewer,score\ns1,~Dita_Petrov1,0.81\ns1,~Eva_Quist1,0.2\ns2,~Dita_Petrov1,0.1\ns2,~Eva_Quist1,0.74\ns2,~Ada_Moreno1,0.15\n",
  },
  constraints: {
    title: "Conflicts and locks",
    help: "CSV: paper, reviewer, constraint: -1 (conflict) or 1 (lock); others are found by themselves",
    sample: "paper,reviewer,constraint\ns2,~Dita_Petrov1,-1\n",
  },
  bids: {
    title: "Bids",
    help: "CSV: paper, reviewer, bid – OpenReview’s words or numbers",
    sample: "paper,reviewer,bid\ns1,~Dita_Petrov1,Very High\ns2,~Eva_Quist1,High\n",
  },
  quotas: {
    title: "Quotas",
    help: "CSV: reviewer, max[, min]",
    sample: "reviewer,max\n~Dita_Petrov1,2\n~Eva_Quist1,3\n",
  },
  demands: {
    title: "Demands",
    help: "CSV: paper, demand[, role] – papers that need more or fewer reviews",
    sample: "paper,demand\ns1,1\ns2,2\n",
  },
  reviewers: {
    title: "People: names, roles, seniority",
    help: "CSV with header: reviewer, name, email, orcid, seniority, institution, country, role, authored – tracks and area chairs are roles",
    sample:
      "reviewer,name,email,seniority,institution,country,role\n~Dita_Petrov1,Dita Petrov,dita@example.org,senior,University of Examples,DE,reviewer\n~Eva_Quist1,Eva Quist,eva@example.org,junior,Example Institute,SE,reviewer\n~Ada_Moreno1,Ada Moreno,ada@example.org,senior,Example College,ES,reviewer\n",
  },
  contacts: {
    title: "Addresses",
    need: "to export to EasyChair, CMT or HotCRP",
    help: "the committee as your system exports it, or CSV: reviewer, email",
    sample: "reviewer,email\n~Dita_Petrov1,dita@example.org\n~Eva_Quist1,eva@example.org\n",
  },
};
const PEOPLE = /@|^(name|full name|e-?mail|email address|last name|family name|given_name|orcid|affiliation)$/; // heads of a list of people, or one of its addresses
const OPENREVIEW = "openreview";

const HEADS = [
  ["scores", "paper", "reviewer", "score"],
  ["bids", "paper", "reviewer", "bid"],
  ["constraints", "paper", "reviewer", "constraint"],
  ["quotas", "reviewer", "max"],
  ["demands", "paper", "demand"],
  ["committee", "reviewer", "paper", "title"],
  ["submissions", "id", "title"],
  ["reviewers", "reviewer", "name"],
  ["reviewers", "reviewer", "role"],
  ["reviewers", "reviewer", "seniority"],
  ["contacts", "reviewer", "email"],
];
const NAMES = [
  [/scores?|affinit|similarit/, "scores"],
  [/bids?|prefs/, "bids"],
  [/quota|loads?/, "quotas"],
  [/demand/, "demands"],
  [/conflict|constraint|coi|locks?/, "constraints"],
  [/roles?|seniorit|^reviewers\.(csv|tsv)/, "reviewers"],
  [/submi|papers?\b|data\.json$/, "submissions"],
  [/committee|archive|expertise|profiles?|reviewers?|ids?\b/, "committee"],
];

/** The kind that a file's header or name suggests, or null. */
async function guess(file) {
  const head = (await file.slice(0, 2000).text())
    .split(/\r?\n/)[0]
    .toLowerCase()
    .split(/[,;\t]/)
    .map((cell) => cell.replace(/["\uFEFF]/g, "").trim());
  const plain = file.name.toLowerCase();
  const byHead = HEADS.find(([, ...columns]) => columns.every((column) => head.includes(column)))?.[0];
  const byName = NAMES.find(([pattern]) => pattern.test(plain))?.[1];
  const people =
    head.some((cell) => PEOPLE.test(cell)) && !head.some((cell) => /^(reviewer|title|paper|submission)/.test(cell));
  if (!byHead && people && /\.(csv|tsv|txt)$/.test(plain) && [undefined, "committee", "reviewers"].includes(byName)) {
    return $("[data-kind=committee].there") ? null : "committee"; // a committee is not replaced unasked
  }
  return byHead ?? byName ?? (plain.endsWith(".zip") ? OPENREVIEW : null);
}

const LEFT_OUT = new Set(["constraints", "bids", "quotas", "demands"]);
const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

const newest = newestOnly();

async function show() {
  const answer = await newest(read("/files"));
  if (!answer) return;
  const byKind = Object.fromEntries(answer.files.map((file) => [file.kind, file]));
  const cards = Object.keys(KINDS).map((kind) => card(kind, byKind[kind]));
  put($("#kinds"), cards);
  leadsOf(Boolean(byKind.bids));
  $("#to-assign").hidden = !byKind.scores;
  $("#to-score").hidden = Boolean(byKind.scores) || !(byKind.submissions && byKind.committee);
}

function card(kind, file) {
  const { title, need = "optional", help, sample } = KINDS[kind];
  const name = title.toLowerCase();
  const save = () => download(new Blob([sample], { type: "text/csv" }), `${kind}-sample.csv`);
  return html`
    <li class=${file ? "kind there" : "kind"} data-kind=${kind} aria-labelledby="kind-${kind}">
      <div>
        <h2 id="kind-${kind}">${title} ${!file && html`<span class="optional">${need}</span>`}</h2>
        ${file ? html`<p class="summary">${file.summary}</p>` : html`<p class="help">${help}</p>`}
        ${file && html`<p class="help">${dotted(file.name, size(file.bytes), momentOf(file.at).textContent)}</p>`}
      </div>
      <div class="buttons">
        ${button(file ? "Replace" : "Add", () => choose(kind), { "aria-label": `${file ? "Replace" : "Add"} ${name}` })}
        ${
          file
            ? button("Remove", () => remove(kind, name), { "aria-label": `Remove ${name}` })
            : button("Sample", save, { class: "link sample", "aria-label": `Sample of ${name}` })
        }
      </div>
      ${kind === "committee" && html`<p><a href="/${path("/committee")}">${file ? "Who they are" : "Paste a list"}</a></p>`}
      ${file && oddities([...file.odd, ...file.odd_beside_others])}
      ${
        file?.odd_beside_others.length > 0 &&
        LEFT_OUT.has(kind) &&
        button("Leave these lines out", () => leaveOut(kind), { class: "leave-out" })
      }
    </li>`;
}

let chosen = null; // the kind of file that is chosen; null: any

function choose(kind) {
  chosen = kind;
  $("#chosen").multiple = kind === null;
  $("#chosen").click();
}

async function send(file, kind) {
  $("#status").textContent = `Checking ${file.name} …`;
  $("#drop").setAttribute("aria-busy", "true");
  try {
    const content = { body: file, type: "application/octet-stream" };
    const { files } = await change("PUT", `/files/${kind}`, content, { name: file.name });
    const kinds = kind === OPENREVIEW ? ["submissions", "committee"] : [kind];
    $("#status").textContent = files
      .filter((stored) => kinds.includes(stored.kind))
      .map((stored) => `${KINDS[stored.kind].title}: ${stored.summary}`)
      .join("; ");
  } catch (problem) {
    $("#status").textContent = "";
    reveal($("#problem"), `${file.name} was not kept. ${problem.message}`);
    put($("#errors"), wrongLines(problem.errors));
  } finally {
    $("#drop").removeAttribute("aria-busy");
  }
}

async function take(files, kind) {
  $("#problem").hidden = true;
  put($("#errors"));
  for (const file of files) {
    const known = kind ?? (await guess(file)) ?? (await askKind(file));
    if (known) await send(file, known);
    if (!$("#problem").hidden) break;
  }
}

/** Ask what a file is whose name does not say it. */
function askKind(file) {
  const dialog = $("#kind-dialog");
  $("#kind-file").textContent = file.name;
  const titles = Object.entries(KINDS).map(([kind, { title }]) => [kind, title]);
  put($("#kind"), options(titles));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok" ? $("#kind").value : null), {
      once: true,
    }),
  );
}

const remove = (kind, name) => question(`Remove ${name}?`, "Remove", () => change("DELETE", `/files/${kind}`));
const leaveOut = (kind) => tryChange("POST", `/files/${kind}/known`, {}, "Left out; the history says how many lines");

$("#choose").addEventListener("click", () => choose(null));
takeFiles(document, $("#chosen"), (files, dropped) => take(files, dropped ? null : chosen), $("#drop"));
begin(show);
