"""Fusion: what two searches found becomes one list of candidates with one score in [0, 1].

Two ways (Fox & Shaw 1994; Cormack, Clarke & Büttcher 2009), with weights w_l for lexical and w_d for dense hits:

- `weighted`: each search's scores are divided by its best score for the query, so that the best paper of each gets 1,
  and averaged: s(p) = (w_l · l(p)/l_max + w_d · d(p)/d_max) / (w_l + w_d). A search that did not find p adds 0.
- `rrf`: reciprocal rank, s(p) = Σ w / (60 + rank(p)), divided by the highest value it can reach.

Raw scores are kept beside the fused one: they can be compared between queries, the fused ones only within a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, Hits
from retriever.candidates import Candidates
from retriever.ordering import by_falling_score

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
    searches = [
        _Search(hits, _shares(hits) if method == "weighted" else _reciprocal_ranks(hits), weight)
        for hits, weight in ((lexical, lexical_weight), (dense, dense_weight))
        if hits is not None
    ]
    whole = sum(search.weight for search in searches) or 1.0  # of a single search the weight does not matter
    weights = [search.weight / whole for search in searches]
    # One at a time: a query's arrays stay in the processor's cache, those of a batch do not.
    rows = [_fuse_row(searches, weights, query) for query in range(len(searches[0].hits.units))]
    starts = np.cumsum([0, *(len(units) for units, _, _ in rows)], dtype=np.int64)
    units = np.concatenate([np.zeros(0, np.int64), *(units for units, _, _ in rows)])
    scores = np.concatenate([np.zeros(0, np.float32), *(scores for _, scores, _ in rows)])
    raw = [
        np.concatenate([np.zeros(0, np.float32), *(columns[stage] for _, _, columns in rows)])
        for stage in range(len(searches))
    ]
    absent = np.full(len(units), np.nan, dtype=np.float32)
    return Candidates(
        starts, units, scores, raw[0] if lexical is not None else absent, raw[-1] if dense is not None else absent
    )


@dataclass(frozen=True, slots=True)
class _Search:
    """What one search found, each hit's share of the best, and the weight of the search."""

    hits: Hits
    shares: NDArray[np.float32]
    weight: float


def _fuse_row(
    searches: Sequence[_Search], weights: Sequence[float], query: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], list[NDArray[np.float32]]]:
    """The units that were found for one query, their fused scores and, search by search, their raw ones."""
    there = [search.hits.units[query] != NO_UNIT for search in searches]
    if len(searches) == 1:  # in order already
        (only,), (own,) = searches, there
        return only.hits.units[query][own], only.shares[query][own], [only.hits.scores[query][own]]
    found = [search.hits.units[query][own] for search, own in zip(searches, there, strict=True)]
    units, place = np.unique(np.concatenate(found), return_inverse=True)
    scores = np.zeros(len(units), dtype=np.float32)
    columns = []
    first = 0
    for search, weight, own in zip(searches, weights, there, strict=True):
        values = search.hits.scores[query][own]
        places = place[first : first + len(values)]
        first += len(values)
        scores[places] += np.float32(weight) * search.shares[query][own]
        columns.append(np.full(len(units), np.nan, dtype=np.float32))
        columns[-1][places] = values
    order = by_falling_score(scores)
    return units[order], scores[order], [column[order] for column in columns]


def _shares(hits: Hits) -> NDArray[np.float32]:
    """Each score as a share of its query's best; cosines below zero count as zero, and so does a best of zero."""
    best = np.maximum(hits.scores[:, :1], 0)
    shares = np.maximum(hits.scores, 0) / np.where(best > 0, best, 1)
    return shares.astype(np.float32, copy=False)


def _reciprocal_ranks(hits: Hits) -> NDArray[np.float32]:
    ranks = np.arange(1, hits.units.shape[1] + 1)
    shares = ((RRF_OFFSET + 1) / (RRF_OFFSET + ranks)).astype(np.float32)
    return np.broadcast_to(shares, hits.units.shape)
