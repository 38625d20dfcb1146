"""What a search returns, whatever the engine, and how the best of many scores are chosen.

The order is the same everywhere: score descending, ties by ascending position (unit number).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError

NO_UNIT = -1
"""Pads the rows of `Hits.units`; its score is -inf."""

Row = tuple[NDArray[np.int64], NDArray[np.float32]]
"""The hits of one query: units and their scores, best first."""

NO_HITS: Row = (np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Hits:
    """The best units for each query (rows), best first; ties by ascending unit number."""

    units: NDArray[np.int64]  # (queries, k) padded at the end of a row with `NO_UNIT`
    scores: NDArray[np.float32]  # (queries, k) higher is better, padded with -inf


def pad_rows(rows: Sequence[Row], k: int) -> Hits:
    """`Hits` of rows that are already in order and at most `k` long."""
    units = np.full((len(rows), k), NO_UNIT, dtype=np.int64)
    scores = np.full((len(rows), k), -np.inf, dtype=np.float32)
    for row, (best, values) in enumerate(rows):
        units[row, : len(best)] = best
        scores[row, : len(values)] = values
    return Hits(units, scores)


def check_depth(k: int) -> None:
    """Refuse a search depth below 1."""
    if k < 1:
        raise InputError(f"the search depth must be at least 1, not {k}")


def fit_mask(allowed: NDArray[np.bool_], units: int) -> NDArray[np.bool_]:
    """A mask for exactly `units` units: units beyond the end of a shorter mask are not allowed."""
    mask = np.zeros(units, dtype=np.bool_)
    mask[: len(allowed)] = allowed[:units]
    return mask


def top_k(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The positions of the `k` highest scores, best first, ties by ascending position; -inf is never chosen. No NaN."""
    threshold = np.float32(-np.inf)
    if k < len(scores) // 2:
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= threshold if threshold > -np.inf else scores > threshold)
    return sort_falling(scores[candidates], candidates)[:k]


def sort_falling(scores: NDArray[np.float32], positions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """These positions, below 2³², by their scores: highest first, ties by ascending position.

    Score and position are packed into one 64-bit number, and these are sorted by value: processors do that with vector
    instructions, several times as fast as `numpy.argsort`.
    """
    bits = (scores + np.float32(0)).view(np.int32)  # -0 becomes 0
    numbers = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # integers in the order of the scores, negative ones included
    packed = (~numbers).astype(np.int64) << 32 | positions
    packed.sort()
    return packed & 0xFFFFFFFF


def values_at(keys: NDArray[np.int64], values: NDArray[np.float32], units: NDArray[np.int64]) -> NDArray[np.float32]:
    """For each of the wanted units the value beside it among the keys, which are distinct; 0 where it is not there."""
    if len(keys) == 0:
        return np.zeros(len(units), np.float32)
    order = np.argsort(keys)
    positions = order[np.minimum(np.searchsorted(keys, units, sorter=order), len(keys) - 1)]
    return np.where(keys[positions] == units, values[positions], np.float32(0))
