"""A bm25s search, compiled: worth its loading (and, once after installation, its compiling) for batches of queries."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(nogil=True, cache=True)
def best_rows(
    words: NDArray[np.int64],
    weights: NDArray[np.float32],
    data: NDArray[np.float32],
    rows: NDArray[np.int32],
    starts: NDArray[np.int32],
    taken: NDArray[np.bool_],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The `k` rows with the highest scores above 0 and those scores, by ascending row; ties go to the lower row.

    The sums are made word by word, in the order and precision of `bm25._best_rows`. The rows are then passed once:
    whatever beats the k-th best so far goes to a buffer of 2k, which is cut back to its k best whenever it is full.
    """
    scores = np.zeros(len(taken), dtype=np.float32)
    for i in range(len(words)):
        weight = weights[i]
        own = slice(starts[words[i]], starts[words[i] + 1])  # as slices: numba then drops its index arithmetic
        values, places = data[own], rows[own]
        for j in range(len(values)):
            scores[places[j]] += values[j] * weight

    chosen = np.empty(2 * k, dtype=np.int64)
    best = np.empty(2 * k, dtype=np.float32)
    held, least = 0, np.float32(0)
    for row in range(len(scores)):
        if scores[row] > least and taken[row]:
            chosen[held], best[held] = row, scores[row]
            held += 1
            if held == 2 * k:
                held, least = _cut(chosen, best, held, k)
    if held > k:
        held, least = _cut(chosen, best, held, k)
    return chosen[:held], best[:held]


@numba.njit(nogil=True, cache=True)
def _cut(chosen: NDArray[np.int64], best: NDArray[np.float32], held: int, k: int) -> tuple[int, np.float32]:
    """Keep the `k` best of the first `held`, in place and in order; returns k and the least of them."""
    least = np.partition(best[:held], held - k)[held - k]
    ties = k - np.sum(best[:held] > least)
    kept = 0
    for i in range(held):
        if best[i] < least or (best[i] == least and ties == 0):
            continue
        ties -= best[i] == least
        chosen[kept], best[kept] = chosen[i], best[i]
        kept += 1
    return kept, least
