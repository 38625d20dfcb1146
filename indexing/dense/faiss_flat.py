"""Exact nearest units by FAISS, straight on the memory-mapped vectors of `indexing.tables.vectors`: no copy.

One query is scored row by row, by FAISS' inner product of one vector with many. Many are scored by matrix products,
which round differently from batch to batch; so candidates are scored again row by row, and the answer is the same in
any batch. Among selected rows FAISS would score one query at a time; so the rows of a pool are gathered, block by
block, for its matrix products.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import faiss as _faiss
import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits, Row, check_depth, fit_mask, pad_rows, top_k
from indexing.parallel import cores, map_parallel
from indexing.tables.vectors import Vectors
from panelist.errors import InputError

faiss: Any = _faiss  # its type stubs do not know half of it

_MANY = 1_536  # numbers in the queries of a batch, from which matrix products are faster
_SHARE = 16_384  # the same, from which a second thread that reads all rows pays
faiss.cvar.distance_compute_blas_threshold = _MANY
_ROWS = 65_536  # of a block that is gathered, or converted from half precision
_SPARE = 24  # candidates more than hits: usually enough for all within `_ROUNDING` of the last
_TOGETHER = 16  # dimensions up to which FAISS may sum consecutive rows together, so that neighbours change their bits
_SMALL_POOL = 20_000  # up to here exact scores are as fast as another structure, and never miss
_ROUNDING = 2e-5  # more than two float32 sums over some thousand unit-length terms ever differ by


class ExactIndex:
    """The kind `flat`: every allowed vector is scored. Safe to share between threads."""

    kind = "flat"  # else ivf, hnsw, milvus, or a string of FAISS' factory
    recall: float | None = 1.0  # the share of the exact nearest hundred that it found when built; None where unknown

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    def search(self, queries: NDArray[np.float32], k: int, *, allowed: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` units (at least 1) with the highest inner product for each query; rows are padded at the end.

        Queries (queries, dimensions) are of unit length, so that the score is the cosine. `allowed` is a mask over unit
        numbers that is applied before the depth is cut (pools, tombstones); units beyond its end are not allowed.
        """
        self._check_search(queries, k)
        pool = None if allowed is None else np.flatnonzero(fit_mask(allowed, len(self.vectors)))
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        count = len(self.vectors) if pool is None else len(pool)
        limit = min(k + _SPARE, count)
        if queries.size < _MANY or limit == 0:
            return pad_rows(map_parallel(lambda query: self._row_by_row(query, pool, k), list(queries)), k)
        scores, positions = self._nearest(queries, limit, pool)

        def best(row: int) -> Row:
            # Where all candidates are as near as the last hit, others may be, too.
            if limit < count and scores[row, -1] >= scores[row, k - 1] - _ROUNDING:
                return self._row_by_row(queries[row], pool, k)
            units = np.sort(positions[row])
            return self._row_by_row(queries[row], units if pool is None else pool[units], k)

        return pad_rows(map_parallel(best, range(len(queries))), k)

    def candidates(self, queries: NDArray[np.float32], k: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """(queries, k or some more) what the structure itself finds, before it is scored again; -1 for none.

        The mask is over all units.
        """
        return self.search(queries, k, allowed=mask).units

    def _check_search(self, queries: NDArray[np.float32], k: int) -> None:
        check_depth(k)
        if queries.ndim != 2 or queries.shape[1] != self.vectors.shape[1]:
            raise InputError(
                f"queries of shape {queries.shape} do not fit vectors of {self.vectors.shape[1]} dimensions: "
                "encode them with the encoder of the index"
            )

    def _row_by_row(self, query: NDArray[np.float32], units: NDArray[np.int64] | None, k: int) -> Row:
        """The `k` best of these units, which ascend (None for all), each scored by itself.

        This answers a single query, and decides ties in every other search: no bit of a score depends on other rows.
        """
        vectors, count = self.vectors, len(self.vectors) if units is None else len(units)
        scores = np.empty(count, dtype=np.float32)
        step = count if vectors.dtype == np.float32 else _ROWS
        for start in range(0, count, max(step, 1)):
            block = slice(start, start + step)
            rows = None if units is None else units[block]
            if self.vectors.dtype != np.float32:
                vectors, rows = self.vectors[block if rows is None else rows].astype(np.float32), None
            _score(query, vectors, rows, scores[block])
        order = top_k(scores, k)
        return (order if units is None else units[order]), scores[order]

    def _nearest(
        self, queries: NDArray[np.float32], limit: int, pool: NDArray[np.intp] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(queries, limit) the highest inner products, by matrix products, and their positions in the pool."""
        chunks = np.array_split(queries, max(1, min(cores(), queries.size // _SHARE)))
        count = len(self.vectors) if pool is None else len(pool)
        step = count if pool is None and self.vectors.dtype == np.float32 else _ROWS  # no copy: one block
        results = []
        for start in range(0, count, step):
            rows: Any = slice(start, start + step) if pool is None else pool[start : start + step]
            block = self.vectors[rows].astype(np.float32, copy=False)
            answers = map_parallel(partial(_search_block, block, limit), chunks)
            scores, positions = map(np.concatenate, zip(*answers, strict=True))
            results.append((scores, np.where(positions >= 0, positions + start, -1)))
        if len(results) == 1:
            return results[0]
        merged: tuple[NDArray[np.float32], NDArray[np.int64]]
        merged = faiss.merge_knn_results(*map(np.stack, zip(*results, strict=True)), keep_max=True)
        return merged


class RescoredIndex(ExactIndex):
    """Another structure over the same vectors, whose candidates are scored again, row by row."""

    def search(self, queries: NDArray[np.float32], k: int, *, allowed: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` units with nearly the highest inner product for each query; see `ExactIndex.search`.

        A small pool, and what the structure cannot search, is scored exactly; so is a query with too few candidates.
        """
        self._check_search(queries, k)
        mask = None if allowed is None else fit_mask(allowed, len(self.vectors))
        count = len(self.vectors) if mask is None else int(mask.sum())
        if count <= (_SMALL_POOL if mask is not None else 0) or not self._reaches(k, count, mask is not None):
            return super().search(queries, k, allowed=mask)
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        candidates = self.candidates(queries, k, mask)

        def best(row: int) -> Row:
            units = candidates[row][candidates[row] >= 0]
            if len(units) >= min(k, count):
                return self._row_by_row(queries[row], np.sort(units), k)
            hits = ExactIndex.search(self, queries[row : row + 1], k, allowed=mask)
            return hits.units[0], hits.scores[0]

        return pad_rows(map_parallel(best, range(len(queries))), k)

    @abstractmethod
    def _reaches(self, k: int, count: int, masked: bool) -> bool:
        """Whether the structure can find so many of this number of units, which a mask may select."""


def _search_block(
    block: NDArray[np.float32], limit: int, queries: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    with threads(1):  # FAISS' own threads wait for each other on a busy machine
        results: tuple[NDArray[np.float32], NDArray[np.int64]]
        results = faiss.knn(queries, block, limit, metric=faiss.METRIC_INNER_PRODUCT)
    return results


def _score(
    query: NDArray[np.float32], vectors: Vectors, rows: NDArray[np.int64] | None, scores: NDArray[np.float32]
) -> None:
    """Fill in the inner products of the query and these rows, None for all: a row has the same bits either way."""
    dimension = vectors.shape[1]
    if rows is None and dimension > _TOGETHER:  # reads row after row, a tenth faster than by their numbers
        faiss.fvec_inner_products_ny(*map(faiss.swig_ptr, (scores, query, vectors)), dimension, len(scores))
        return
    rows = np.arange(len(scores)) if rows is None else rows
    with threads(1):
        arrays = map(faiss.swig_ptr, (scores, query, vectors, rows))
        faiss.fvec_inner_products_by_idx(*arrays, dimension, 1, len(rows))


def found_share(exact: NDArray[np.int64], results: NDArray[np.int64]) -> float:
    """The share of the exact units of each query that are among those found."""
    spread = np.arange(len(exact))[:, None] * (int(max(exact.max(initial=0), results.max(initial=0))) + 2) + 1
    return float(np.isin(exact + spread, results + spread).mean()) if exact.size else 1.0


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Have FAISS use this many threads for the calls of this thread."""
    previous = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(previous)
