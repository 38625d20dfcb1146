"""The kernels of diversity: topics and co-authors of contenders, and one step of MMR."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, helper, kernel


@partial(helper, fastmath={"reassoc", "contract"})
def _inner_product(first: NDArray[np.float32], second: NDArray[np.float32]) -> np.float32:
    """Summed in the order that is fastest: the result is rounded afterwards."""
    total = np.float32(0)
    for column in range(len(first)):
        total += first[column] * second[column]
    return total


@kernel
def mean_vectors(
    units: NDArray[np.int64], counts: NDArray[np.int64], vectors: Matrix[np.float32]
) -> NDArray[np.float32]:
    """The mean vector of the units of each contender."""
    topics = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
    begin = 0
    for row in range(len(counts)):
        for unit in units[begin : begin + counts[row]]:
            topics[row] += vectors[unit]
        topics[row] /= np.float32(counts[row])
        begin += counts[row]
    return topics


@kernel
def coauthors_among(
    author: int,
    among: NDArray[np.int32],
    order: NDArray[np.int64],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Which of the authors `among`, whom `order` sorts by number, share a unit with this author or are this author."""
    mask = np.zeros(len(among), dtype=np.bool_)
    for unit in author_units[author_starts[author] : author_starts[author + 1]]:
        for other in unit_authors[unit_starts[unit] : unit_starts[unit + 1]]:
            low, high = 0, len(order)
            while low < high:
                middle = (low + high) // 2
                if among[order[middle]] < other:
                    low = middle + 1
                else:
                    high = middle
            if low < len(order) and among[order[low]] == other:
                mask[order[low]] = True
    return mask


@kernel
def choose_next(
    last: int,
    topics: Matrix[np.float32],
    coauthors: NDArray[np.bool_],
    labels: Matrix[np.int64],
    weight: float,
    rounding: float,
    unknown: int,
    value: Written[np.float64],
    redundancy: Written[np.float64],
) -> int:
    """One step of MMR: update the redundancy of all contenders, and choose the next; ties by relevance.

    `last` was chosen last, and has written with `coauthors`; `topics` and `labels`: see `Contenders`. The weight is λ,
    the similarity of topics counts to the part of 1 that `rounding` says, and the label `unknown` equals no other.
    `value` is (1 − λ) times the relevance of each contender, -inf for those who are chosen; `redundancy` the similarity
    of each to the most similar of those.
    """
    value[last] = -np.inf
    best, most = 0, -np.inf
    for row in range(len(value)):
        if value[row] == -np.inf:
            continue
        similarity = 1.0
        if not coauthors[row]:
            equal = 0
            for facet in range(len(labels)):
                if labels[facet, row] == labels[facet, last] != unknown:
                    equal += 1
            topical = np.rint(np.float64(_inner_product(topics[row], topics[last])) * rounding) / rounding
            similarity = (min(max(topical, 0.0), 1.0) + equal) / (1 + len(labels))
        redundancy[row] = max(redundancy[row], similarity)
        worth = value[row] - weight * redundancy[row]
        if worth > most:
            best, most = row, worth
    return best
