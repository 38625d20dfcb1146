"""The kernel of a bm25s search: the scores of the words of a query are added up, and the best rows are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import helper, kernel

_CLASS = 19  # trailing bits that a class leaves open: sixteen classes from one power of two to the next


@helper
def _lowest_class(scores: NDArray[np.float32], taken: NDArray[np.bool_], k: int) -> int:
    """The class of the k-th best score: its leading bits. The bits of positive floats are ordered as the floats are."""
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


@helper
def _sift_up(chosen: NDArray[np.int64], best: NDArray[np.float32], at: int, row: int, score: np.float32) -> None:
    """Append a row, whose number is above all in the heap, and move it up past better rows."""
    while at > 0 and best[(at - 1) // 2] >= score:
        above = (at - 1) // 2
        chosen[at], best[at] = chosen[above], best[above]
        at = above
    chosen[at], best[at] = row, score


@helper
def _sift_down(chosen: NDArray[np.int64], best: NDArray[np.float32], row: int, score: np.float32) -> None:
    """Replace the root by a row and move it down past worse rows: a lower score, or the same and a higher row."""
    at, below = 0, 1
    while below < len(best):
        right = below + 1
        if right < len(best) and (
            best[right] < best[below] or (best[right] == best[below] and chosen[right] > chosen[below])
        ):
            below = right
        if best[below] >= score:  # at the same score the new row, being higher, is the worse one
            break
        chosen[at], best[at] = chosen[below], best[below]
        at, below = below, 2 * below + 1
    chosen[at], best[at] = row, score


@kernel
def best_rows(
    words: NDArray[np.int64],
    data: NDArray[np.float32],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    taken: NDArray[np.bool_],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The `k` rows with the highest scores above 0 and those scores, in no order; ties go to the lower row.

    Scores are added up word by word, in this order and in single precision. The best rows so far are a heap with the
    worst at its root, which a better one replaces; a histogram excludes beforehand the rows that cannot be among them.
    """
    scores = np.zeros(len(taken), dtype=np.float32)
    for i in range(len(words)):
        own = slice(starts[words[i]], starts[words[i] + 1])  # as slices: numba then drops its index arithmetic
        values, hits = data[own], rows[own]
        for j in range(len(values)):
            scores[hits[j]] += values[j]

    chosen = np.empty(k, dtype=np.int64)
    best = np.empty(k, dtype=np.float32)
    held, least, lowest = 0, np.float32(0), _lowest_class(scores, taken, k)
    classes = scores.view(np.uint32) >> _CLASS
    for row in range(len(scores)):
        if classes[row] >= lowest and scores[row] > least and taken[row]:
            if held < k:
                _sift_up(chosen, best, held, row, scores[row])
                held += 1
            else:
                _sift_down(chosen, best, row, scores[row])
            if held == k:
                least = best[0]
    return chosen[:held], best[:held]
