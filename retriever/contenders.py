"""The best of a ranking as contenders for a panel: what diversity re-ranking needs to know of them, from the index."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
    ) -> Contenders:
        """Describe those, at least one, at `places` in `ranked`, found through `candidates`, of this relevance each."""
        index, authors = self._index, ranked.authors[places]
        votes, lengths = gather_rows(ranked.vote_starts, places)
        ends = np.cumsum(lengths)
        papers = ranked.votes[votes]
        best = np.arange(len(votes)) - np.repeat(ends - lengths, lengths) < TOPICAL
        counts = np.minimum(lengths, TOPICAL)
        vectors = index.vectors[candidates.units[papers[best]]].astype(np.float32, copy=False)
        topics = np.add.reduceat(vectors, np.cumsum(counts) - counts, axis=0)
        topics /= counts[:, None].astype(np.float32)
        row_of = np.full(len(index.ownership.author_ids), len(places), dtype=np.int32)
        row_of[authors] = np.arange(len(places))

        def coauthors(row: int) -> NDArray[np.bool_]:
            _, others = index.ownership.pairs(index.ownership.units_of(int(authors[row])))
            mask = np.zeros(len(places) + 1, dtype=np.bool_)
            mask[row_of[others]] = True  # the last is for all who are no contenders
            return mask[:-1]

        def shares(row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            own = slice(ends[row] - lengths[row], ends[row])
            weights = ranked.weights[votes[own]].astype(np.float64)
            total = weights.sum()  # zero where papers count whatever they score
            return papers[own], weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

        institutions = index.affiliations.current(authors, index.units.years)
        seniority = Careers.of(index, authors).seniority()
        labels = np.column_stack([institutions, self._countries[institutions], seniority])
        return Contenders(relevance, topics, labels, coauthors, shares)

    @cached_property
    def _countries(self) -> NDArray[np.int64]:
        """A label for each institution's country; the last one is for the institution -1, which is not known."""
        names = [*self._index.affiliations.countries.all(), ""]
        labels = {name: label for label, name in enumerate(sorted(set(names) - {""}))}
        return np.array([labels.get(name, UNKNOWN) for name in names], dtype=np.int64)
