"""Counts of terms as sparse matrices, one row per text: what the lexical models weigh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.lexical.tokens import Vocabulary
from indexing.text import HasText, Text

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def count_terms(documents: Iterable[HasText], vocabulary: Vocabulary) -> csr_array:
    """(documents, terms) float32: how often each term occurs; as wide as the vocabulary is by then."""
    rows = [np.array(vocabulary.learn(Text.of(document).plain()), dtype=np.int32) for document in documents]
    return count_matrix(rows, len(vocabulary.numbers))


def count_matrix(rows: Sequence[NDArray[np.int32]], width: int) -> csr_array:
    """Rows of term numbers, in the order of the text, as a (rows, terms) matrix of counts."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    terms = np.concatenate([np.empty(0, dtype=np.int32), *rows])
    counts = csr_array((np.ones(len(terms), np.float32), terms, starts), shape=(len(rows), width))
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
    """Scale every row to length 1, in place; rows of zeros stay as they are."""
    squares = np.bincount(row_of(matrix), weights=matrix.data.astype(np.float64) ** 2, minlength=matrix.shape[0])
    scale_rows(matrix, 1 / np.sqrt(np.where(squares > 0, squares, 1)))
