"""A report on eLife: who is found, how far down the list, and what diversity costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eval.benchmarks.diversity_sweep import Step, sweep
from eval.benchmarks.elife.benchmark import ELife
from eval.measures.curves import recall_values
from eval.measures.ranking import Measure, measure
from eval.reports.page import Report
from eval.reports.rankings import ranking_report
from eval.reports.table import Table
from eval.runs import Run
from panelist.progress import Progress
from retriever.finder import Finder
from retriever.lookup import Lookup

_PANEL = 10
_TASKS = {
    "reviewers": "reviewers: who really reviewed",
    "authors": "authors: who wrote it",
    "cite": "cite: whom it cites",
}


def elife_report(
    benchmark: ELife,
    answers: Run,
    measures: Sequence[Measure],
    table: Table,
    made: Mapping[str, str],
    asked: tuple[Finder, Lookup] | None,
    progress: Progress,
) -> Report:
    """The page about one run; `asked` is the look-up that gave it, which is then repeated with rising diversity."""
    runs = benchmark.admitted(answers)
    rows = {_TASKS[task]: (benchmark.qrels[task], run) for task, run in runs.items()}
    values = {
        name: {str(m): v for m, v in measure(qrels, run, measures).items()} for name, (qrels, run) in rows.items()
    }
    recall = {name: recall_values(qrels, run) for name, (qrels, run) in rows.items()}
    found = recall[_TASKS["reviewers"]].mean(axis=1)
    return ranking_report(
        "Finding eLife's real reviewers",
        f"For eLife's papers of 2019 and 2020, people were looked for among the {len(benchmark.candidates()):,} "
        "authors of its earlier papers. There are three answers to who is right: those who really reviewed the paper, "
        f"those who wrote it, and those whom it cites. Of those who really reviewed, {found[9]:.0%} are among the "
        f"first ten names of the list and {found[99]:.0%} among the first hundred.",
        table,
        values,
        recall,
        made,
        right="the people who are right",
        steps=() if asked is None else panels(benchmark, *asked, progress),
    )


def panels(benchmark: ELife, finder: Finder, lookup: Lookup, progress: Progress) -> list[Step]:
    """Panels of ten with rising λ, measured by who really reviewed."""
    qrels = benchmark.qrels["reviewers"]
    judged = set(qrels.queries)
    queries = [query for query in benchmark.queries if query.id in judged]
    return sweep(finder, queries, qrels, replace(lookup, size=_PANEL), progress)
