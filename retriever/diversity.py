"""Diversity: choose a panel that is relevant and varied, greedily, with one weight λ in [0, 1].

Both pick reviewers one by one. λ = 0 gives the plain ranking exactly, λ = 1 looks at variety alone; relevance
is taken as a share of the best reviewer's. A step is one pass over the contenders: a panel costs O(panel × contenders).

- `mmr` (Carbonell & Goldstein 1998): the next is argmax (1 − λ) · rel(i) − λ · max_{j chosen} same(i, j). Two reviewers
  are the same (1) if they have written together; else same is the mean of topical similarity (the mean similarity of
  their matching papers) and of equality of institution, of country and of seniority.
- `coverage` (a monotone submodular function: greedy reaches 1 − 1/e of the best panel, Nemhauser et al. 1978): the next
  has the largest gain in (1 − λ) · Σ rel(i) + λ · Σ_f √(how many chosen have f) / facets, where the f are institutions,
  countries, levels of seniority and, by their share, a reviewer's matching papers. The second reviewer from a country
  adds less than the first; co-authors share matching papers, so they add less too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import kernels, worthwhile
from panelist.errors import InputError

ROUNDING = 1e5
"""To what part of 1 the similarity of topics counts: sums in another order, or of the same papers, are then equal."""

UNKNOWN = -1
"""The label of a contender whose institution or country is not known; it equals no other."""


@dataclass(frozen=True, slots=True)
class Contenders:
    """Those who may be chosen, best first.

    Attributes:
        relevance: (n) float64, descending and positive.
        topics: (n, d) float32: the mean of the vectors of each one's best matching papers. The inner product of two
            means is the mean of the inner products, so `topics[i] @ topics[j]` is the mean similarity of their papers.
        labels: (facets, n) int64: institution, country, seniority; `UNKNOWN` where not known.
        coauthors: for a contender, the mask (n) of those who have written with them.
        votes: for a contender, the matching papers and how much of their relevance each makes up (summing to 1).
    """

    relevance: NDArray[np.float64]
    topics: NDArray[np.float32]
    labels: NDArray[np.int64]
    coauthors: Callable[[int], NDArray[np.bool_]]
    votes: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]]

    def __len__(self) -> int:
        return len(self.relevance)


def check_diversity(weight: float, algorithm: str) -> None:
    """Refuse what cannot be asked of `rerank`.

    Raises:
        InputError: the weight is not in [0, 1], or there is no such algorithm.
    """
    if not 0 <= weight <= 1:
        raise InputError(f"diversity weight {weight} is out of range: give a number from 0 (plain ranking) to 1")
    if algorithm not in ALGORITHMS:
        raise InputError(f"unknown diversity algorithm '{algorithm}': use one of {', '.join(ALGORITHMS)}")


def rerank(contenders: Contenders, size: int, weight: float, algorithm: str = "mmr") -> NDArray[np.int64]:
    """The places of the `size` chosen contenders, in the order of choice; equal ones in the order of relevance.

    Raises:
        InputError: the weight is not in [0, 1], or there is no such algorithm.
    """
    check_diversity(weight, algorithm)
    size = min(size, len(contenders))
    if weight == 0 or size == 0:
        return np.arange(size)
    return ALGORITHMS[algorithm](contenders, size, weight)


def _mmr(contenders: Contenders, size: int, weight: float) -> NDArray[np.int64]:
    value = (1 - weight) * contenders.relevance / contenders.relevance[0]
    same = np.zeros(len(contenders))
    chosen = np.zeros(size, dtype=np.int64)
    choose = kernels("retriever.redundancy").choose if worthwhile() else _choose
    for step in range(1, size):
        last = int(chosen[step - 1])
        chosen[step] = choose(
            last, contenders.topics, contenders.coauthors(last), contenders.labels, weight, value, same
        )
    return chosen


def _choose(
    last: int,
    topics: NDArray[np.float32],
    together: NDArray[np.bool_],
    labels: NDArray[np.int64],
    weight: float,
    value: NDArray[np.float64],
    same: NDArray[np.float64],
) -> int:
    """The twin of `retriever.redundancy.choose` that needs no compiling."""
    topical = np.einsum("ij,j->i", topics, topics[last])  # BLAS would share work of microseconds between threads
    topical = np.rint(topical.astype(np.float64) * ROUNDING) / ROUNDING
    equal = np.count_nonzero((labels == labels[:, last, None]) & (labels != UNKNOWN), axis=0)
    alike = (np.minimum(np.maximum(topical, 0), 1) + equal) / (1 + len(labels))
    alike[together] = 1
    np.maximum(same, alike, out=same)
    value[last] = -np.inf
    return int(np.argmax(value - weight * same))


def _coverage(contenders: Contenders, size: int, weight: float) -> NDArray[np.int64]:
    facets, count = contenders.labels.shape
    relevance = contenders.relevance / contenders.relevance[0]
    # How many of the chosen have each contender's label, facet by facet; and how much of each paper is chosen.
    having = np.zeros((facets, count))
    votes = [contenders.votes(place) for place in range(count)]
    papers, paper = np.unique(np.concatenate([own for own, _ in votes]), return_inverse=True)
    share = np.concatenate([own for _, own in votes])
    starts = np.append(0, np.cumsum([len(own) for own, _ in votes]))
    covered = np.zeros(len(papers))
    open_ = np.ones(count, dtype=np.bool_)
    chosen: list[int] = []
    for _ in range(size):
        labels = np.where(contenders.labels == UNKNOWN, 0.0, np.sqrt(having + 1) - np.sqrt(having)).sum(axis=0)
        gains = np.sqrt(covered[paper] + share) - np.sqrt(covered[paper])
        topical = np.add.reduceat(gains, starts[:-1])
        value = (1 - weight) * relevance + weight * (labels + topical) / (1 + facets)
        best = int(np.argmax(np.where(open_, value, -np.inf)))
        chosen.append(best)
        open_[best] = False
        having += (contenders.labels == contenders.labels[:, best, None]) & (contenders.labels != UNKNOWN)
        own = slice(starts[best], starts[best + 1])
        np.add.at(covered, paper[own], share[own])
    return np.array(chosen, dtype=np.int64)


ALGORITHMS: dict[str, Callable[[Contenders, int, float], NDArray[np.int64]]] = {"mmr": _mmr, "coverage": _coverage}
"""The algorithms by name; the first is the default."""
