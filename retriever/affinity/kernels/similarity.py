"""Sparse inner products, added to a dense array."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, kernel


@kernel
def add_products(
    chosen: NDArray[np.int64],  # which rows
    starts: NDArray[np.int64],  # where each row begins in `terms` and `weights` (CSR)
    terms: NDArray[np.int32],  # the columns of the rows
    weights: NDArray[np.float32],  # their values
    # where the documents of each term begin in `documents` and `values`, ascending by document
    postings: NDArray[np.int64],
    documents: NDArray[np.int32],  # the documents that have a term
    values: NDArray[np.float32],  # the weight of the term in them
    offset: int,  # the document that is the first column of `out`
    out: Written[np.float32],  # (chosen × columns), row by row
) -> None:
    """Sparse inner products added to a dense array: `out[i, j] += row chosen[i] · column first + j`."""
    width = len(out) // max(len(chosen), 1)
    last = offset + width
    for i in range(len(chosen)):
        row = out[i * width : (i + 1) * width]
        for k in range(starts[chosen[i]], starts[chosen[i] + 1]):
            weight = weights[k]
            begin, end = postings[terms[k]], postings[terms[k] + 1]
            begin += np.searchsorted(documents[begin:end], offset)
            for p in range(begin, end):
                if documents[p] >= last:
                    break
                row[documents[p] - offset] += weight * values[p]
