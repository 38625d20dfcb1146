"""What a review history adds on eLife, what brakes on it cost, and who edited: with the day of each query as horizon.

Measured are queries received from June 2019 on, since reviewers are named from 2018 on; a ranker learns from all
queries of the other year. Brakes are applied to one ranking of the first 400 people of every query.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.references import spread
from eval.benchmarks.lookup import answer, means, renamed, room_for_own
from eval.benchmarks.ranker import MEASURES, PANEL, Judged, cross_scores_of, suggested
from eval.measures.statistics import Ratio, figures, resampling_counts
from eval.runs import Qrels, Run
from panelist.progress import Progress
from panelist.records import HistoryRole
from retriever.finder import Finder
from retriever.history.joining import HistoryWeights
from retriever.history.seats import Seats
from retriever.history.seen import Seen
from retriever.lookup import Lookup
from retriever.ranking.features import FEATURES
from retriever.ranking.model import DEPTH

SINCE = date(2019, 6, 1)
"""Queries received earlier are not measured: too few reviews were known by then."""


class Brakes(NamedTuple):
    """Newcomers of ten, days of rest, most reviews a year, and the penalty on load."""

    newcomers: int = 0
    rest: int = 0
    most: int | None = None
    penalty: float = 0.0


BRAKES: dict[str, Brakes] = {
    **{f"at least {count} of 10 newcomers": Brakes(newcomers=count) for count in (2, 3, 4, 5, 6, 7)},
    **{f"{days} days of rest": Brakes(rest=days) for days in (30, 60, 90, 180)},
    **{f"at most {most} a year": Brakes(most=most) for most in (1, 2, 3, 4, 6)},
    **{f"load penalty {penalty:g}": Brakes(penalty=penalty) for penalty in (0.02, 0.05, 0.1, 0.2, 0.3)},
}
ROWS = {
    "text": (0, None),
    "text + history": (1, "text"),
    "text + history, learned": (1, "text + history"),
    "references": (2, "text"),
    "references, learned": (2, "references"),
    "+ history": (3, "references"),
    "+ history, learned": (3, "+ history"),
}
"""Which look-up of `Judged.collect` it is, the one that knows most being the last; and the row it is compared with."""


def measured(
    benchmark: ELife, finder: Finder, citations: NDArray[np.int64], progress: Progress
) -> tuple[dict[str, Any], dict[str, Any]]:
    """For each row its figures and whom it suggests, brakes among them; and how the editors of queries are found."""
    finder.use_history(benchmark.events)
    queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
    recent = frozenset(query.id for query in queries if query.received is not None and query.received >= SINCE)
    judged = Judged.collect(finder, queries, qrels, references=True, history=True, progress=progress)
    known = [*judged.less, judged]
    learned = dict(zip(range(len(known)), cross_scores_of(judged, known), strict=True))
    served, levels = _served(finder, benchmark), _levels(judged)
    runs = {
        name: known[at].run(learned[at] if name.endswith("learned") else None, name) for name, (at, _) in ROWS.items()
    }
    against = {name: other for name, (_, other) in ROWS.items()}
    for name in ("+ history", "+ history, learned"):
        for brakes, chosen in BRAKES.items():
            label = f"{name}: {brakes}"
            runs[label], against[label] = _braked(finder, runs[name], served, levels, chosen, label), name
    counts, judgements = resampling_counts(len(recent)), qrels.only(recent)
    values: dict[str, dict[str, Ratio]] = {}
    rows: dict[str, Any] = {}
    for name, run in runs.items():
        orders = {query: authors for query, authors in _orders(finder, run) if query in recent}
        run = _run(finder, orders, name)
        values[name] = means(judgements, run, MEASURES)
        other = against[name]
        shown = figures(values[name], values[other] if other else None, counts)
        new = [float(np.mean(served[query].new(authors[:PANEL]))) for query, authors in orders.items()]
        rows[name] = {
            "against": other,
            "figures": {measure: asdict(figure) for measure, figure in shown.items()},
            "suggested": suggested(finder.index, run, citations) | {"newcomers": float(np.mean(new))},
        }
    return rows, _handled(benchmark, finder, progress)


def _served(finder: Finder, benchmark: ELife) -> dict[str, Seen]:
    """What was known on the day of each query, without its text."""
    history, near = finder.history, finder.index.nearness
    return {} if history is None else {q.id: Seen.of(history, q, None, near) for q in benchmark.judged("reviewers")}


def _orders(finder: Finder, run: Run) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The author numbers of each ranking of a run, best first."""
    numbers = finder.index.ownership.author_ids.find(list(run.documents))
    for query, (start, end) in zip(run.queries, pairwise(run.offsets), strict=True):
        yield query, numbers[run.docs[start:end]]


def _run(finder: Finder, orders: Mapping[str, NDArray[np.int64]], tag: str) -> Run:
    ids = finder.index.ownership.author_ids
    return Run.of_lists(
        {query: [(person, -float(row)) for row, person in enumerate(ids.take(who))] for query, who in orders.items()},
        tag,
    )


def _levels(judged: Judged) -> dict[str, NDArray[np.float64]]:
    """The relevance of the first, the second, … of every query; a learned order has the same."""
    level = judged.examples.described[:, list(FEATURES).index("level")].astype(np.float64)
    starts = np.searchsorted(judged.examples.query, np.arange(1, len(judged.queries)))
    return {query.id: values for query, values in zip(judged.queries, np.split(level, starts), strict=True)}


def _braked(
    finder: Finder,
    run: Run,
    served: Mapping[str, Seen],
    levels: Mapping[str, NDArray[np.float64]],
    brakes: Brakes,
    tag: str,
) -> Run:
    """The rankings of a run with the brakes on, ten after ten as panels of ten would be chosen."""
    orders = {}
    for query, numbers in _orders(finder, run):
        seen = served[query]
        lowered = levels[query] * (1.0 + seen.busy(numbers)) ** -brakes.penalty
        authors = numbers[np.argsort(-lowered, kind="stable")] if brakes.penalty else numbers
        rows = np.flatnonzero(~seen.tired(authors, brakes.rest, brakes.most))
        seats = [Seats(brakes.newcomers, seen.new)] if brakes.newcomers else []
        orders[query] = authors[spread(authors.astype(np.int32), rows, seats, DEPTH)]
    return _run(finder, orders, tag)


def _handled(benchmark: ELife, finder: Finder, progress: Progress) -> dict[str, Any]:
    """How the editors of queries are found among all who edited before, by their papers and by what they edited."""
    asked = {query.id: query for query in benchmark.judged("reviewers") if query.received is not None}
    pairs = [(e.paper, e.person) for e in benchmark.events if e.role is HistoryRole.EDITOR and e.paper in asked]
    papers, people = sorted({paper for paper, _ in pairs}), sorted({person for _, person in pairs})
    query, doc = np.array([(papers.index(paper), people.index(person)) for paper, person in pairs], np.int64).T
    qrels = Qrels.of(papers, people, query, doc, np.ones(len(pairs), np.int64))
    queries, counts = [asked[paper] for paper in papers], resampling_counts(len(papers))
    every = Lookup(size=100 + room_for_own(queries), role="editor", conflicts="ignore")
    ways = {"their papers": replace(every, history_weights=HistoryWeights(0, 0, 0)), "+ what they edited": every}
    values = {}
    for name, lookup in ways.items():
        run = answer(finder, queries, lookup, renamed(progress, "editors"), name).without_own_authors(queries)
        values[name] = means(qrels, run, ("recall@1", "recall@5", "recall@10", "recall@100"))
    first = values["their papers"]
    return {
        name: {key: asdict(figure) for key, figure in figures(of, None if of is first else first, counts).items()}
        for name, of in values.items()
    }
