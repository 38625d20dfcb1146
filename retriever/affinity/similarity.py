"""Similarity of papers to submissions, paper by paper: inner products of vectors, or of weighted terms.

Submissions are columns. A writer fills one tile of the matrix after the other, so that tiles fit the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.tables.ownership import gather_rows
from retriever.affinity.kernels.similarity import add_products

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Writer = Callable[[int, NDArray[np.float32]], None]
"""Writes the similarities of some papers (rows) to consecutive submissions (columns), the first of which is given."""


class Similarity(Protocol):
    """How near papers are to submissions; `dense` is the part of it that compares vectors, if there is any."""

    @property
    def dense(self) -> DenseSimilarity | None:
        """Vectors and their inner products."""

    def writer(self, papers: NDArray[np.int64]) -> Writer:
        """A writer of the similarities of these papers, to be called for one range of submissions after the other."""


class DenseSimilarity:
    """Inner products of vectors; see `Similarity`."""

    def __init__(
        self,
        papers: NDArray[np.float32],  # (passages, dimension), the passages of each paper one after the other
        submissions: NDArray[np.float32],  # (submissions, dimension)
        # (papers + 1) where the passages of each paper begin, if papers have several; the nearest passage counts
        starts: NDArray[np.int64] | None = None,
    ) -> None:
        self.papers, self._submissions, self._starts = papers, submissions, starts

    @property
    def dense(self) -> DenseSimilarity:
        """This."""
        return self

    def lengths(self, offset: int, stop: int) -> NDArray[np.float32]:
        """The lengths of the vectors of these submissions: 1, or the weight that similarities have in a sum."""
        lengths: NDArray[np.float32] = np.linalg.norm(self._submissions[offset:stop], axis=1)
        return lengths

    def writer(self, papers: NDArray[np.int64]) -> Writer:
        """Make a writer of the similarities of these papers; see `Similarity`."""
        if self._starts is None:
            vectors = self.papers[papers]
            return lambda offset, out: self._multiply(vectors, offset, out)
        rows, lengths = gather_rows(self._starts, papers)
        vectors, offsets = self.papers[rows], np.cumsum(lengths) - lengths

        def write_nearest(offset: int, out: NDArray[np.float32]) -> None:
            products = np.empty((len(vectors), out.shape[1]), dtype=np.float32)
            self._multiply(vectors, offset, products)
            np.maximum.reduceat(products, offsets, axis=0, out=out)

        return write_nearest

    def _multiply(self, vectors: NDArray[np.float32], offset: int, out: NDArray[np.float32]) -> None:
        np.matmul(vectors, self._submissions[offset : offset + out.shape[1]].T, out=out)


class LexicalSimilarity:
    """Inner products of the rows of two sparse matrices, added to a dense similarity if there is one."""

    def __init__(self, papers: csr_array, submissions: csr_array, dense: DenseSimilarity | None = None) -> None:
        self.dense = dense
        width = max(papers.shape[1], submissions.shape[1])
        inverted = submissions.tocsc()
        self._starts = papers.indptr.astype(np.int64)
        self._terms = papers.indices.astype(np.int32)
        self._weights = papers.data.astype(np.float32)
        self._postings = np.full(width + 1, len(inverted.data), dtype=np.int64)
        self._postings[: len(inverted.indptr)] = inverted.indptr
        self._documents = inverted.indices.astype(np.int32)
        self._values = inverted.data.astype(np.float32)

    def writer(self, papers: NDArray[np.int64]) -> Writer:
        """Make a writer of the similarities of these papers; see `Similarity`."""
        write_dense = None if self.dense is None else self.dense.writer(papers)
        rows = (papers, self._starts, self._terms, self._weights)
        columns = (self._postings, self._documents, self._values)

        def write(offset: int, out: NDArray[np.float32]) -> None:
            if write_dense is None:
                out.fill(0)
            else:
                write_dense(offset, out)
            add_products(*rows, *columns, offset, out.reshape(-1))

        return write
