"""The best of a ranking as contenders for a panel: what diversity re-ranking needs to know of them, from the index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.ownership import gather_rows
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.careers import Careers
from retriever.diversity import UNKNOWN, Contenders


def contenders_of(
    index: Index,
    ranked: RankedAuthors,
    candidates: Candidates,
    places: NDArray[np.int64],
    relevance: NDArray[np.float64],
) -> Contenders:
    """Describe those at `places` in `ranked`, who were found through `candidates`, with this relevance each.

    There is at least one of them.
    """
    authors = ranked.authors[places]
    votes = [slice(ranked.vote_starts[place], ranked.vote_starts[place + 1]) for place in places]
    papers, lengths = gather_rows(ranked.vote_starts, places)
    vectors = index.vectors[candidates.units[ranked.votes[papers]]].astype(np.float32, copy=False)
    topics = np.add.reduceat(vectors, np.cumsum(lengths) - lengths, axis=0) / lengths[:, None].astype(np.float32)

    row_of = {author: row for row, author in enumerate(authors.tolist())}

    def coauthors(row: int) -> NDArray[np.bool_]:
        _, others = index.ownership.pairs(index.ownership.units_of(int(authors[row])))
        mask = np.zeros(len(authors), dtype=np.bool_)
        mask[[row_of[other] for other in others.tolist() if other in row_of]] = True
        return mask

    def shares(row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        weights = ranked.weights[votes[row]].astype(np.float64)
        total = weights.sum()  # zero where papers count whatever they score
        return ranked.votes[votes[row]], weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

    institutions = index.affiliations.current(authors, index.units.years)
    return Contenders(
        relevance,
        topics,
        np.column_stack([institutions, _countries(index, institutions), Careers.of(index, authors).seniority()]),
        coauthors,
        shares,
    )


def _countries(index: Index, institutions: NDArray[np.int64]) -> NDArray[np.int64]:
    """A label for each institution's country."""
    names = [index.affiliations.countries[number] if number >= 0 else "" for number in institutions.tolist()]
    labels = {name: label for label, name in enumerate(sorted(set(names) - {""}))}
    return np.array([labels.get(name, UNKNOWN) for name in names], dtype=np.int64)
