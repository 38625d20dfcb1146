"""What papers and submissions both cite, and the scores of a submission given to other reviewers.

Everybody who is moved takes a place in the order of scores, the others follow in theirs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, WrittenMatrix, helper, kernel

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


class Rows(NamedTuple):
    """A sparse matrix by rows. Its arrays are marked as written to, since numba has one type for a whole tuple."""

    starts: Written[np.int64]  # (rows + 1) where the entries of each begin
    columns: Written[np.int32]  # of the entries
    values: Written[np.float32]


@kernel
def gather_strengths(
    asks: Rows,  # (submissions, works) the weight of what each cites, above 0
    citing: Rows,  # (works, papers) the weight of a work in the papers that cite it, above 0
    owners: Rows,  # (papers, reviewers) in whose profile a paper is
    cited: Rows,  # (submissions, reviewers) how much it counts that somebody is cited, above 0
    reviewers: int,  # how many there are
    weight: np.float32,  # of the largest product
    least: np.float32,  # smaller products count as none
    first: int,  # the first submission
    stop: int,  # behind the last one
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The arguments of `rearrange`: shares of people, and `weight` times the largest product with a paper of theirs."""
    papers = len(owners.starts) - 1
    product, touched = np.zeros(papers, dtype=np.float32), np.empty(papers + 1, dtype=np.int32)
    best, strength = np.zeros(reviewers, dtype=np.float32), np.zeros(reviewers, dtype=np.float32)
    ends, count = np.zeros(stop - first + 1, dtype=np.int64), 0
    people = np.empty((stop - first) * reviewers, dtype=np.int32)
    strengths = np.empty((stop - first) * reviewers, dtype=np.float32)
    for submission in range(first, stop):
        met = 0
        for k in range(asks.starts[submission], asks.starts[submission + 1]):
            work = asks.columns[k]
            for p in range(citing.starts[work], citing.starts[work + 1]):
                paper = citing.columns[p]
                touched[met] = paper  # once each: no branch, which would often be guessed wrong
                met += product[paper] == 0
                product[paper] += citing.values[p] * asks.values[k]
        for paper in touched[:met]:
            if product[paper] >= least:
                for owner in owners.columns[owners.starts[paper] : owners.starts[paper + 1]]:
                    best[owner] = max(best[owner], product[paper])
            product[paper] = 0
        for entry in range(cited.starts[submission], cited.starts[submission + 1]):
            strength[cited.columns[entry]] = cited.values[entry]
        for reviewer in range(reviewers):
            lift = strength[reviewer] + weight * best[reviewer]
            if lift > 0:
                people[count], strengths[count] = reviewer, lift
                strength[reviewer] = best[reviewer] = 0
                count += 1
        ends[submission - first + 1] = count
    return ends, people[:count].copy(), strengths[:count].copy()
