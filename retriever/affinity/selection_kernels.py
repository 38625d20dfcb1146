"""Compiled kernels: the k best of many lines at once, while the scores stream by.

A candidate of a line is one 64-bit key: the score above, the reverse of its rank below, so that a larger key is a
better candidate and equal scores go by rank. Each line has room for up to 2k keys; when it is full, the k largest stay.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(nogil=True, cache=True)
def offer_rows(
    scores: NDArray[np.uint32],
    ranks: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    floors: NDArray[np.uint64],
    k: int,
) -> None:
    """Offer to every line (row) the candidates (columns) of a (lines, candidates) array of ordered scores."""
    for line in range(scores.shape[0]):
        for candidate in range(scores.shape[1]):
            _offer(scores[line, candidate], ranks[candidate], line, keys, counts, floors, k)


@numba.njit(nogil=True, cache=True)
def offer_columns(
    scores: NDArray[np.uint32],
    ranks: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    floors: NDArray[np.uint64],
    k: int,
) -> None:
    """Offer to every line (column) the candidates (rows) of a (candidates, lines) array of ordered scores."""
    for candidate in range(scores.shape[0]):
        for line in range(scores.shape[1]):
            _offer(scores[candidate, line], ranks[candidate], line, keys, counts, floors, k)


@numba.njit(nogil=True, cache=True)
def settle(keys: NDArray[np.uint64], counts: NDArray[np.int64], floors: NDArray[np.uint64], k: int) -> None:
    """Cut every line to its k best, in falling order."""
    for line in range(len(counts)):
        if counts[line] > k:
            _cut(line, keys, counts, floors, k)
        own = keys[line, : counts[line]]
        own[:] = np.sort(own)[::-1]


@numba.njit(nogil=True, cache=True)
def order(scores: NDArray[np.float32], bits: NDArray[np.uint32], ordered: NDArray[np.uint32]) -> None:
    """Numbers that compare like the scores; 0, which is never chosen, for -inf.

    The bits of floats compare like integers once the negative ones are turned.

    Args:
        scores: any floats but NaN.
        bits: the same memory, seen as integers.
        ordered: overwritten; it may be that memory too.
    """
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            score, own = scores[i, j], bits[i, j]
            if score == 0:  # also -0
                ordered[i, j] = np.uint32(0x80000000)
            elif score > 0:
                ordered[i, j] = own | np.uint32(0x80000000)
            else:
                ordered[i, j] = np.uint32(0) if score == -np.inf else ~own


@numba.njit(nogil=True, cache=True, inline="always")
def _offer(
    score: np.uint32,
    rank: np.uint32,
    line: int,
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    floors: NDArray[np.uint64],
    k: int,
) -> None:
    if score == 0:  # not to be chosen
        return
    key = (np.uint64(score) << np.uint64(32)) | np.uint64(np.uint32(0xFFFFFFFF) - rank)
    if key > floors[line]:
        keys[line, counts[line]] = key
        counts[line] += 1
        if counts[line] == keys.shape[1]:
            _cut(line, keys, counts, floors, k)


@numba.njit(nogil=True, cache=True)
def _cut(line: int, keys: NDArray[np.uint64], counts: NDArray[np.int64], floors: NDArray[np.uint64], k: int) -> None:
    """Move the k largest keys of a line to its front (Hoare's selection) and forget the others."""
    own = keys[line, : counts[line]]
    low, high = 0, len(own) - 1
    while low < high:
        pivot = own[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while own[i] > pivot:
                i += 1
            while own[j] < pivot:
                j -= 1
            if i <= j:
                own[i], own[j] = own[j], own[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    counts[line] = k
    floors[line] = own[:k].min()
