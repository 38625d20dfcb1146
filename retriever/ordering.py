"""Sorting as look-up needs it: by falling score, ties by position. Several times as fast as `numpy.lexsort`.

A number of 32 bits and a position, packed into one of 64, are sorted by value, which processors do with vector
instructions and without a detour through indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def by_number(numbers: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The positions of these numbers, from 0 up to 2³², lowest first, ties by ascending position."""
    packed = (numbers.astype(np.uint64) << _HALF) | np.arange(len(numbers), dtype=np.uint64)
    packed.sort()
    return (packed & _LOW).astype(np.int64)


def by_falling_score(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """The positions of these scores, none of which is negative, highest first, ties by ascending position."""
    bits = (scores + np.float32(0)).view(np.uint32)  # of floats above 0 the bits order as they do; -0 becomes 0
    return by_number(~bits)
