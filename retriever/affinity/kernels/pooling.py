"""Weighted sums of sorted columns: one pass over some thousand similarities in the processor's cache.

The minimum and maximum of whole rows are single vector instructions, so a sorting network is faster than any sort here.
Results go to other rows than the operands: for an exchange in place the compiler would emit slow masked stores.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, helper, kernel

_LANES = 192  # pairs sorted side by side: 26 rows of them are some 20 KB


@partial(helper, fastmath={"nnan", "nsz"})
def _sort_eight(rows: NDArray[np.float32]) -> None:
    """Sort the columns of eight rows, the largest first, by the network of 19 exchanges: all of it in registers."""
    for lane in range(_LANES):
        a, b, c, d = rows[0, lane], rows[1, lane], rows[2, lane], rows[3, lane]
        e, f, g, h = rows[4, lane], rows[5, lane], rows[6, lane], rows[7, lane]
        a, c, b, d = max(a, c), min(a, c), max(b, d), min(b, d)
        e, g, f, h = max(e, g), min(e, g), max(f, h), min(f, h)
        a, e, b, f = max(a, e), min(a, e), max(b, f), min(b, f)
        c, g, d, h = max(c, g), min(c, g), max(d, h), min(d, h)
        a, b, c, d = max(a, b), min(a, b), max(c, d), min(c, d)
        e, f, g, h = max(e, f), min(e, f), max(g, h), min(g, h)
        c, e, d, f = max(c, e), min(c, e), max(d, f), min(d, f)
        b, e, d, g = max(b, e), min(b, e), max(d, g), min(d, g)
        b, c, d, e, f, g = max(b, c), min(b, c), max(d, e), min(d, e), max(f, g), min(f, g)
        rows[0, lane], rows[1, lane], rows[2, lane], rows[3, lane] = a, b, c, d
        rows[4, lane], rows[5, lane], rows[6, lane], rows[7, lane] = e, f, g, h


@partial(helper, fastmath={"nnan", "nsz", "contract"})
def _weigh(
    planes: NDArray[np.float32],
    eights: int,
    steps: NDArray[np.uint64],
    positions: NDArray[np.uint64],
    weights: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    n, columns = planes.shape
    rows = np.full((max(n, 8 * eights) + 2, _LANES), -np.inf, dtype=np.float32)
    total = np.empty(_LANES, dtype=np.float32)
    for start in range(0, columns, _LANES):
        width = min(_LANES, columns - start)
        for i in range(n):
            row = planes[i, start : start + width]  # a slice: numba then omits its index arithmetic
            for lane in range(width):
                rows[i, lane] = row[lane]
        for group in range(eights):
            _sort_eight(rows[8 * group : 8 * group + 8])
        for step in range(len(steps)):
            a, b, larger, smaller = steps[step, 0], steps[step, 1], steps[step, 2], steps[step, 3]
            for lane in range(_LANES):
                x, y = rows[a, lane], rows[b, lane]
                rows[larger, lane] = max(x, y)
                rows[smaller, lane] = min(x, y)
        for lane in range(_LANES):
            total[lane] = 0
        for i in range(n):
            weight, position = weights[i], positions[i]
            if weight != 0:
                for lane in range(_LANES):
                    total[lane] += weight * rows[position, lane]
        part = out[start : start + width]
        for lane in range(width):
            part[lane] = total[lane]


@kernel
def weigh_sorted(
    planes: Matrix[np.float32],  # (n, columns)
    eights: int,  # how many groups of eight rows are sorted before the first step; missing rows of the last are -inf
    # (exchanges, 4) rows of a sorting network: two to compare, where the larger goes, where the smaller goes
    steps: Matrix[np.uint64],
    positions: NDArray[np.uint64],  # (n) the row that holds the i-th largest in the end
    weights: NDArray[np.float32],  # (n)
    out: Written[np.float32],  # (columns), overwritten
) -> None:
    """Weighted sums of sorted columns: `out[j] = Σᵢ weights[i] · (i-th largest of planes[:, j])`."""
    _weigh(planes, eights, steps, positions, weights, out)
