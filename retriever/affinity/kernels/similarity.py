"""Sparse inner products, added to a dense array, and near papers, counted while their tile is in the cache."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, kernel


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
    first: int,  # the document that is the first column of `out`
    out: Written[np.float32],  # (chosen × columns), row by row
) -> None:
    """Sparse inner products added to a dense array: `out[i, j] += row chosen[i] · column first + j`."""
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


@kernel
def count_near(
    planes: Matrix[np.float32],  # (n, columns)
    thresholds: NDArray[np.float32],  # (width), of every `width` consecutive columns
    most: np.uint8,  # where counting ends
    out: Written[np.uint8],  # (columns), overwritten
) -> None:
    """Count near papers: `out[j] = min(most, #{i: planes[i, j] ≥ thresholds[j mod width]})`."""
    n, columns = planes.shape
    width = len(thresholds)
    for start in range(0, columns, width):
        counts = out[start : start + width]
        for lane in range(width):
            counts[lane] = 0
        for i in range(n):
            row = planes[i, start : start + width]
            for lane in range(width):
                counts[lane] = min(most, np.uint8(counts[lane] + np.uint8(row[lane] >= thresholds[lane])))
