"""The best of a ranking as contenders for a panel: what diversity re-ranking needs to know of them, from the index."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import kernels, worthwhile
from indexing.index import Index
from indexing.tables.ownership import gather_rows
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.careers import Careers
from retriever.diversity import UNKNOWN, Contenders

TOPICAL = 3
"""Best matching papers of a contender whose vectors make up the topic: as many as count, and are shown."""


class ContenderFinder:
    """Describes contenders of one index. Safe to share between threads."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def describe(
        self,
        ranked: RankedAuthors,
        candidates: Candidates,
        places: NDArray[np.int64],
        relevance: NDArray[np.float64],
        careers: Careers,
    ) -> Contenders:
        """Describe those, at least one, at `places` in `ranked`, found through `candidates`.

        Args:
            ranked: the ranking.
            candidates: the papers that were found.
            places: who of the ranking.
            relevance: of each.
            careers: of each.
        """
        index, authors = self._index, ranked.authors[places]
        average = kernels("retriever.redundancy").average if worthwhile() else _average
        topics = average(places, ranked.vote_starts, ranked.votes, candidates.units, index.vectors, TOPICAL)
        by_number = np.argsort(authors)
        owned = index.ownership
        tables = owned.author_starts, owned.author_units, owned.unit_starts, owned.unit_authors

        find = kernels("retriever.walks").coauthors if worthwhile() else _find_coauthors

        def coauthors(row: int) -> NDArray[np.bool_]:
            return find(int(authors[row]), authors, by_number, *tables)

        def shares(row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            own = slice(ranked.vote_starts[places[row]], ranked.vote_starts[places[row] + 1])
            weighed = ranked.weights[own].astype(np.float64)
            total = weighed.sum()  # zero where papers count whatever they score
            return ranked.votes[own], weighed / total if total > 0 else np.full(len(weighed), 1 / len(weighed))

        labels = np.stack([careers.institutions, self._countries[careers.institutions], careers.seniority()])
        return Contenders(relevance, topics, labels, coauthors, shares)

    @cached_property
    def _countries(self) -> NDArray[np.int64]:
        """A label for each institution's country; the last one is for the institution -1, which is not known."""
        names = [*self._index.affiliations.countries.all(), ""]
        labels = {name: label for label, name in enumerate(sorted(set(names) - {""}))}
        return np.array([labels.get(name, UNKNOWN) for name in names], dtype=np.int64)


def _average(
    places: NDArray[np.int64],
    vote_starts: NDArray[np.int64],
    votes: NDArray[np.int64],
    units: NDArray[np.int64],
    vectors: NDArray[np.float32],
    most: int,
) -> NDArray[np.float32]:
    """The twin of `redundancy.average` that needs no compiling."""
    begins = vote_starts[places]
    counts = np.minimum(vote_starts[places + 1] - begins, most)
    topics = np.zeros((len(places), vectors.shape[1]), dtype=np.float32)
    for turn in range(most):
        rows = np.flatnonzero(counts > turn)
        topics[rows] += vectors[units[votes[begins[rows] + turn]]]
    topics /= counts[:, None].astype(np.float32)
    return topics


def _find_coauthors(
    author: int,
    among: NDArray[np.int32],
    order: NDArray[np.int64],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """The twin of `walks.coauthors` that needs no compiling."""
    places, _ = gather_rows(unit_starts, author_units[author_starts[author] : author_starts[author + 1]])
    others = unit_authors[places]
    near = order[np.minimum(np.searchsorted(among, others, sorter=order), len(among) - 1)]
    mask = np.zeros(len(among), dtype=np.bool_)
    mask[near[among[near] == others]] = True
    return mask
