"""Lexical similarity: inner products of weighted terms, submissions held as an inverted index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.lexical.tokens import Vocabulary
from indexing.text import Text
from retriever.affinity.blocks import Writer

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TermCounter:
    """Counts the terms of texts, as rows of one growing vocabulary."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()

    def __len__(self) -> int:
        return len(self._vocabulary.numbers)

    def count(self, texts: Iterable[Text]) -> csr_array:
        """(texts, terms) float32: how often each term occurs; as wide as the vocabulary is by then."""
        return count_matrix(map(self._vocabulary.learn, (text.plain() for text in texts)), lambda: len(self))


def count_matrix(rows: Iterable[Sequence[int]], width: Callable[[], int]) -> csr_array:
    """Rows of term numbers, as they occur, as a (rows, terms) matrix of counts."""
    from scipy.sparse import csr_array

    parts = [np.asarray(row, dtype=np.int32) for row in rows]
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    terms = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    counts = csr_array((np.ones(len(terms), np.float32), terms, starts), shape=(len(parts), width()))
    counts.sum_duplicates()
    return counts


def document_frequencies(counts: csr_array, width: int) -> NDArray[np.int64]:
    """(width) in how many rows each term occurs."""
    return np.bincount(counts.indices, minlength=width)


def row_of(matrix: csr_array) -> NDArray[np.int64]:
    """The row of each stored value."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def scale_rows(matrix: csr_array, factors: NDArray[np.floating]) -> None:
    """Multiply every row by its factor, in place."""
    matrix.data *= factors.astype(np.float32)[row_of(matrix)]


def normalise(matrix: csr_array) -> None:
    """Make every row of length 1, in place; rows of zeros stay."""
    squares = np.bincount(row_of(matrix), weights=matrix.data.astype(np.float64) ** 2, minlength=matrix.shape[0])
    scale_rows(matrix, 1 / np.sqrt(np.where(squares > 0, squares, 1)))


class LexicalSimilarity:
    """Inner products of the rows of two sparse matrices; see `panels.Similarity`."""

    def __init__(self, papers: csr_array, submissions: csr_array) -> None:
        width = max(papers.shape[1], submissions.shape[1])
        inverted = submissions.tocsc()
        self._starts = papers.indptr.astype(np.int64)
        self._terms = papers.indices.astype(np.int32)
        self._weights = papers.data.astype(np.float32)
        self._postings = np.full(width + 1, len(inverted.data), dtype=np.int64)
        self._postings[: len(inverted.indptr)] = inverted.indptr
        self._documents = inverted.indices.astype(np.int32)
        self._values = inverted.data.astype(np.float32)

    def of(self, papers: NDArray[np.int64]) -> Writer:
        """See `panels.Similarity`."""
        add = self.added(papers)

        def write(first: int, block: NDArray[np.float32]) -> None:
            block.fill(0)
            add(first, block)

        return write

    def added(self, papers: NDArray[np.int64]) -> Writer:
        """As `of`, but the similarities are added to what is in the block."""
        from retriever.affinity.kernels import add_products

        rows = (papers, self._starts, self._terms, self._weights)
        columns = (self._postings, self._documents, self._values)
        return lambda first, block: add_products(*rows, *columns, first, block)
