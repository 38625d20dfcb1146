"""The best of a ranking as contenders for a panel: what diversity re-ranking needs to know of them, from the index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import worthwhile
from indexing.index import Index
from indexing.ownership import gather_rows
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.careers import Careers
from retriever.diversity import UNKNOWN, Contenders

TOPICAL = 5
"""Best matching papers of a contender whose vectors make up the topic: the others hardly matched."""


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
        votes, lengths = gather_rows(ranked.vote_starts, places)
        ends = np.cumsum(lengths)
        papers = ranked.votes[votes]
        # The best few papers of each, side by side; where somebody has fewer, the last one again, at no weight.
        counts = np.minimum(lengths, TOPICAL)[:, None]
        place = np.arange(min(TOPICAL, int(lengths.max())))
        topical = papers[(ends - lengths)[:, None] + np.minimum(place, counts - 1)]
        weights = ((place < counts) / counts).astype(np.float32)
        vectors = index.vectors[candidates.units[topical]].astype(np.float32, copy=False)
        topics = np.matmul(weights[:, None, :], vectors)[:, 0]
        by_number = np.argsort(authors)
        owned = index.ownership
        tables = owned.author_starts, owned.author_units, owned.unit_starts, owned.unit_authors

        find = _find_compiled() if worthwhile() else _find_coauthors

        def coauthors(row: int) -> NDArray[np.bool_]:
            return find(int(authors[row]), authors, by_number, *tables)

        def shares(row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            own = slice(ends[row] - lengths[row], ends[row])
            weighed = ranked.weights[votes[own]].astype(np.float64)
            total = weighed.sum()  # zero where papers count whatever they score
            return papers[own], weighed / total if total > 0 else np.full(len(weighed), 1 / len(weighed))

        labels = np.stack([careers.institutions, self._countries[careers.institutions], careers.seniority()])
        return Contenders(relevance, topics, labels, coauthors, shares)

    @cached_property
    def _countries(self) -> NDArray[np.int64]:
        """A label for each institution's country; the last one is for the institution -1, which is not known."""
        names = [*self._index.affiliations.countries.all(), ""]
        labels = {name: label for label, name in enumerate(sorted(set(names) - {""}))}
        return np.array([labels.get(name, UNKNOWN) for name in names], dtype=np.int64)


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


def _find_compiled() -> Callable[..., NDArray[np.bool_]]:
    from retriever import walks

    return walks.coauthors
