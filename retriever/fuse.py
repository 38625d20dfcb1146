"""Fusion: what two searches found becomes one list of candidates with one score in [0, 1].

Two ways (Fox & Shaw 1994; Cormack, Clarke & Büttcher 2009), with weights w_l for lexical and w_d for dense hits:

- `weighted`: each search's scores are divided by its best score for the query, so that the best paper of each gets 1,
  and averaged: s(p) = (w_l · l(p)/l_max + w_d · d(p)/d_max) / (w_l + w_d). A search that did not find p adds 0.
- `rrf`: reciprocal rank, s(p) = Σ w / (60 + rank(p)), divided by the highest value it can reach.

Raw scores are kept beside the fused one: they can be compared between queries, the fused ones only within a query.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, Hits
from retriever.candidates import Candidates

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
    found = [(hits, weight) for hits, weight in ((lexical, lexical_weight), (dense, dense_weight)) if hits is not None]
    if len(found) == 1:
        found = [(found[0][0], 1.0)]
    total = sum(weight for _, weight in found)
    queries = len(found[0][0].units)
    parts = [_flat(hits) for hits, _ in found]
    span = 1 + max((int(units.max()) for _, units, _ in parts if len(units)), default=0)
    keys, place = np.unique(np.concatenate([rows * span + units for rows, units, _ in parts]), return_inverse=True)

    scores = np.zeros(len(keys), dtype=np.float32)
    raw: list[NDArray[np.float32]] = []
    first = 0
    for (hits, weight), (rows, _, values) in zip(found, parts, strict=True):
        own = place[first : first + len(values)]
        first += len(values)
        share = _shares(hits, rows, values) if method == "weighted" else _reciprocal_ranks(hits)
        scores[own] += np.float32(weight / total) * share
        column = np.full(len(keys), np.nan, dtype=np.float32)
        column[own] = values
        raw.append(column)
    absent = np.full(len(keys), np.nan, dtype=np.float32)
    columns = (raw.pop(0) if lexical is not None else absent, raw.pop(0) if dense is not None else absent)

    rows, units = np.divmod(keys, span)
    order = np.lexsort((units, -scores, rows))
    starts = np.searchsorted(rows, np.arange(queries + 1))
    return Candidates(starts, units[order], scores[order], columns[0][order], columns[1][order])


def _flat(hits: Hits) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Query, unit and raw score of every real hit, query by query, best first."""
    there = hits.units != NO_UNIT
    return np.nonzero(there)[0], hits.units[there], hits.scores[there]


def _shares(hits: Hits, rows: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each score as a share of its query's best; cosines below zero count as zero, and so does a best of zero."""
    best = np.maximum(hits.scores[:, 0], 0) if hits.scores.shape[1] else np.zeros(len(hits.scores), np.float32)
    shares = np.maximum(values, 0) / np.where(best > 0, best, 1)[rows]
    return shares.astype(np.float32)


def _reciprocal_ranks(hits: Hits) -> NDArray[np.float32]:
    ranks = np.nonzero(hits.units != NO_UNIT)[1] + 1
    return ((RRF_OFFSET + 1) / (RRF_OFFSET + ranks)).astype(np.float32)
