"""Choosing the best of many scores: score descending, ties by ascending position, the same in every engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, Hits
from indexing.ordering import falling
from panelist.errors import InputError


def top_k(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The positions of the `k` highest scores, best first, ties by ascending position; -inf is never chosen. No NaN."""
    least = np.float32(-np.inf)
    if k < len(scores) // 2:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
    chosen = np.flatnonzero(scores >= least if least > -np.inf else scores > least)
    return falling(scores[chosen], chosen)[:k]


def check_depth(k: int) -> None:
    """Refuse a depth below 1.

    Raises:
        InputError: `k` is below 1.
    """
    if k < 1:
        raise InputError(f"the search depth must be at least 1, not {k}")


def fit_mask(allowed: NDArray[np.bool_], units: int) -> NDArray[np.bool_]:
    """A mask for exactly `units` units: what a shorter one does not mention is not allowed."""
    mask = np.zeros(units, dtype=np.bool_)
    mask[: len(allowed)] = allowed[:units]
    return mask


def pad(rows: Sequence[tuple[NDArray[np.integer], NDArray[np.float32]]], k: int) -> Hits:
    """`Hits` of rows (units, scores) that are already in order and at most `k` long."""
    units = np.full((len(rows), k), NO_UNIT, dtype=np.int64)
    scores = np.full((len(rows), k), -np.inf, dtype=np.float32)
    for row, (best, values) in enumerate(rows):
        units[row, : len(best)] = best
        scores[row, : len(values)] = values
    return Hits(units, scores)
