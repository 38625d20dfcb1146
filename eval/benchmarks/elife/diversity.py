"""What diversity costs and brings: how many real reviewers a panel of ten still finds, and how varied it is.

Panels are chosen for λ from 0 to .3, and by a rule instead of a weight: at most two people for whom the same paper
speaks most. A query's own authors are left out, as those of a submission would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.lookup import encode_queries
from eval.measures.statistics import Figure, Ratio, resampling_counts
from panelist.progress import Progress, silent
from panelist.records import Submission
from retriever.careers import Careers
from retriever.diversity import rerank
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.stages import Shortlist

SIZE = 10
"""People on a panel."""

WEIGHTS = (0.0, 0.1, 0.2, 0.3)
"""The λ that are compared."""

COLUMNS = ("recall@10", "papers", "papers of first 5", "institutions", "countries")
"""Recall of real reviewers; different first papers of the ten, and of the first five; different places of the ten."""


def compare_panels(
    benchmark: ELife, finder: Finder, lookup: Lookup, progress: Progress = silent
) -> dict[str, dict[str, Figure]]:
    """For each way to choose a panel the means over all queries of what `COLUMNS` names."""
    queries = benchmark.judged("reviewers")
    index, ids = finder.index, finder.index.ownership.author_ids
    qrels = benchmark.qrels["reviewers"]
    right = qrels.relevant(ids.find(list(qrels.documents)))
    judged = {query: len(found) for query, found in qrels.relevant(np.arange(len(qrels.documents))).items()}
    vectors = encode_queries(finder, queries, lookup)
    room = lookup.contenders + max(len(query.authors) for query in queries)
    wide = replace(lookup, size=room, conflicts="ignore")
    values: dict[str, list[tuple[float, ...]]] = {}
    for number, shortlist in enumerate(finder.shortlists(queries, wide, vectors=vectors)):
        query = queries[number]
        shortlist = _without_own(shortlist, query, finder)
        for name, choose in _ways(finder, shortlist, lookup).items():
            rows = choose()
            first = shortlist.ranked.units(rows, 1)
            authors = shortlist.ranked.authors[rows]
            places = Careers.of(index, authors).institutions
            places = places[places >= 0]
            hits = int(np.isin(authors, right.get(query.id, [])).sum())
            values.setdefault(name, []).append(
                (
                    hits / judged[query.id],
                    len(np.unique(first)),
                    len(np.unique(first[:5])),
                    len(np.unique(places)),
                    len({index.affiliations[place].country for place in places.tolist()} - {None}),
                )
            )
        progress("panels", number + 1, len(queries))
    counts = resampling_counts(len(queries))
    return {name: _figures(np.array(rows), counts) for name, rows in values.items()}


def _figures(rows: NDArray[np.float64], counts: NDArray[np.float64]) -> dict[str, Figure]:
    return {name: Ratio.mean(rows[:, at]).figure(counts) for at, name in enumerate(COLUMNS)}


def _without_own(shortlist: Shortlist, query: Submission, finder: Finder) -> Shortlist:
    own = finder.index.ownership.author_ids.find([author.id for author in query.authors])
    rows = shortlist.rows
    return replace(shortlist, rows=rows[~np.isin(shortlist.ranked.authors[rows], own)])


def _ways(finder: Finder, shortlist: Shortlist, lookup: Lookup) -> dict[str, Callable[[], NDArray[np.int64]]]:
    contenders = finder.contenders(shortlist, lookup)

    def weighted(weight: float) -> Callable[[], NDArray[np.int64]]:
        return lambda: contenders.rows[rerank(contenders, SIZE, weight, lookup.diversity_algorithm)]

    first = shortlist.ranked.units(contenders.rows, 1)
    return {f"λ {weight:g}": weighted(weight) for weight in WEIGHTS} | {
        "at most two per paper": lambda: contenders.rows[at_most(first.tolist(), 2)[:SIZE]]
    }


def at_most(papers: Sequence[int], most: int) -> list[int]:
    """The positions of those whose first paper is not that of `most` people before them."""
    times: dict[int, int] = {}
    chosen = []
    for position, paper in enumerate(papers):
        times[paper] = times.get(paper, 0) + 1
        if times[paper] <= most:
            chosen.append(position)
    return chosen
