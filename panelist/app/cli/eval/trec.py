"""`panelist eval trec` and `qrels`: runs against judgements, side by side, and judgements from journals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eval.reports.table import Cell, Table, table_of
from panelist.app.cli.eval.results import Figures, PageOptions
from panelist.app.cli.options import WorkspaceOption, argument, option
from panelist.app.cli.output import origin, say, show_progress, warn
from panelist.corpus.readers.ids import read_ids
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.progress import followed
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.corpus.readers.catalogues.jats import Article
    from panelist.corpus.store import CorpusStore


def trec(
    qrels: Path = argument("Judgements: 'query 0 document relevance' lines, plain or .gz."),
    runs: list[Path] = argument("Runs: 'query Q0 document rank score tag' lines; the first is the baseline."),
    measures: str = option("ndcg, map, recall, precision, mrr, also with @k.", "-m", default="ndcg@10,map,recall@100"),
    test: Literal["randomisation", "t", "fisher", "student", "tukey"] = option(
        "Paired test against the baseline: randomisation or t, corrected after Holm; fisher, student or tukey of ranx.",
        default="randomisation",
    ),
    permutations: int = option("Random signings of the randomisation test.", default=10_000, min=100),
    seed: int = option("Seed of the randomisation test.", default=0, min=0),
    candidates: Path | None = option("File of document ids, one per line: any other id in a run is an error."),
    *,
    page: PageOptions,
) -> Figures:
    """Measure runs against judgements, as trec_eval does.

    Judged queries that a run does not answer score zero; those that nobody judged are ignored, and counted in a line. A
    line that is wrong (another number of columns, a pair that occurs twice, a score that is not a number) is refused
    with its line number. Documents are ordered by score, ties by descending id. With several runs, each is compared
    with the first by paired tests whose p-values are corrected together (Holm); those of ranx are as it prints them.

    Examples:
        panelist eval trec qrels.txt run.txt
        panelist eval trec qrels.txt bm25.run dense.run.gz --measures ndcg@10,recall@100,mrr --json
        panelist eval trec qrels.txt bm25.run dense.run --report comparison/
    """
    from eval.measures.ranking import measure, parse_measures
    from eval.measures.statistics import RANX_TESTS, compare_systems, tested_by_ranx
    from eval.trec import read_judged_run, read_qrels

    chosen = parse_measures(measures)
    names = _names(runs)
    judged = read_qrels(qrels)
    people = None if candidates is None else frozenset(read_ids(candidates))
    read = [read_judged_run(path, judged, people) for path in runs]
    with show_progress("runs") as progress:
        named = dict(zip(names, read, strict=True)).items()
        values = {name: measure(judged, run, chosen) for name, run in followed(named, progress, "measuring")}
    figures: dict[str, Any] = {
        "queries": len(judged.queries),
        "runs": {name: {str(m): float(v.mean()) for m, v in means.items()} for name, means in values.items()},
        "baseline": names[0],
        "significance": compare_systems(values, permutations, seed),
    }
    if test in RANX_TESTS:
        for name, measured in tested_by_ranx(values, test, permutations, seed).items():
            for m, p in measured.items():
                figures["significance"][name][m][f"p_{test}"] = p
    table = _table(figures, [str(m) for m in chosen], test)
    if page.report is not None:
        from eval.reports.rankings import ranking_report

        best = max(values, key=lambda name: values[name][chosen[0]].mean())
        lead = (
            f"{counted(len(runs), 'run')} of {counted(len(judged.queries), 'judged query', 'judged queries')}. "
            f"By {chosen[0]} the best is {best}, with a mean of {values[best][chosen[0]].mean():.4f}."
        )
        judged_runs = {name: (judged, run) for name, run in zip(names, read, strict=True)}
        facts = origin([qrels, *runs])
        title, relevance = f"Runs against {qrels.name}", "what was judged relevant"
        page.write(ranking_report(title, lead, table, judged_runs, chosen, facts, right=relevance))
    return Figures(figures, [table])


def qrels(
    paths: list[Path] = argument("Articles in JATS XML: files or directories."),
    out: Path = option("The file of judgements to write.", "-o"),
    role: str = option("Whom to take: reviewer or editor.", default="reviewer"),
    workspace: WorkspaceOption = None,
) -> None:
    """Write who really reviewed which paper, as TREC judgements (`paper 0 person 1`).

    People count who have a paper in the workspace's corpus, by ORCID, else by a name that only one of its authors has.
    Import there what was published before the articles, so that nobody is found by what came later.

    Examples:
        panelist eval qrels elife-2020 --out qrels.txt --workspace elife-2019.workspace
        panelist eval qrels frontiers --role editor --out qrels.editors.txt
    """
    from panelist.corpus.readers.catalogues.jats import ARTICLES

    if role not in ("reviewer", "editor"):
        raise InputError(f"unknown role '{role}': use reviewer or editor")
    report = ReadReport()
    with Workspace.at(workspace).open_corpus() as corpus:
        pairs = sorted(set(_judgements(ARTICLES.read(paths, report), role, corpus)))
    if not pairs:
        reason = report.example() if report.rejected else f"no {role} who is named in the articles is in the corpus"
        raise InputError(f"there are no judgements to write: {reason}")
    write_whole(out, "".join(f"{paper} 0 {person} 1\n" for paper, person in pairs).encode())
    if report.rejected:
        warn(f"{counted(report.rejected, 'article')} could not be read: {report.example()}")
    papers, people = (len({pair[side] for pair in pairs}) for side in (0, 1))
    say(f"{counted(len(pairs), 'judgement')} in {out}: {counted(papers, 'paper')}, {counted(people, role)}")


def _judgements(articles: Iterable[Article], role: str, corpus: CorpusStore) -> Iterator[tuple[str, str]]:
    """Yield pairs of a paper and a person of this role who has another paper in the corpus."""
    for article in articles:
        for person in (author for author, duty in article.roles.items() if duty.endswith(role)):
            namesakes = [] if corpus.authors([person.id]) else corpus.find_authors(person.name)
            author = namesakes[0].id if len(namesakes) == 1 else person.id  # an id that is not there has no papers
            if set(corpus.papers_of([author]).get(author, ())) - {article.paper.id}:
                yield article.paper.id, author


def _names(runs: list[Path]) -> list[str]:
    """Return the names of the files, or whole paths where two files are called the same."""
    names = [path.name for path in runs]
    names = [str(path) if names.count(path.name) > 1 else path.name for path in runs]
    if len(set(names)) < len(names):
        raise InputError("a run was given twice: give each run once")
    return names


def _table(figures: dict[str, Any], measures: list[str], test: str) -> Table:
    compared = len(figures["runs"]) > 1
    columns: list[str | tuple[str, str]] = ["run"]
    for m in measures:
        columns += [m, ("Δ", "+.4f"), "p"] if compared else [m]
    rows = []
    for name, means in figures["runs"].items():
        row: list[Cell] = [name]
        for m in measures:
            against = figures["significance"].get(name, {}).get(m, {})
            p = against.get(f"p_{test}_holm", against.get(f"p_{test}"))
            row += [means[m], against.get("delta"), p] if compared else [means[m]]
        rows.append(tuple(row))
    basis = f"Holm-corrected p of the paired {test} test" if test in ("randomisation", "t") else f"ranx's p ({test})"
    note = f"Δ and {basis} against {figures['baseline']}." if compared else ""
    return table_of(f"{figures['queries']:,} judged queries", columns, rows, note)
