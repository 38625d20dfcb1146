"""`panelist train ranker`: learn from judgements how to order the people whom a look-up finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from eval.reports.table import Column, Table
from panelist.app.cli.eval.results import Output
from panelist.app.cli.options import BenchmarkWorkspaceOption, JsonOption
from panelist.app.cli.output import print_json, show_progress
from panelist.errors import InputError
from panelist.files import check_file, write_whole
from panelist.progress import Progress
from panelist.records import Paper, Submission
from panelist.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eval.benchmarks.ranker import Judged
    from eval.runs import Qrels

_OWN_AUTHORS = "authors"  # the judgements of which a query's own authors are the answer


def ranker(
    source: Annotated[
        Path,
        typer.Argument(
            help="What to learn from: an exHarmony benchmark, eLife's data, or TREC qrels with --queries.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model's file; its provenance is written beside it.")],
    task: Annotated[
        str, typer.Option(help="Which judgements of a benchmark: reviewers, authors, cite, authors-established, …")
    ] = "reviewers",
    queries: Annotated[
        Path | None, typer.Option(help="The submissions that the qrels judge (JSON lines, CSV, OpenReview).")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=2, help="Learn from a random sample of this many judged queries only.")
    ] = None,
    references: Annotated[
        bool, typer.Option("--references", help="Count what queries cite as evidence, in training and in figures.")
    ] = False,
    without: Annotated[
        list[str] | None, typer.Option(help="A feature to do without, such as papers (repeatable).")
    ] = None,
    elsewhere: Annotated[
        list[str] | None,
        typer.Option(help="Measure the model on another benchmark too: DIRECTORY:TASK (repeatable)."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How many trees.")] = 120,
    leaves: Annotated[int, typer.Option(min=2, help="Leaves of a tree.")] = 15,
    rate: Annotated[float, typer.Option(min=1e-6, max=1, help="Learning rate.")] = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    workspace: BenchmarkWorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Learn from real reviewers, or from authorship and citations of later papers, how to order people.

    The figures are of queries that the model did not learn from: one half of the years learns, the other is measured,
    and the reverse. The model itself then learns from all. `panelist find --ranker FILE` uses it.

    **Examples**

        panelist train ranker elife --out reviewers.txt

        panelist train ranker acl.exharmony --task authors --sample 1500 --elsewhere elife:reviewers --out authors.txt

        panelist train ranker past.qrels --queries past.jsonl --workspace journal.workspace --out journal.txt
    """
    from eval.benchmarks.ranker import across, compared, predict
    from retriever.ranking.features import FEATURES
    from retriever.ranking.model import RankerSettings, fit

    unknown = sorted(set(without or ()).difference(FEATURES))
    if unknown:
        raise InputError(f"unknown feature '{unknown[0]}': use one of {', '.join(FEATURES)}")
    names = [name for name in FEATURES if name not in (without or ())]
    settings = RankerSettings(leaves, rounds, rate, seed=seed)
    check_file(out)
    others = [_elsewhere(text, references) for text in elsewhere or ()]
    with (
        show_progress("queries") as progress,
        _judged(source, task, queries, workspace, references, progress, sample=sample, seed=seed) as (
            judged,
            citations,
        ),
    ):
        figures = compared(judged, across(judged, settings, names), citations)
        text = fit(judged.taught(), settings, names)
        provenance: dict[str, Any] = {
            "trained_on": {
                "data": source.name,
                "task": task,
                "references": references,
                "queries": len(judged.queries),
                "papers": judged.index.manifest.counts.papers,
                "corpus": judged.index.manifest.corpus,
                "encoder": judged.index.manifest.encoder.name,
                "engine": judged.index.manifest.lexical.engine,
            },
            "features": names,
            "settings": asdict(settings),
            "across_halves": figures,
            "elsewhere": {},
        }
    for directory, judgements in others:
        with (
            show_progress("queries") as progress,
            _judged(directory, judgements, None, None, references, progress) as (judged, citations),
        ):
            measured = compared(judged, predict(text, judged.examples, names), citations)
            provenance["elsewhere"][f"{directory.name}:{judgements}"] = measured
    write_whole(out, text.encode())
    write_whole(out.with_suffix(".json"), orjson.dumps(provenance, option=orjson.OPT_INDENT_2) + b"\n")
    if json:
        print_json({"model": str(out), **provenance})
    else:
        _show("across its halves", figures, out)
        for name, measured in provenance["elsewhere"].items():
            _show(name, measured, out)


def _show(where: str, figures: dict[str, Any], out: Path) -> None:
    columns = (
        Column("measure"),
        Column("plain"),
        Column("learned"),
        Column("Δ", "+.4f"),
        Column("Δ 95% CI", "+.4f"),
    )
    rows = tuple(
        (name, figures["plain"][name], of["value"], of["delta"], of["delta_interval"])
        for name, of in figures["learned"].items()
    )
    title = f"{where}: {figures['queries']:,} judged queries"
    paired = Table(title, columns, rows, f"Paired differences. Model: {out}")
    before, after = figures["suggested"]["plain"], figures["suggested"]["learned"]
    suggested = tuple((name, before[name], after[name]) for name in before)
    people = (Column("of the first ten"), Column("plain", ",.3f"), Column("learned", ",.3f"))
    Output().show(None, paired, Table("Who is suggested", people, suggested))


@contextmanager
def _judged(
    source: Path,
    task: str,
    queries: Path | None,
    workspace: Path | None,
    references: bool,
    progress: Progress,
    *,
    sample: int | None = None,
    seed: int = 0,
) -> Iterator[tuple[Judged, NDArray[np.int64] | None]]:
    """The judged queries of a source, looked up, and citations of its papers by one another, where it has a collection.

    The collection is indexed where it is not yet.
    """
    import numpy as np

    from eval.benchmarks.lookup import benchmark_workspace, prepare
    from eval.benchmarks.ranker import Judged, citations_within
    from retriever.finder import Finder

    collection: list[Paper] = []
    if queries is not None:
        from eval.trec import read_qrels
        from panelist.corpus.readers.submissions import read_submissions

        qrels, asked = read_qrels(source), tuple(read_submissions(queries))
        indexed = Workspace.at(workspace)
    else:
        name, asked, qrels, collection = _benchmark(source, task, references)
        indexed = Workspace((workspace or benchmark_workspace(name)).absolute())
        prepare(indexed, collection, progress)
    known = set(qrels.queries)
    judged = [query for query in asked if query.id in known]
    if not judged:
        raise InputError(f"none of the {len(asked):,} queries is judged in '{source}': are the ids the same?")
    if sample is not None and sample < len(judged):
        rows = np.sort(np.random.default_rng(seed).choice(len(judged), sample, replace=False))
        judged = [judged[row] for row in rows.tolist()]
    with Finder.open(indexed) as finder:
        citations = citations_within(finder.index, collection) if collection else None
        own = task.startswith(_OWN_AUTHORS)
        right = qrels.only({query.id for query in judged})
        found = Judged.collect(finder, judged, right, own_authors=own, references=references, progress=progress)
        yield found, citations


def _elsewhere(text: str, references: bool) -> tuple[Path, str]:
    """The directory and the task of another benchmark; it is read once, so that it is refused before the work."""
    directory, _, task = text.rpartition(":")
    if not directory:
        raise InputError(f"--elsewhere is written DIRECTORY:TASK, received '{text}'")
    _benchmark(Path(directory), task, references)
    return Path(directory), task


def _benchmark(source: Path, task: str, references: bool) -> tuple[str, tuple[Submission, ...], Qrels, list[Paper]]:
    """The name of a benchmark's workspace, its queries, judgements and collection."""
    if (source / "works").is_dir():
        from eval.benchmarks.elife.benchmark import ELife

        elife = ELife.read(source, references=references)
        name, queries, judgements, collection = "elife-lucene", elife.queries, elife.qrels, list(elife.collection)
    else:
        from eval.benchmarks.exharmony.benchmark import ExHarmony

        exharmony = ExHarmony.read(source)
        manifest = exharmony.manifest
        name = f"exharmony-{manifest.corpus[:12]}-{manifest.since}-lucene"
        queries, judgements, collection = exharmony.queries, exharmony.qrels, exharmony.collection()
    if task not in judgements:
        raise InputError(f"no judgements '{task}' in '{source}': use one of {', '.join(judgements)}")
    return name, queries, judgements[task], collection
