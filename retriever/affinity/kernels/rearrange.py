"""What papers and submissions both cite, and the scores of a submission given to other reviewers.

Everybody who is moved takes a place in the order of scores, the others follow in theirs.
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import WrittenMatrix, helper, kernel

_LOW = np.uint64(0xFFFFFFFF)
_DIGIT = 11  # bits of a pass: three passes sort 32 bits, and their counts stay in the processor's cache


@helper
def _falling(bits: np.uint32) -> np.uint32:
    """The bits of a float as an integer that falls where the float rises, and back again; -0 is below 0."""
    return bits if bits >> np.uint32(31) else bits ^ np.uint32(0x7FFFFFFF)


@helper
def _sort_falling(
    bits: NDArray[np.uint32],  # of floats that are no NaN
    keys: NDArray[np.uint64],  # (2, as many or more) space; the first row begins with the result
) -> None:
    """Sort floats, given by their bits, by falling value, ties by position: a radix sort.

    The result has what `_falling` makes of each in the upper half, its position in the lower half.
    """
    n, mask = len(bits), np.uint64((1 << _DIGIT) - 1)
    starts = np.zeros((3, (1 << _DIGIT) + 1), dtype=np.int64)
    for i in range(n):
        key = np.uint64(_falling(bits[i]))
        keys[1, i] = key << np.uint64(32) | np.uint64(i)
        for number in range(3):
            starts[number, ((key >> np.uint64(number * _DIGIT)) & mask) + np.uint64(1)] += 1
    for number in range(3):
        shift = np.uint64(32 + number * _DIGIT)
        old, new, place = keys[1 - number % 2], keys[number % 2], starts[number]
        for digit in range(1 << _DIGIT):
            place[digit + 1] += place[digit]
        for i in range(n):
            digit = (old[i] >> shift) & mask
            new[place[digit]] = old[i]
            place[digit] += 1


@kernel
def rearrange(
    scores: WrittenMatrix[np.float32],  # (reviewers, submissions), no NaN, overwritten; -inf stays where it is
    first: int,  # the first submission
    starts: NDArray[np.int64],  # (some submissions + 1) where those who are moved begin in `reviewers`
    reviewers: NDArray[np.int32],  # who is moved, ascending in each submission
    strengths: NDArray[np.float32],  # and how much, above 0
) -> None:
    """Give the scores of submissions from `first` on to their reviewers in the order of score + spread · strength.

    `spread` is the best score less the mean of all, -inf left out. Ties by position, those who are not moved first.
    """
    n, width = scores.shape[0], len(starts) - 1
    lines = np.empty((width, n), dtype=np.float32)  # a submission's scores side by side
    for reviewer in range(n):
        for line in range(width):
            lines[line, reviewer] = scores[reviewer, first + line]
    order, turns = np.empty((2, n), dtype=np.uint64), np.empty((2, n), dtype=np.uint64)
    values, wished = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.float32)
    bits, moved = values.view(np.uint32), np.zeros(n, dtype=np.bool_)
    for line in range(width):
        row = lines[line]
        some, lifts = reviewers[starts[line] : starts[line + 1]], strengths[starts[line] : starts[line + 1]]
        if len(some) == 0:
            continue
        _sort_falling(row.view(np.uint32), order)
        total, finite = 0.0, 0
        for place in range(n):
            bits[place] = _falling(np.uint32(order[0, place] >> np.uint64(32)))
            if values[place] != -np.inf:
                total, finite = total + values[place], finite + 1
        if finite == 0:
            continue
        spread = values[0] - total / finite
        for i in range(len(some)):
            wished[i] = row[some[i]] + spread * lifts[i]
            moved[some[i]] = True
        _sort_falling(wished[: len(some)].view(np.uint32), turns)
        turn, place = 0, 0
        for at in range(n):
            other = order[0, at] & _LOW
            if moved[other]:
                continue
            while turn < len(some) and wished[turns[0, turn] & _LOW] > values[at]:
                row[some[turns[0, turn] & _LOW]] = values[place]
                turn, place = turn + 1, place + 1
            row[other] = values[place]
            place += 1
        while turn < len(some):
            row[some[turns[0, turn] & _LOW]] = values[place]
            turn, place = turn + 1, place + 1
        moved[some] = False
    for reviewer in range(n):
        for line in range(width):
            scores[reviewer, first + line] = lines[line, reviewer]


@kernel
def gather_strengths(
    asks: NDArray[np.int64],  # (submissions + 1) where the works of each begin in `works` and `values`
    works: NDArray[np.int32],  # that submissions cite
    values: NDArray[np.float32],  # the weight of each in the submission, above 0
    postings: NDArray[np.int64],  # (works + 1) where the papers that cite each begin in `papers` and `weights`
    papers: NDArray[np.int32],  # that cite a work
    weights: NDArray[np.float32],  # of the work in them, above 0
    starts: NDArray[np.int64],  # (papers + 1) where the reviewers of each paper begin in `owners`
    owners: NDArray[np.int32],  # in whose profile a paper is
    cited: NDArray[np.int64],  # (submissions + 1) where the people whom each cites begin in `people` and `shares`
    people: NDArray[np.int32],  # reviewers who are cited
    shares: NDArray[np.float32],  # and how much that counts, above 0
    reviewers: int,  # how many there are
    weight: np.float32,  # of the largest product
    least: np.float32,  # smaller products count as none
    first: int,  # the first submission
    stop: int,  # behind the last one
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The arguments of `rearrange`: shares of people, and `weight` times the largest product with a paper of theirs."""
    product, touched = np.zeros(len(starts) - 1, dtype=np.float32), np.empty(len(starts), dtype=np.int32)
    best, strength = np.zeros(reviewers, dtype=np.float32), np.zeros(reviewers, dtype=np.float32)
    ends, count = np.zeros(stop - first + 1, dtype=np.int64), 0
    who = np.empty((stop - first) * reviewers, dtype=np.int32)
    how_much = np.empty((stop - first) * reviewers, dtype=np.float32)
    for submission in range(first, stop):
        met = 0
        for k in range(asks[submission], asks[submission + 1]):
            for p in range(postings[works[k]], postings[works[k] + 1]):
                touched[met] = papers[p]  # once each: no branch, which would often be guessed wrong
                met += product[papers[p]] == 0
                product[papers[p]] += weights[p] * values[k]
        for paper in touched[:met]:
            if product[paper] >= least:
                for at in range(starts[paper], starts[paper + 1]):
                    best[owners[at]] = max(best[owners[at]], product[paper])
            product[paper] = 0
        for at in range(cited[submission], cited[submission + 1]):
            strength[people[at]] = shares[at]
        for reviewer in range(reviewers):
            lift = strength[reviewer] + weight * best[reviewer]
            if lift > 0:
                who[count], how_much[count] = reviewer, lift
                strength[reviewer] = best[reviewer] = 0
                count += 1
        ends[submission - first + 1] = count
    return ends, who[:count].copy(), how_much[:count].copy()
