"""`panelist eval elife`: find the people who really reviewed eLife's papers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eval.reports.table import Cell, Column, Table
from panelist.app.cli.eval.results import DataOption, OutputAndReport
from panelist.app.cli.lookup import SearchOptions
from panelist.app.cli.options import BenchmarkWorkspaceOption, spread
from panelist.app.cli.output import how_made, show_progress, warn
from panelist.config import data_dir
from panelist.errors import InputError
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from eval.benchmarks.elife.benchmark import ELife
    from eval.runs import Run
    from panelist.records import Reference, Submission
    from retriever.finder import Finder
    from retriever.lookup import Lookup


@spread
def elife(
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            help="Measure this TREC run (queries: paper ids, documents: author ids) instead, with 95% intervals.",
        ),
    ] = None,
    *,
    search_options: SearchOptions,
    engine: Annotated[str, typer.Option("--engine", help="Lexical engine of the index: lucene or bm25s.")] = "lucene",
    encoder: Annotated[str, typer.Option("--encoder", help="Model of the index's vectors.")] = "all-MiniLM-L6-v2",
    workspace: BenchmarkWorkspaceOption = None,
    measures: Annotated[
        str | None, typer.Option("--measures", "-m", help="What to measure [default: recall, ndcg, map, mrr, …].")
    ] = None,
    confidence: Annotated[
        bool,
        typer.Option("--confidence", help="Instead: which share of the first ten is right, by grade of confidence."),
    ] = False,
    diversity: Annotated[
        bool,
        typer.Option(
            "--diversity",
            help="Instead: what panels of ten find, and how varied they are, by λ and by people per paper.",
        ),
    ] = False,
    references: Annotated[
        bool,
        typer.Option("--references", help="Let queries know what they cite, and show what that adds, step by step."),
    ] = False,
    through: Annotated[
        str | None,
        typer.Option("--through", help="Instead: what is lost of references that were written to bib or pdf files."),
    ] = None,
    data: DataOption = None,
    output: OutputAndReport,
) -> None:
    """Measure rankings of people for the eLife papers of 2019 and 2020: their reviewers, authors, cited authors.

    Candidates are the authors of papers up to 2018. A paper's own authors are removed from the rankings except where
    they are the answer. Figures are means over the first 1,400 judged papers of each task, in the order of their ids.
    The first time, the collection is indexed, which takes some minutes. With --references queries know what their
    published version cites: figures of another task, which leave out `cite`.

    **Examples**

        panelist eval elife --json

        panelist eval elife --mode lexical --aggregate max

        panelist eval elife --run dense.run --measures recall@10,recall@100 --json

        panelist eval elife --report elife-report/

        panelist eval elife --confidence

        panelist eval elife --diversity

        panelist eval elife --references

        panelist eval elife --through bib
    """
    from eval.benchmarks.elife.benchmark import MEASURES, ELife
    from eval.measures.ranking import parse_measures
    from eval.trec import read_run

    if confidence and diversity:
        raise InputError("--confidence and --diversity are two questions: ask one at a time")
    if (confidence or diversity) and run is not None:
        question = "--confidence" if confidence else "--diversity"
        raise InputError(f"{question} looks at a look-up, and --run is measured instead of one: leave out one of them")
    if confidence and output.report is not None:
        raise InputError("--report shows the grades already: leave out --confidence")
    if diversity and output.report is not None:
        raise InputError("--diversity makes no report: leave out one of them")
    if through not in (None, "bib", "pdf"):
        raise InputError(f"--through is bib or pdf, received '{through}'")
    wanted = parse_measures(MEASURES if measures is None else measures)
    root = data or data_dir() / "elife"
    benchmark = ELife.read(root, references=references or through is not None)
    with ExitStack() as stack:
        asked = None
        if run is not None:
            known = {query.id for query in benchmark.queries}
            answers = read_run(run, queries=known, documents=benchmark.candidates())
        else:
            finder = stack.enter_context(_finder(benchmark, workspace, engine, encoder))
            asked = finder, _lookup(benchmark, search_options)
            _warn_if_trained_on(finder, asked[1])
            if through is not None:
                left, tables = _references(benchmark, finder, through)
                output.show(left, *tables)
                return
            if confidence or diversity:
                output.show(*(_confidence if confidence else _diversity)(benchmark, *asked))
                return
            answers = _answers(benchmark, *asked, f"{search_options.mode}-{search_options.aggregate}")
        shown = benchmark.score_run(answers, wanted, intervals=run is not None)
        names = [str(m) for m in wanted]
        if run is not None:
            names = [column for name in names for column in (name, f"{name}_ci")]
        columns = (Column("task"), Column("queries", ",.0f"), *(Column(name.replace("_ci", " 95%")) for name in names))
        rows: list[tuple[Cell, ...]] = [
            (task, values["queries"], *(values[name] for name in names)) for task, values in shown.items()
        ]
        table = Table(f"eLife, run {answers.tag if run is None else run.name}", columns, tuple(rows))
        if output.report is not None:
            from eval.benchmarks.elife.report import elife_report

            files = [root / "works", *(root / f"qrels.dev.{task}.txt" for task in benchmark.qrels)]
            facts = how_made(files if run is None else [*files, run], asked[0].index if asked else None)
            with show_progress("panels") as progress:
                page = elife_report(benchmark, answers, wanted, table, facts, asked, progress)
            output.write(page)
        added: list[Table] = []
        if asked and references:
            shown["references"], added = _references(benchmark, asked[0])
    output.show(shown, table, *added)


def _references(benchmark: ELife, finder: Finder, kind: str = "") -> tuple[dict[str, Any], list[Table]]:
    """What references add, step by step, or what is left of them in files of a kind, as figures and as tables."""
    from eval.benchmarks.elife import references
    from eval.benchmarks.ranker import MEASURES, citations_within
    from panelist.app.bibliographies import references_of

    citations = citations_within(finder.index, benchmark.collection)
    with show_progress("queries") as progress, TemporaryDirectory() as folder:

        def read_back(query: Submission) -> tuple[Reference, ...]:
            path = Path(folder, f"cited.{kind}")
            references.write_cited(query, path)
            try:
                return references_of(path)
            except InputError:
                return ()  # all of them are lost

        if kind:
            benchmark = references.through(benchmark, kind)
        rows = references.measured(benchmark, finder, citations, progress, read_back if kind else None)
    tables = []
    for measure in MEASURES:
        columns = (
            Column("look-up"),
            Column(measure),
            Column("against"),
            Column("Δ", "+.4f"),
            Column("Δ 95% CI", "+.4f"),
        )
        cells = tuple(
            (name, (of := row["figures"][measure])["value"], row["against"] or "", of["delta"], of["delta_interval"])
            for name, row in rows.items()
        )
        tables.append(Table(f"Real reviewers, with the references of the published version: {measure}", columns, cells))
    names = list(next(iter(rows.values()))["suggested"])
    who = tuple((name, *(row["suggested"][word] for word in names)) for name, row in rows.items())
    return rows, [*tables, Table("Who is suggested", (Column("look-up"), *(Column(one, ",.3f") for one in names)), who)]


def _finder(benchmark: ELife, workspace: Path | None, engine: str, encoder: str) -> Finder:
    """A finder in the benchmark's collection, which is indexed where it is not yet."""
    from eval.benchmarks.lookup import benchmark_workspace, prepare
    from retriever.finder import Finder

    indexed = Workspace((workspace or benchmark_workspace(f"elife-{engine}")).absolute())
    with show_progress() as progress:
        prepare(indexed, benchmark.collection, progress, engine=engine, encoder=encoder)
    return Finder.open(indexed)


def _lookup(benchmark: ELife, options: SearchOptions) -> Lookup:
    from eval.benchmarks.lookup import room_for_own
    from retriever.lookup import Lookup

    return Lookup(
        size=100 + room_for_own(benchmark.queries),
        search=options.search(),
        aggregation=options.aggregation(),
        ranker=options.learned_ranker(),
        conflicts="ignore",
    )


def _warn_if_trained_on(finder: Finder, lookup: Lookup) -> None:
    trained_on = {} if lookup.ranker is None else lookup.ranker.provenance.get("trained_on", {})
    if trained_on.get("corpus") == finder.index.manifest.corpus:
        warn("this ranker learned from these queries: its figures across years are those of 'panelist train ranker'")


def _confidence(benchmark: ELife, finder: Finder, lookup: Lookup) -> tuple[dict[str, Any], Table]:
    """How often suggestions of each grade are right, as figures and as a table."""
    from eval.benchmarks.lookup import of_look_ups

    found = {}
    with show_progress("queries") as progress:
        for task, qrels in benchmark.qrels.items():
            own = task == "authors"
            graded = of_look_ups(finder, benchmark.judged(task), qrels, lookup, progress, own_authors=own)
            found[task] = {str(grade): share for grade, share in graded.items()}  # JSON wants plain names
    columns = (Column("task"), Column("confidence"), Column("right", ".4f"), Column("95% interval", ".4f"))
    rows = tuple((task, grade, of.value, of.interval) for task, grades in found.items() for grade, of in grades.items())
    note = "Of the first ten suggestions for every paper, which share of those with this grade is right."
    return found, Table("eLife: how sure a suggestion is", columns, rows, note)


def _diversity(benchmark: ELife, finder: Finder, lookup: Lookup) -> tuple[dict[str, Any], Table]:
    """What panels find and how varied they are, as figures and as a table."""
    from dataclasses import replace

    from eval.benchmarks.elife.report import VARIETY, compare_panels
    from eval.measures.statistics import figures, resampling_counts

    queries = benchmark.judged("reviewers")
    with show_progress("panels") as progress:
        ten = replace(lookup, size=10)
        panels = compare_panels(finder, queries, benchmark.qrels["reviewers"], ten, progress=progress)
    plain, counts = next(iter(panels.values())), resampling_counts(len(queries))
    found = {way: figures(of, None if of is plain else plain, counts) for way, of in panels.items()}
    names = VARIETY[:4]
    rows: list[tuple[Cell, ...]] = [
        (way, of["recall@10"].value, of["recall@10"].delta_interval, *(of[name].value for name in names))
        for way, of in found.items()
    ]
    recall = Column("recall@10"), Column("Δ to the plain ranking, 95%", "+.4f")
    columns = (Column("panel"), *recall, *(Column(name, ".2f") for name in names))
    note = "Means over all papers with known reviewers. Papers: how many different ones are somebody's nearest."
    return found, Table("eLife: panels of ten", columns, tuple(rows), note)


def _answers(benchmark: ELife, finder: Finder, lookup: Lookup, tag: str) -> Run:
    from eval.benchmarks.lookup import answer

    with show_progress("queries") as progress:
        return answer(finder, benchmark.judged(), lookup, progress, tag)
