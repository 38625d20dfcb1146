"""One step of MMR, compiled: how redundant each contender has become, and who is worth most now."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from retriever.diversity import UNKNOWN

_UNKNOWN = UNKNOWN  # a constant of the compiled code


@numba.njit(nogil=True, cache=True)
def choose(
    last: int,
    topical: NDArray[np.float32],
    together: NDArray[np.bool_],
    labels: NDArray[np.int64],
    weight: float,
    value: NDArray[np.float64],
    same: NDArray[np.float64],
) -> int:
    """Take in whom was chosen last, and choose the next; equal ones in the order of relevance.

    Args:
        last: the one chosen last; its value is taken away.
        topical: the similarity of each contender's topic to theirs.
        together: who has written with them.
        labels: (facets, n) see `Contenders`.
        weight: λ.
        value: (1 − λ) times the relevance of each, those chosen excepted.
        same: how much each is the same as the likest of those chosen; brought up to date.
    """
    value[last] = -np.inf
    best, most = 0, -np.inf
    for place in range(len(value)):
        alike = 1.0
        if not together[place]:
            equal = 0
            for facet in range(len(labels)):
                if labels[facet, place] == labels[facet, last] != _UNKNOWN:
                    equal += 1
            alike = (np.float64(min(max(topical[place], np.float32(0)), np.float32(1))) + equal) / (1 + len(labels))
        same[place] = max(same[place], alike)
        worth = value[place] - weight * same[place]
        if worth > most:
            best, most = place, worth
    return best
