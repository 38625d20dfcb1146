"""Counting near papers: one comparison per similarity, while its tile is in the processor's cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, kernel


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
