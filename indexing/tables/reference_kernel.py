"""The kernel of hashes of keys: a paper has 65 references, and a hash function of the library would take too long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import kernel


@kernel
def add_bytes(blob: NDArray[np.uint8], ends: NDArray[np.int64], factors: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """For each string, which ends before `ends`, the sum of its bytes plus one, each times the factor of its place."""
    sums = np.empty(len(ends), dtype=np.uint64)
    start = 0
    for row in range(len(ends)):
        total = np.uint64(0)
        for at in range(start, ends[row] + 1):
            total += (np.uint64(blob[at]) + np.uint64(1)) * factors[at - start]
        sums[row] = total
        start = ends[row] + 1
    return sums
