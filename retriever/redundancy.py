"""Topics of contenders and one step of MMR, compiled: how redundant each has become, and who is worth most now."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from retriever.diversity import ROUNDING, UNKNOWN

_ROUNDING, _UNKNOWN = ROUNDING, UNKNOWN  # constants of the compiled code


@numba.njit(nogil=True, cache=True)
def average(
    places: NDArray[np.int64],
    vote_starts: NDArray[np.int64],
    votes: NDArray[np.int64],
    units: NDArray[np.int64],
    vectors: NDArray[np.float32],
    most: int,
) -> NDArray[np.float32]:
    """The mean vector of the best `most` papers of those at some places of a ranking.

    Args:
        places: places in the ranking.
        vote_starts: see `RankedAuthors`.
        votes: see `RankedAuthors`.
        units: see `Candidates`.
        vectors: of all units.
        most: how many papers, where there are so many.
    """
    topics = np.zeros((len(places), vectors.shape[1]), dtype=np.float32)
    for row in range(len(places)):
        begin = vote_starts[places[row]]
        count = min(vote_starts[places[row] + 1] - begin, most)
        for turn in range(count):
            topics[row] += vectors[units[votes[begin + turn]]]
        topics[row] /= np.float32(count)
    return topics


@numba.njit(nogil=True, cache=True)
def choose(
    last: int,
    topics: NDArray[np.float32],
    together: NDArray[np.bool_],
    labels: NDArray[np.int64],
    weight: float,
    value: NDArray[np.float64],
    same: NDArray[np.float64],
) -> int:
    """Take in whom was chosen last, and choose the next; equal ones in the order of relevance.

    Args:
        last: the one chosen last; its value is taken away.
        topics: see `Contenders`.
        together: who has written with them.
        labels: see `Contenders`.
        weight: λ.
        value: (1 − λ) times the relevance of each, those chosen excepted.
        same: how much each is the same as the likest of those chosen; brought up to date.
    """
    value[last] = -np.inf
    best, most = 0, -np.inf
    for place in range(len(value)):
        if value[place] == -np.inf:
            continue
        alike = 1.0
        if not together[place]:
            equal = 0
            for facet in range(len(labels)):
                if labels[facet, place] == labels[facet, last] != _UNKNOWN:
                    equal += 1
            topical = _similarity(topics[place], topics[last])
            rounded = np.rint(np.float64(topical) * _ROUNDING) / _ROUNDING
            alike = (min(max(rounded, 0.0), 1.0) + equal) / (1 + len(labels))
        same[place] = max(same[place], alike)
        worth = value[place] - weight * same[place]
        if worth > most:
            best, most = place, worth
    return best


@numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _similarity(one: NDArray[np.float32], other: NDArray[np.float32]) -> np.float32:
    """The inner product, summed in the order that is quickest: it is rounded afterwards."""
    total = np.float32(0)
    for place in range(len(one)):
        total += one[place] * other[place]
    return total
