"""Fusion: what two searches found becomes one list of candidates with one score in [0, 1].

Two ways (Fox & Shaw 1994; Cormack, Clarke & Büttcher 2009), with weights w_l for lexical and w_d for dense hits:

- `weighted`: each search's scores are divided by its best score for the query, so that the best paper of each gets 1,
  and averaged: s(p) = (w_l · l(p)/l_max + w_d · d(p)/d_max) / (w_l + w_d). A search that did not find p adds 0.
- `rrf`: reciprocal rank, s(p) = Σ w / (60 + rank(p)), divided by the highest value it can reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import kernels, worthwhile
from indexing.hits import NO_UNIT, Hits, falling, rising
from retriever.candidates import DENSE, LEXICAL, Candidates

Fusion = Literal["weighted", "rrf"]

FUSIONS = ("weighted", "rrf")

RRF_OFFSET = 60


def fuse(
    lexical: Hits | None,
    dense: Hits | None,
    *,
    method: Fusion = "weighted",
    lexical_weight: float = 0.5,
    dense_weight: float = 1.0,
) -> Candidates:
    """Join the hits of one or both searches for the same batch of queries.

    With one search only, its weight does not matter: the fused score is its normalised score.
    """
    whole = lexical_weight + dense_weight
    alone = lexical is None or dense is None
    shares = _shares if method == "weighted" else _reciprocal_ranks
    searches = [
        _Search(hits, shares(hits), 1.0 if alone else weight / whole, name)
        for hits, weight, name in ((lexical, lexical_weight, LEXICAL), (dense, dense_weight, DENSE))
        if hits is not None
    ]
    # One at a time: a query's arrays stay in the processor's cache, those of a batch do not.
    rows = [_fused([search.found(query) for search in searches]) for query in range(len(searches[0].hits.units))]
    starts = np.cumsum([0, *(len(units) for units, _, _ in rows)], dtype=np.int64)
    if len(rows) == 1:
        return Candidates(starts, *rows[0])
    nothing = (np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.uint8))
    return Candidates(starts, *(np.concatenate(parts) for parts in zip(nothing, *rows, strict=True)))


@dataclass(frozen=True, slots=True)
class _Search:
    """What one search found, each hit's share of the best, the weight of the search and what it is called."""

    hits: Hits
    shares: NDArray[np.float32]
    weight: float
    name: int

    def found(self, query: int) -> _Row:
        """The units found for one query, best first, and their weighted shares."""
        units = self.hits.units[query]
        there = np.count_nonzero(units != NO_UNIT)  # what is missing is at the end
        scores = np.float32(self.weight) * self.shares[query, :there]
        return units[:there], scores, np.full(there, self.name, dtype=np.uint8)


_Row = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]
"""Units that were found for one query, their scores, and by which of the searches."""


def _fused(rows: Sequence[_Row]) -> _Row:
    """What one search or two have found, in order."""
    if len(rows) == 1:
        (only,) = rows
        return only
    merge = kernels("retriever.merging").merge if worthwhile() else _merge
    units, scores, names = merge(*rows[0], *rows[1])
    order = falling(scores, units << 2 | names)  # below 2³², so there is room for a billion units
    return order >> 2, np.sort(scores)[::-1], (order & 3).astype(np.uint8)


def _merge(
    units: NDArray[np.int64],
    scores: NDArray[np.float32],
    names: NDArray[np.uint8],
    more_units: NDArray[np.int64],
    more_scores: NDArray[np.float32],
    more_names: NDArray[np.uint8],
) -> _Row:
    """The twin of `merging.merge` that needs no compiling."""
    units = np.concatenate([units, more_units])
    order = rising(units)
    units = units[order]
    scores, names = np.concatenate([scores, more_scores])[order], np.concatenate([names, more_names])[order]
    # What both have found stands side by side: the second is added to the first, and left out.
    both = np.flatnonzero(units[1:] == units[:-1])
    scores[both] += scores[both + 1]
    names[both] += names[both + 1]
    kept = np.ones(len(units), dtype=np.bool_)
    kept[both + 1] = False
    return units[kept], scores[kept], names[kept]


def _shares(hits: Hits) -> NDArray[np.float32]:
    """Each score as a share of its query's best; cosines below zero count as zero, and so does a best of zero."""
    best = np.maximum(hits.scores[:, :1], 0)
    shares = np.maximum(hits.scores, 0) / np.where(best > 0, best, 1)
    return shares.astype(np.float32, copy=False)


def _reciprocal_ranks(hits: Hits) -> NDArray[np.float32]:
    ranks = np.arange(1, hits.units.shape[1] + 1)
    shares = ((RRF_OFFSET + 1) / (RRF_OFFSET + ranks)).astype(np.float32)
    return np.broadcast_to(shares, hits.units.shape)
