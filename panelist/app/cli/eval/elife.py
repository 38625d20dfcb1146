"""`panelist eval elife`: find the people who really reviewed eLife's papers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from eval.reports.table import Table, table_of
from panelist.app.cli.eval.results import DataOption, Figures, PageOptions, figures_table
from panelist.app.cli.lookup import SearchOptions
from panelist.app.cli.options import BenchmarkWorkspaceOption, option
from panelist.app.cli.output import origin, show_progress, warn
from panelist.config import data_dir
from panelist.errors import InputError
from panelist.progress import silent

if TYPE_CHECKING:
    from eval.benchmarks.elife.benchmark import ELife
    from eval.measures.ranking import Measure
    from eval.runs import Run
    from panelist.records import Reference, Submission
    from retriever.finder import Finder
    from retriever.lookup import Lookup

_TRAINED_ON = "this ranker learned from these queries: its figures across years are those of 'panelist train ranker'"


def elife(
    run: Path | None = option("Instead: a TREC run (queries: paper ids, documents: author ids), with 95% intervals."),
    *,
    search_options: SearchOptions,
    engine: str = option("Lexical engine of the index: lucene or bm25s.", default="lucene"),
    encoder: str = option("Model of the index's vectors.", default="all-MiniLM-L6-v2"),
    workspace: BenchmarkWorkspaceOption = None,
    measures: str | None = option("What to measure [default: recall, ndcg, map, mrr, …].", "-m"),
    confidence: bool = option("Instead: how true grades of the first ten are, with references and without."),
    diversity: bool = option("Instead: what panels of ten find, and how varied they are, by λ and people per paper."),
    references: bool = option("Let queries know what they cite, and show what that adds, step by step."),
    history: bool = option("With references, who reviewed and edited before each query too, and brakes on that."),
    through: str | None = option("Instead: what is lost of references that were written to bib or pdf files."),
    data: DataOption = None,
    page: PageOptions,
) -> Figures:
    """Measure rankings of people for the eLife papers of 2019 and 2020: their reviewers, authors, cited authors.

    Candidates are the authors of papers up to 2018. A paper's own authors are removed from the rankings except where
    they are the answer. Figures are means over the first 1,400 judged papers of each task, in the order of their ids.
    The first time, the collection is indexed, which takes some minutes. With --references queries know what their
    published version cites: figures of another task, which leave out `cite`.

    Examples:
        panelist eval elife --json
        panelist eval elife --mode lexical --aggregate max
        panelist eval elife --run dense.run --measures recall@10,recall@100 --json
        panelist eval elife --report elife-report/
        panelist eval elife --confidence
        panelist eval elife --diversity
        panelist eval elife --references
        panelist eval elife --references --history
        panelist eval elife --through bib
    """
    from eval.benchmarks.elife.benchmark import HISTORY, MEASURES, ELife
    from eval.benchmarks.elife.report import elife_report
    from eval.benchmarks.lookup import answer, open_benchmark, room_for_own
    from eval.measures.ranking import parse_measures
    from eval.trec import read_run
    from indexing.encoders.cache import EncoderLoader
    from retriever.lookup import Lookup

    if confidence and diversity:
        raise InputError("--confidence and --diversity are two questions: ask one at a time")
    if (confidence or diversity) and run is not None:
        question = "--confidence" if confidence else "--diversity"
        raise InputError(f"{question} looks at a look-up, and --run is measured instead of one: leave out one of them")
    if diversity and page.report is not None:
        raise InputError("--diversity makes no report: leave out one of them")
    if through not in (None, "bib", "pdf"):
        raise InputError(f"--through is bib or pdf, received '{through}'")
    chosen = parse_measures(MEASURES if measures is None else measures)
    root = data or data_dir() / "elife"
    with_references = references or confidence or history or through is not None
    with_history = history or (confidence and (root / HISTORY).exists())
    benchmark = ELife.read(root, references=with_references, history=with_history)
    files = [root / "works", *(root / f"qrels.dev.{task}.txt" for task in benchmark.qrels)]
    if run is not None:
        answers = read_run(run, queries={query.id for query in benchmark.queries}, documents=benchmark.candidates())
        figures, table = _measured(benchmark, answers, chosen, run)
        if page.report is not None:
            page.write(elife_report(benchmark, answers, chosen, table, origin([*files, run]), None, silent))
        return Figures(figures, [table])
    with ExitStack() as stack:
        with show_progress() as progress:
            opening = {"lexical": search_options.index, "load": EncoderLoader(cached=True)}
            source = (f"elife-{engine}", benchmark.collection, progress, workspace, opening)
            finder = stack.enter_context(open_benchmark(*source, engine=engine, encoder=encoder))
        lookup = Lookup(size=100 + room_for_own(benchmark.queries), conflicts="ignore", **search_options.fields())
        trained_on = {} if lookup.ranker is None else lookup.ranker.provenance.get("trained_on", {})
        if trained_on.get("corpus") == finder.index.manifest.corpus:
            warn(_TRAINED_ON)
        if through is not None:
            return _references(benchmark, finder, through)
        if history:
            return _history(benchmark, finder)
        if confidence:
            return _confidence(benchmark, finder, lookup, page)
        if diversity:
            return _diversity(benchmark, finder, lookup)
        with show_progress("queries") as progress:
            tag = f"{search_options.mode}-{search_options.aggregate}"
            answers = answer(finder, benchmark.judged(), lookup, progress, tag)
        figures, table = _measured(benchmark, answers, chosen)
        if page.report is not None:
            with show_progress("panels") as progress:
                facts, system = origin(files, finder.index), (finder, lookup)
                page.write(elife_report(benchmark, answers, chosen, table, facts, system, progress))
        if not references:
            return Figures(figures, [table])
        steps = _references(benchmark, finder)
        return Figures({**figures, "references": steps.value}, [table, *steps.parts])


def _measured(
    benchmark: ELife, answers: Run, measures: Sequence[Measure], run: Path | None = None
) -> tuple[dict[str, dict[str, Any]], Table]:
    """Measure the answers, those of a file with 95% intervals, as figures and as a table."""
    figures = benchmark.score_run(answers, measures, intervals=run is not None)
    names = [str(measure) for measure in measures]
    if run is not None:
        names = [column for name in names for column in (name, f"{name}_ci")]
    columns = ("task", ("queries", ",.0f"), *(name.replace("_ci", " 95%") for name in names))
    rows = ((task, *(values[name] for name in ("queries", *names))) for task, values in figures.items())
    return figures, table_of(f"eLife, run {answers.tag if run is None else run.name}", columns, rows)


def _references(benchmark: ELife, finder: Finder, kind: str = "") -> Figures:
    """Measure what references add, step by step, or what is left of them in files of a kind."""
    from eval.benchmarks.elife import references
    from eval.benchmarks.ranker import citations_within
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
    return Figures(rows, _tables("Real reviewers, with the references of the published version", rows))


def _history(benchmark: ELife, finder: Finder) -> Figures:
    """Measure what a history adds, what brakes cost, and how editors are found."""
    from eval.benchmarks.elife.history import measured
    from eval.benchmarks.ranker import citations_within

    with show_progress("queries") as progress:
        rows, editors = measured(benchmark, finder, citations_within(finder.index, benchmark.collection), progress)
    title = "Reviewers of papers received from June 2019 on, with references and a history of what was published before"
    means = {way: {name: figure.value for name, figure in result.items()} for way, result in editors.items()}
    handled = figures_table("Who handled the paper, among those who edited before", "people by", means)
    return Figures({"reviewers": rows, "editors": editors}, [*_tables(title, rows), handled])


def _tables(title: str, rows: dict[str, Any]) -> list[Table]:
    """Show figures measure by measure, with their differences, and whom each way suggests."""
    from eval.benchmarks.ranker import MEASURES

    tables = []
    for measure in MEASURES:
        cells = (
            (name, figure.value, row["against"] or "", figure.delta, figure.delta_interval)
            for name, row in rows.items()
            for figure in (row["figures"][measure],)
        )
        columns = ("look-up", measure, "against", ("Δ", "+.4f"), ("Δ 95% CI", "+.4f"))
        tables.append(table_of(f"{title}: {measure}", columns, cells))
    suggested = {name: row["suggested"] for name, row in rows.items()}
    return [*tables, figures_table("Who is suggested", "look-up", suggested, ",.3f")]


def _confidence(benchmark: ELife, finder: Finder, lookup: Lookup, page: PageOptions) -> Figures:
    """Measure how true grades are, with a page where it is asked for."""
    from eval.benchmarks.elife.confidence import judged_fit
    from eval.benchmarks.fit import reliability_section
    from eval.reports.page import Report, Section

    if lookup.search.mode == "lexical":
        raise InputError("grades rest on how near papers are: leave out --mode lexical")
    with show_progress("queries") as progress:
        _, graded = judged_fit(benchmark, finder, progress, lookup)
    figures = {name: result.figures() for name, result in graded.items()}
    shares = ((f"{grade} right", ".3f") for grade in next(iter(figures.values()))["grades"])
    columns = ("suggestions", ("AUC", ".3f"), ("calibration error", ".4f"), *shares)
    rows = (
        (name, result["auc"], result["calibration_error"], *(share.value for share in result["grades"].values()))
        for name, result in figures.items()
    )
    note = "The first ten suggestions of every paper, graded by a model that learned from reviewers of the other year."
    table = table_of("eLife: how true grades are", columns, rows, note)
    if page.report is not None:
        sections = (Section("Figures", (table,)), reliability_section(graded))
        page.write(Report("How true grades are", note, sections, origin([], finder.index)))
    return Figures(figures, [table])


def _diversity(benchmark: ELife, finder: Finder, lookup: Lookup) -> Figures:
    """Measure what panels find and how varied they are."""
    from eval.benchmarks.elife.report import VARIETY, compare_panels
    from eval.measures.statistics import bootstrap_figures, resampling_counts

    queries, ten = benchmark.judged("reviewers"), replace(lookup, size=10)
    with show_progress("panels") as progress:
        panels = compare_panels(finder, queries, benchmark.qrels["reviewers"], ten, progress=progress)
    plain, counts = next(iter(panels.values())), resampling_counts(len(queries))
    by_panel = {way: bootstrap_figures(result, plain, counts) for way, result in panels.items()}
    names = VARIETY[:4]
    rows = (
        (way, result["recall@10"].value, result["recall@10"].delta_interval, *(result[name].value for name in names))
        for way, result in by_panel.items()
    )
    columns = ("panel", "recall@10", ("Δ to the plain ranking, 95%", "+.4f"), *((name, ".2f") for name in names))
    note = "Means over all papers with known reviewers. Papers: how many different ones are somebody's nearest."
    return Figures(by_panel, [table_of("eLife: panels of ten", columns, rows, note)])
