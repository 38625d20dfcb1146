"""Kernels of hashes of keys: a paper has 65 references, and a hash function of the library would take too long."""

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
        for position in range(start, ends[row] + 1):
            total += (np.uint64(blob[position]) + np.uint64(1)) * factors[position - start]
        sums[row] = total
        start = ends[row] + 1
    return sums


@kernel
def are_first(hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each hash, of which none is 0, is the first of its kind in its row; rows have these many."""
    is_first = np.ones(len(hashes), dtype=np.bool_)
    start = 0
    for count in counts:
        size = 1
        while size < 2 * count:
            size *= 2
        table, mask = np.zeros(size, dtype=np.uint64), np.uint64(size - 1)
        for position in range(start, start + count):
            slot = hashes[position] & mask
            while table[slot] != 0 and table[slot] != hashes[position]:
                slot = (slot + np.uint64(1)) & mask
            is_first[position] = table[slot] == 0
            table[slot] = hashes[position]
        start += count
    return is_first
