"""Exact nearest units by inner product, straight on the memory-mapped vectors: no file, no copy.

One query is scored row by row. Many are scored by matrix products, which round differently from batch to batch; so each
candidate within that rounding of the k-th is scored again row by row, and the answer is the same in any batch.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits, Row, check_depth, fit_mask, pad, top_k
from indexing.parallel import each
from indexing.tables.vectors import Vectors
from panelist.errors import InputError

_FEW = 4  # queries, below which reading the vectors takes longer than multiplying them
_SCORES = 1 << 25  # at once, 128 MB: products of many queries make better use of each vector
_ROWS = 65_536  # of a block: large matrix products make good use of two threads
_ROUNDING = 2e-5  # more than two float32 sums over some thousand unit-length terms ever differ by


class ExactIndex:
    """The kind `flat`: every allowed vector is scored; see `indexing.dense.VectorIndex`."""

    kind: Literal["flat"] = "flat"

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    def search(self, queries: NDArray[np.float32], k: int, *, allowed: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` units with the highest inner product for each query; see `VectorIndex.search`."""
        check_search(queries, k, self.vectors)
        pool = None if allowed is None else np.flatnonzero(fit_mask(allowed, len(self.vectors)))
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        if len(queries) < _FEW:
            return pad([self._row_by_row(query, k, pool) for query in queries], k)
        rows: list[Row] = []
        step = max(_FEW, _SCORES // max(1, len(self.vectors) if pool is None else len(pool)))
        for start in range(0, len(queries), step):
            some = queries[start : start + step]
            scores = self._scores(some, pool)

            def best(i: int, some: NDArray[np.float32] = some, scores: NDArray[np.float32] = scores) -> Row:
                near = _near_top(scores[i], k)
                return self._best(some[i], near if pool is None else pool[near], k)

            rows += each(best, range(len(some)))
        return pad(rows, k)

    def rescored(
        self,
        queries: NDArray[np.float32],
        k: int,
        candidates: Sequence[NDArray[np.integer]],
        allowed: NDArray[np.bool_] | None,
    ) -> Hits:
        """The best of each query's candidates, scored row by row; a query that has too few is answered in full."""
        enough = min(k, len(self.vectors) if allowed is None else int(allowed.sum()))

        def best(row: int) -> Row:
            if len(candidates[row]) >= enough:
                return self._best(queries[row], candidates[row], k)
            hits = self.search(queries[row : row + 1], k, allowed=allowed)
            return hits.units[0], hits.scores[0]

        return pad(each(best, range(len(queries))), k)

    def _best(self, query: NDArray[np.float32], candidates: NDArray[np.integer], k: int) -> Row:
        """The `k` best of the candidate units, scored row by row, best first, ties by unit."""
        units = np.sort(candidates).astype(np.int64)
        rows = self.vectors.take(units, axis=0).astype(np.float32, copy=False)  # faster than by brackets
        scores = _sums(rows, query)
        order = top_k(scores, k)
        return units[order], scores[order]

    def _row_by_row(self, query: NDArray[np.float32], k: int, pool: NDArray[np.intp] | None) -> Row:
        nothing = np.empty(0, dtype=np.float32)
        scores = np.concatenate([nothing, *(_sums(block, query) for block in self._blocks(pool))])
        order = top_k(scores, k)
        return order if pool is None else pool[order], scores[order]

    def _scores(self, queries: NDArray[np.float32], pool: NDArray[np.intp] | None) -> NDArray[np.float32]:
        """(queries, pool) inner products."""
        scores = np.empty((len(queries), len(self.vectors) if pool is None else len(pool)), dtype=np.float32)
        for start, block in zip(range(0, scores.shape[1], _ROWS), self._blocks(pool), strict=True):
            np.matmul(queries, block.T, out=scores[:, start : start + _ROWS])
        return scores

    def _blocks(self, pool: NDArray[np.intp] | None) -> Iterator[NDArray[np.float32]]:
        for start in range(0, len(self.vectors) if pool is None else len(pool), _ROWS):
            part = slice(start, start + _ROWS)
            yield (self.vectors[part] if pool is None else self.vectors[pool[part]]).astype(np.float32, copy=False)


def _sums(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """The inner product of each row with the query, each summed by itself and so independent of its neighbours."""
    sums: NDArray[np.float32] = np.einsum("ij,j->i", rows, query)
    return sums


def check_search(queries: NDArray[np.float32], k: int, vectors: Vectors) -> None:
    """Refuse what cannot be searched for."""
    check_depth(k)
    if queries.ndim != 2 or queries.shape[1] != vectors.shape[1]:
        raise InputError(
            f"queries of shape {queries.shape} do not fit vectors of {vectors.shape[1]} dimensions: "
            "encode them with the encoder of the index"
        )


def _near_top(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """The positions of all scores that may be among the `k` highest, given that each is a little off."""
    if k >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.flatnonzero(scores >= least - _ROUNDING)
