"""What diversity costs and brings: how many real reviewers a panel of ten still finds, and how varied it is.

Panels are chosen for λ from 0 to .3, and by a rule instead of a weight: at most so many people for whom the same paper
speaks most; and by both. A query's own authors are left out, as those of a submission would be.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.lookup import encode_queries
from eval.measures.statistics import Figure, Ratio, figures, resampling_counts
from panelist.progress import Progress, silent
from panelist.records import Submission
from retriever.careers import Careers
from retriever.diversity import rerank, spread
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.stages import Shortlist

SIZE = 10
"""People on a panel."""

WAYS: dict[str, tuple[float, int | None]] = {
    **{f"λ {weight:g}": (weight, None) for weight in (0.0, 0.1, 0.2, 0.3)},
    "at most two per paper": (0.0, 2),
    "at most one per paper": (0.0, 1),
    "at most two, λ 0.1": (0.1, 2),
    "at most two, λ 0.2": (0.2, 2),
}
"""λ, and how many people per paper, of the panels that are compared; the first is the plain ranking."""

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
        for name, (weight, most) in WAYS.items():
            rows = _chosen(finder, shortlist, replace(lookup, diversity=weight, per_paper=most))
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
    means = {
        name: {column: Ratio.mean(np.array(rows)[:, at]) for at, column in enumerate(COLUMNS)}
        for name, rows in values.items()
    }
    plain = means[next(iter(WAYS))]
    return {name: figures(ratios, None if ratios is plain else plain, counts) for name, ratios in means.items()}


def _without_own(shortlist: Shortlist, query: Submission, finder: Finder) -> Shortlist:
    own = finder.index.ownership.author_ids.find([author.id for author in query.authors])
    rows = shortlist.rows
    return replace(shortlist, rows=rows[~np.isin(shortlist.ranked.authors[rows], own)])


def _chosen(finder: Finder, shortlist: Shortlist, lookup: Lookup) -> NDArray[np.int64]:
    """Who is on the panel, as `Finder.find_many` chooses them."""
    if lookup.per_paper is not None:
        rows = spread(shortlist.ranked, shortlist.rows, lookup.per_paper, SIZE)
        shortlist = replace(shortlist, rows=rows)
    contenders = finder.contenders(shortlist, lookup)
    return contenders.rows[rerank(contenders, SIZE, lookup.diversity, lookup.diversity_algorithm)]
