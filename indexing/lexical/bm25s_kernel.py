"""A bm25s search, compiled: worth its loading (and, once after installation, its compiling) for batches of queries."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_CLASS = 19  # trailing bits that a class leaves open: sixteen classes from one power of two to the next


@numba.njit(nogil=True, cache=True)
def best_rows(
    words: NDArray[np.int64],
    data: NDArray[np.float32],
    rows: NDArray[np.int32],
    starts: NDArray[np.int32],
    taken: NDArray[np.bool_],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The `k` rows with the highest scores above 0 and those scores, in no order; ties go to the lower row.

    The sums are made word by word, in order and precision as in `bm25._best_rows`. The best rows so far are a heap with
    the worst at its root, which a better one replaces; a histogram keeps away from it what has no chance.
    """
    scores = np.zeros(len(taken), dtype=np.float32)
    for i in range(len(words)):
        own = slice(starts[words[i]], starts[words[i] + 1])  # as slices: numba then drops its index arithmetic
        values, places = data[own], rows[own]
        for j in range(len(values)):
            scores[places[j]] += values[j]

    chosen = np.empty(k, dtype=np.int64)
    best = np.empty(k, dtype=np.float32)
    held, least, lowest = 0, np.float32(0), _lowest_class(scores, taken, k)
    classes = scores.view(np.uint32) >> _CLASS
    for row in range(len(scores)):
        if classes[row] >= lowest and scores[row] > least and taken[row]:
            if held < k:
                _rise(chosen, best, held, row, scores[row])
                held += 1
            else:
                _sink(chosen, best, row, scores[row])
            if held == k:
                least = best[0]
    return chosen[:held], best[:held]


@numba.njit(nogil=True, cache=True)
def _lowest_class(scores: NDArray[np.float32], taken: NDArray[np.bool_], k: int) -> int:
    """The class of the k-th best score. Leading bits class positive floats, which their bits keep in order."""
    counts = np.zeros(1 << (32 - _CLASS), dtype=np.int64)
    bits = scores.view(np.uint32)
    for row in range(len(bits)):
        if taken[row]:
            counts[bits[row] >> _CLASS] += 1
    lowest, above = len(counts) - 1, counts[-1]
    while above < k and lowest > 0:
        lowest -= 1
        above += counts[lowest]
    return lowest


@numba.njit(nogil=True, cache=True)
def _rise(chosen: NDArray[np.int64], best: NDArray[np.float32], place: int, row: int, score: np.float32) -> None:
    """Put a row, which is higher than all in the heap, at its end and let it rise past what is better."""
    while place > 0 and best[(place - 1) // 2] >= score:
        above = (place - 1) // 2
        chosen[place], best[place] = chosen[above], best[above]
        place = above
    chosen[place], best[place] = row, score


@numba.njit(nogil=True, cache=True)
def _sink(chosen: NDArray[np.int64], best: NDArray[np.float32], row: int, score: np.float32) -> None:
    """Replace the root by a row and let it sink past what is worse: a lower score, or the same and a higher row."""
    place, below = 0, 1
    while below < len(best):
        right = below + 1
        if right < len(best) and (
            best[right] < best[below] or (best[right] == best[below] and chosen[right] > chosen[below])
        ):
            below = right
        if best[below] >= score:  # at the same score the new row, being higher, is the worse one
            break
        chosen[place], best[place] = chosen[below], best[below]
        place, below = below, 2 * below + 1
    chosen[place], best[place] = row, score
