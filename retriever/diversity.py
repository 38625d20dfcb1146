"""Diversity: choose a panel that is relevant and varied, greedily, with one weight λ in [0, 1].

Two algorithms pick reviewers one by one. λ = 0 gives the plain ranking exactly, λ = 1 looks at variety alone; relevance
is taken as a share of the best reviewer's. A step is one pass over the contenders: a panel costs O(panel × contenders).

- `mmr` (Carbonell & Goldstein 1998): the next is argmax (1 − λ) · rel(i) − λ · max_{j chosen} same(i, j). Two reviewers
  are the same (1) if they have written together; else same is the mean of topical similarity (the mean similarity of
  their matching papers) and of equality of institution, of country and of seniority.
- `coverage` (a monotone submodular function: greedy reaches 1 − 1/e of the best panel, Nemhauser et al. 1978): the next
  has the largest gain in (1 − λ) · Σ rel(i) + λ · Σ_f √(how many chosen have f) / facets, where the f are institutions,
  countries, levels of seniority and, by their share, a reviewer's matching papers. The second reviewer from a country
  adds less than the first; co-authors share matching papers, so they add less too.

Where some are on the panel already, the others are chosen as if these had been chosen first.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from retriever.careers import Careers
from retriever.stages import UNKNOWN, Contenders, RankedAuthors

ROUNDING = 1e5
"""Similarities of topics are rounded to multiples of 1 / `ROUNDING`: sums in another order are then equal."""

TOPICAL = 3
"""How many of a contender's best matching papers make up the topic: by default as many count, and are shown."""


class ContenderFinder:
    """Describes contenders of one index. Safe to share between threads."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def describe(self, ranked: RankedAuthors, rows: NDArray[np.int64], relevance: NDArray[np.float64]) -> Contenders:
        """Describe the authors, at least one, in these rows of the ranking, whose relevance is given."""
        from retriever.kernels.diversity import coauthors_among, mean_vectors

        authors, owned = ranked.authors[rows], self._index.ownership
        vectors = self._index.vectors[ranked.units(rows, TOPICAL)].astype(np.float32, copy=False)
        topics = mean_vectors(np.arange(len(vectors)), ranked.counts(rows, TOPICAL), vectors)
        by_number = np.argsort(authors)

        def coauthors(row: int) -> NDArray[np.bool_]:
            starts, units = owned.author_starts, owned.author_units
            return coauthors_among(
                int(authors[row]), authors, by_number, starts, units, owned.unit_starts, owned.unit_authors
            )

        def votes(row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            units, weights = ranked.units(rows[row : row + 1]), ranked.weights(rows[row : row + 1])
            total = weights.sum()  # zero where papers count whatever they score
            return units, weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

        careers = Careers.of(self._index, authors)
        labels = np.stack([careers.institutions, self._countries[careers.institutions], careers.seniority()])
        return Contenders(rows, relevance, topics, labels, coauthors, votes)

    @cached_property
    def _countries(self) -> NDArray[np.int64]:
        """A label for each institution's country; the last one is for the institution -1, which is not known."""
        names = [*self._index.affiliations.countries.all(), ""]
        labels = {name: label for label, name in enumerate(sorted(set(names) - {""}))}
        return np.array([labels.get(name, UNKNOWN) for name in names], dtype=np.int64)


def spread(ranked: RankedAuthors, rows: NDArray[np.int64], most: int, size: int) -> NDArray[np.int64]:
    """The rows without those whose best paper is that of `most` better ones; the best of these fill up to `size`."""
    papers = ranked.units(rows, 1)
    order = np.argsort(papers, kind="stable")
    begins = np.flatnonzero(np.append(True, np.diff(papers[order]) != 0))[: len(rows)]
    before = np.empty(len(rows), dtype=np.int64)  # how many better ones have the same best paper
    before[order] = np.arange(len(rows)) - np.repeat(begins, np.diff(np.append(begins, len(rows))))
    under_limit = before < most
    return np.sort(np.concatenate([rows[under_limit], rows[~under_limit]])[: max(int(under_limit.sum()), size)])


def rerank(
    contenders: Contenders, size: int, weight: float, algorithm: str, members: Sequence[int] = ()
) -> NDArray[np.int64]:
    """The positions of the `size` chosen contenders, in the order of choice; ties by relevance.

    `members` are the positions of those who are on the panel already; they are not chosen again.
    """
    size = min(size, len(contenders) - len(members))
    if weight == 0 or size == 0:
        return np.setdiff1d(np.arange(len(contenders)), np.array(members, dtype=np.int64))[:size]
    return ALGORITHMS[algorithm](contenders, size, weight, members)


def _mmr(contenders: Contenders, size: int, weight: float, members: Sequence[int]) -> NDArray[np.int64]:
    from retriever.kernels.diversity import choose_next

    value = (1 - weight) * contenders.relevance / contenders.relevance[0]
    redundancy = np.zeros(len(contenders))
    panel = list(members) or [0]
    for step in range(len(members) + size - 1):
        last = panel[step]
        coauthors = contenders.coauthors(last)
        best = choose_next(
            last, contenders.topics, coauthors, contenders.labels, weight, ROUNDING, UNKNOWN, value, redundancy
        )
        if step + 1 == len(panel):
            panel.append(best)
    return np.array(panel[len(members) :], dtype=np.int64)


def _coverage(contenders: Contenders, size: int, weight: float, members: Sequence[int]) -> NDArray[np.int64]:
    facets, count = contenders.labels.shape
    relevance = contenders.relevance / contenders.relevance[0]
    # How many of the chosen have each contender's label, facet by facet; and how much of each paper is chosen.
    having = np.zeros((facets, count))
    votes = [contenders.votes(row) for row in range(count)]
    papers, paper = np.unique(np.concatenate([units for units, _ in votes]), return_inverse=True)
    share = np.concatenate([weights for _, weights in votes])
    starts = np.append(0, np.cumsum([len(units) for units, _ in votes]))
    covered = np.zeros(len(papers))
    open_ = np.ones(count, dtype=np.bool_)
    panel: list[int] = []
    for step in range(len(members) + size):
        if step < len(members):
            best = members[step]
        else:
            labels = np.where(contenders.labels == UNKNOWN, 0.0, np.sqrt(having + 1) - np.sqrt(having)).sum(axis=0)
            gains = np.sqrt(covered[paper] + share) - np.sqrt(covered[paper])
            topical = np.add.reduceat(gains, starts[:-1])
            value = (1 - weight) * relevance + weight * (labels + topical) / (1 + facets)
            best = int(np.argmax(np.where(open_, value, -np.inf)))
        panel.append(best)
        open_[best] = False
        having += (contenders.labels == contenders.labels[:, best, None]) & (contenders.labels != UNKNOWN)
        entries = slice(starts[best], starts[best + 1])
        np.add.at(covered, paper[entries], share[entries])
    return np.array(panel[len(members) :], dtype=np.int64)


ALGORITHMS: dict[str, Callable[[Contenders, int, float, Sequence[int]], NDArray[np.int64]]] = {
    "mmr": _mmr,
    "coverage": _coverage,
}
"""The algorithms by name; the first is the default."""
