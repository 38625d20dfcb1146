"""Sparse inner products, added to a dense array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, kernel


@kernel
def add_products(
    chosen: NDArray[np.int64],
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: NDArray[np.float32],
    postings: NDArray[np.int64],
    documents: NDArray[np.int32],
    values: NDArray[np.float32],
    first: int,
    out: Written[np.float32],
) -> None:
    """Sparse inner products added to a dense array: `out[i, j] += row chosen[i] · column first + j`.

    Args:
        chosen: which rows.
        starts: where each row begins in `terms` and `weights` (CSR).
        terms: the columns of the rows.
        weights: their values.
        postings: where the documents of each term begin in `documents` and `values`, ascending by document.
        documents: the documents that have a term.
        values: the weight of the term in them.
        first: the document that is the first column of `out`.
        out: (chosen × columns), row by row.
    """
    width = len(out) // max(len(chosen), 1)
    last = first + width
    for i in range(len(chosen)):
        row = out[i * width : (i + 1) * width]
        for k in range(starts[chosen[i]], starts[chosen[i] + 1]):
            weight = weights[k]
            begin, end = postings[terms[k]], postings[terms[k] + 1]
            begin += np.searchsorted(documents[begin:end], first)
            for p in range(begin, end):
                if documents[p] >= last:
                    break
                row[documents[p] - first] += weight * values[p]
