"""What a review history adds on eLife, what brakes on it cost, and who edited: with the day of each query as horizon.

Measured are queries received from June 2019 on, since reviewers are named from 2018 on; a ranker learns from all
queries of the other year. Brakes are applied to one ranking of the first 400 people of every query.
"""

from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.references import spread
from eval.benchmarks.lookup import answer, means, orders_of, renamed, room_for_own, run_of
from eval.benchmarks.ranker import PANEL, Judged, compared_rows, cross_scores_of
from eval.measures.statistics import bootstrap_figures, resampling_counts
from eval.runs import Qrels
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

    def apply(self, people: NDArray[np.int64], seen: Seen, levels: NDArray[np.float64]) -> NDArray[np.int64]:
        """A ranking with the brakes on, ten after ten as panels of ten would be chosen."""
        if self.penalty:
            lowered = levels * (1.0 + seen.busy(people)) ** -self.penalty
            people = people[np.argsort(-lowered, kind="stable")]
        rows = np.flatnonzero(~seen.tired(people, self.rest, self.most))
        seats = [Seats(self.newcomers, seen.new)] if self.newcomers else []
        return people[spread(people.astype(np.int32), rows, seats, DEPTH)]


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
    look_ups = [*judged.less, judged]
    learned = cross_scores_of(judged, [knowing.examples for knowing in look_ups])
    history, near = finder.history, finder.index.nearness
    seen = {} if history is None else {query.id: Seen.of(history, query, None, near) for query in queries}
    # The relevance of the first, the second, … of every query; a learned order has the same.
    level = judged.examples.described[:, list(FEATURES).index("level")].astype(np.float64)
    levels = judged.by_query(level)
    orders = {
        name: orders_of(finder.index, look_ups[number].run(learned[number] if name.endswith("learned") else None, name))
        for name, (number, _) in ROWS.items()
    }
    against = {name: other for name, (_, other) in ROWS.items()}
    for name in ("+ history", "+ history, learned"):
        for brakes, chosen in BRAKES.items():
            braked = {query: chosen.apply(people, seen[query], levels[query]) for query, people in orders[name].items()}
            orders[f"{name}: {brakes}"], against[f"{name}: {brakes}"] = braked, name
    orders = {
        name: {query: people for query, people in by_query.items() if query in recent}
        for name, by_query in orders.items()
    }
    runs = {name: run_of(finder.index, by_query, name) for name, by_query in orders.items()}
    rows = compared_rows(finder.index, runs, against, qrels.only(recent), citations)
    for name, by_query in orders.items():
        new = [float(np.mean(seen[query].new(people[:PANEL]))) for query, people in by_query.items()]
        rows[name]["suggested"]["newcomers"] = float(np.mean(new))
    return rows, _handled(benchmark, finder, progress)


def _handled(benchmark: ELife, finder: Finder, progress: Progress) -> dict[str, Any]:
    """How the editors of queries are found among all who edited before, by their papers and by what they edited."""
    judged = {query.id: query for query in benchmark.judged("reviewers") if query.received is not None}
    pairs = [(e.paper, e.person) for e in benchmark.events if e.role is HistoryRole.EDITOR and e.paper in judged]
    papers, people = sorted({paper for paper, _ in pairs}), sorted({person for _, person in pairs})
    query, doc = np.array([(papers.index(paper), people.index(person)) for paper, person in pairs], np.int64).T
    qrels = Qrels.of(papers, people, query, doc, np.ones(len(pairs), np.int64))
    queries, counts = [judged[paper] for paper in papers], resampling_counts(len(papers))
    options = Lookup(size=100 + room_for_own(queries), role="editor", conflicts="ignore")
    ways = {"their papers": replace(options, history_weights=HistoryWeights(0, 0, 0)), "+ what they edited": options}
    values = {}
    for name, lookup in ways.items():
        run = answer(finder, queries, lookup, renamed(progress, "editors"), name).without_own_authors(queries)
        values[name] = means(qrels, run, ("recall@1", "recall@5", "recall@10", "recall@100"))
    return {name: bootstrap_figures(reached, values["their papers"], counts) for name, reached in values.items()}
