"""`panelist train ranker` and `fit`: learn from judgements how to order people, and how often a suggestion is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from eval.reports.table import Table, table_of
from panelist.app.cli.options import BenchmarkWorkspaceOption, argument, option
from panelist.app.cli.output import Answer, show_progress
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.files import check_file, write_whole
from panelist.records import HistoryEvent, Paper, Submission
from panelist.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eval.benchmarks.ranker import Judged
    from eval.runs import Qrels


def ranker(
    source: Path = argument("What to learn from: an exHarmony benchmark, eLife's data, or TREC qrels with --queries."),
    out: Path = option("The model's file; its provenance is written beside it.", "-o"),
    task: str = option("Benchmark's judgements: reviewers, authors, cite, authors-established, …", default="reviewers"),
    queries: Path | None = option("The submissions that the qrels judge (JSON lines, CSV, OpenReview)."),
    sample: int | None = option("Learn from a random sample of this many judged queries only.", min=2),
    references: bool = option("Count what queries cite as evidence, in training and in figures."),
    history: bool = option("Count who reviewed and edited before each query, in training and in figures."),
    left_out: list[str] | None = option("A feature to do without, such as papers (repeatable).", "--without"),
    elsewhere: list[str] | None = option("Measure the model on another benchmark too: DIRECTORY:TASK (repeatable)."),
    rounds: int = option("How many trees.", default=120, min=1),
    leaves: int = option("Leaves of a tree.", default=15, min=2),
    rate: float = option("Learning rate.", default=0.05, min=1e-6, max=1),
    seed: int = option("The same seed gives the same model.", default=0, min=0),
    workspace: BenchmarkWorkspaceOption = None,
) -> Answer:
    """Learn from real reviewers, or from authorship and citations of later papers, how to order people.

    The figures are of queries that the model did not learn from: one half of the years learns, the other is measured,
    and the reverse. The model itself then learns from all. `panelist find --ranker FILE` uses it.

    Examples:
        panelist train ranker elife --out reviewers.txt
        panelist train ranker elife --references --history --out reviewers.txt
        panelist train ranker acl.exharmony --task authors --sample 1500 --elsewhere elife:reviewers --out authors.txt
        panelist train ranker past.qrels --queries past.jsonl --workspace journal.workspace --out journal.txt
    """
    from eval.benchmarks.ranker import compared, cross_scores, predict
    from retriever.ranking.features import FEATURES
    from retriever.ranking.model import RankerSettings, fit_ranker

    unknown = sorted(set(left_out or ()).difference(FEATURES))
    if unknown:
        raise InputError(f"unknown feature '{unknown[0]}': use one of {', '.join(FEATURES)}")
    names = [name for name in FEATURES if name not in (left_out or ())]
    settings = RankerSettings(leaves, rounds, rate, seed=seed)
    check_file(out)
    further_benchmarks = [_elsewhere(text, references) for text in elsewhere or ()]
    with _judged(source, task, (references, history), queries, workspace, (sample, seed)) as (judged, citations):
        manifest = judged.index.manifest
        figures = compared(judged, cross_scores(judged, settings, names), citations)
        text = fit_ranker(judged.taught(), settings, names)
        provenance: dict[str, Any] = {
            "trained_on": {
                "data": source.name,
                "task": task,
                "references": references,
                "history": history,
                "queries": len(judged.queries),
                "papers": manifest.counts.papers,
                "corpus": manifest.corpus,
                "encoder": manifest.encoder.name,
                "engine": manifest.lexical.engine,
            },
            "features": names,
            "settings": asdict(settings),
            "across_halves": figures,
            "elsewhere": {},
        }
    for directory, judgements in further_benchmarks:
        with _judged(directory, judgements, (references, False)) as (judged, citations):
            measured = compared(judged, predict(text, judged.examples, names), citations)
            provenance["elsewhere"][f"{directory.name}:{judgements}"] = measured
    write_whole(out, text.encode())
    write_whole(out.with_suffix(".json"), orjson.dumps(provenance, option=orjson.OPT_INDENT_2) + b"\n")
    measured_on = {"across its halves": figures, **provenance["elsewhere"]}
    tables = (table for name, measured in measured_on.items() for table in _tables(name, measured, out))
    return Answer({"model": str(out), **provenance}, tables)


def _tables(name: str, figures: dict[str, Any], out: Path) -> tuple[Table, Table]:
    plain, learned = figures["plain"], figures["learned"]
    rows = ((key, plain[key], row["value"], row["delta"], row["delta_interval"]) for key, row in learned.items())
    title, note = f"{name}: {figures['queries']:,} judged queries", f"Paired differences. Model: {out}"
    columns = ("measure", "plain", "learned", ("Δ", "+.4f"), ("Δ 95% CI", "+.4f"))
    before, after = figures["suggested"]["plain"], figures["suggested"]["learned"]
    people = ((key, before[key], after[key]) for key in before)
    suggested = table_of("Who is suggested", ("of the first ten", ("plain", ",.3f"), ("learned", ",.3f")), people)
    return table_of(title, columns, rows, note), suggested


@contextmanager
def _judged(
    source: Path,
    task: str,
    evidence: tuple[bool, bool],  # whether references count, and whether a history does
    queries: Path | None = None,
    workspace: Path | None = None,
    drawn: tuple[int | None, int] = (None, 0),  # how many of the judged queries, None for all, and the seed
) -> Iterator[tuple[Judged, NDArray[np.int64] | None]]:
    """Look up the judged queries of a source, and the citations of its papers by one another.

    A benchmark has a collection, which is indexed where it is not yet; other sources have no citations.
    """
    import numpy as np

    from eval.benchmarks.lookup import open_benchmark
    from eval.benchmarks.ranker import Judged, citations_within
    from retriever.finder import Finder

    collection: list[Paper] = []
    events: tuple[HistoryEvent, ...] = ()
    references, history = evidence
    with show_progress("queries") as progress:
        if queries is not None:
            from eval.trec import read_qrels

            qrels, submissions = read_qrels(source), tuple(read_submissions(queries))
            opened: AbstractContextManager[Finder] = Finder.open(Workspace.at(workspace))
        else:
            name, submissions, qrels, collection, events = _benchmark(source, task, references, history)
            opened = open_benchmark(name, collection, progress, workspace)
        ids = set(qrels.queries)
        judged = [query for query in submissions if query.id in ids]
        if not judged:
            raise InputError(f"none of the {len(submissions):,} queries is judged in '{source}': are the ids the same?")
        sample, seed = drawn
        if sample is not None and sample < len(judged):
            rows = np.sort(np.random.default_rng(seed).choice(len(judged), sample, replace=False))
            judged = [judged[row] for row in rows.tolist()]
        with opened as finder:
            citations = citations_within(finder.index, collection) if collection else None
            by_authors = task.startswith("authors")  # a query's own authors are the answer
            relevant = qrels.only({query.id for query in judged})
            if events:
                finder.use_history(events)
            if history and finder.history is None:
                raise InputError(f"nobody knows who reviewed before in '{source}': leave out --history")
            collect = partial(
                Judged.collect, own_authors=by_authors, references=references, history=history, progress=progress
            )
            yield collect(finder, judged, relevant), citations


def _elsewhere(text: str, references: bool) -> tuple[Path, str]:
    """Return directory and task of another benchmark, after reading it: a wrong one is refused before the work."""
    directory, _, task = text.rpartition(":")
    if not directory:
        raise InputError(f"--elsewhere is written DIRECTORY:TASK, received '{text}'")
    _benchmark(Path(directory), task, references)
    return Path(directory), task


def _benchmark(
    source: Path, task: str, references: bool, history: bool = False
) -> tuple[str, tuple[Submission, ...], Qrels, list[Paper], tuple[HistoryEvent, ...]]:
    """Read a benchmark: the name of its workspace, its queries, judgements and collection, and its history."""
    events: tuple[HistoryEvent, ...] = ()
    if not source.exists():
        made = "'panelist fetch elife' and 'panelist eval exharmony build' make one"
        raise InputError(f"no such directory '{source}': {made}")
    if (source / "works").is_dir():
        from eval.benchmarks.elife.benchmark import ELife

        elife = ELife.read(source, references=references, history=history)
        events = elife.events
        name, queries, judgements, collection = "elife-lucene", elife.queries, elife.qrels, list(elife.collection)
    else:
        from eval.benchmarks.exharmony.benchmark import ExHarmony

        exharmony = ExHarmony.read(source)
        manifest = exharmony.manifest
        name = f"exharmony-{manifest.corpus[:12]}-{manifest.since}-lucene"
        queries, judgements, collection = exharmony.queries, exharmony.qrels, exharmony.collection()
    if task not in judgements:
        raise InputError(f"no judgements '{task}' in '{source}': use one of {', '.join(judgements)}")
    return name, queries, judgements[task], collection, events


def fit(
    source: Path = argument("eLife's data: who really reviewed is what is learned."),
    out: Path = option("The model's file, with its provenance.", "-o"),
    workspace: BenchmarkWorkspaceOption = None,
) -> Answer:
    """Learn what grades of suggestions rest on: from real reviewers, with references and without.

    The figures are of models that learned from the other year; the model itself learns from both. The package's own is
    `retriever/fit.json`.

    Examples:
        panelist train fit elife --out fit.json
    """
    from eval.benchmarks.elife.benchmark import ELife
    from eval.benchmarks.elife.confidence import judged_fit
    from eval.benchmarks.fit import model_of
    from eval.benchmarks.lookup import open_benchmark

    check_file(out)
    benchmark = ELife.read(source, references=True, history=True)
    with (
        show_progress("queries") as progress,
        open_benchmark("elife-lucene", benchmark.collection, progress, workspace) as finder,
    ):
        taught, graded = judged_fit(benchmark, finder, progress)
        manifest, nearness = finder.index.manifest, finder.index.nearness
    figures = {name: result.figures() for name, result in graded.items()}
    provenance = {
        "trained_on": {
            "data": source.name,
            "queries": len(benchmark.judged("reviewers")),
            "suggestions": len(taught.right),
            "corpus": manifest.corpus,
            "encoder": manifest.encoder.name,
            "nearness": asdict(nearness),
        },
        "across_years": figures,
    }
    content = asdict(model_of(taught)) | {"provenance": provenance}
    write_whole(out, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    weights = (content["weights"] | {"intercept": content["intercept"]}).items()
    names = ("auc", "calibration_error", "strong_to_weak")
    measured = ((name, *(result[figure] for figure in names)) for name, result in figures.items())
    columns = ("suggestions", "AUC", "calibration error", ("strong to weak", ".1f"))
    tables = [table_of("Fit: weights", ("evidence", "weight"), weights), table_of("Across years", columns, measured)]
    return Answer(content, tables)
