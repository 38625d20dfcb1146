"""What papers and submissions both cite, and the scores of a submission given to other reviewers.

Everybody who is moved takes a place in the order of scores, the others follow in theirs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, WrittenMatrix, helper, kernel

_DIGIT = 11  # bits of a pass: three passes sort 32 bits, and their counts stay in the processor's cache


@helper
def _sort_falling(
    bits: NDArray[np.uint32],  # (n) of the floats; -0 is below 0
    keys: NDArray[np.uint32],  # (2, n or more) space
    order: NDArray[np.uint32],  # (2, n or more) space; the second row begins with the result
) -> None:
    """Positions of floats, given by their bits, by falling value, ties by position: a radix sort."""
    n = len(bits)
    for i in range(n):
        sign = bits[i] >> np.uint32(31)
        keys[0, i] = bits[i] if sign else bits[i] ^ np.uint32(0x7FFFFFFF)
        order[0, i] = i
    starts = np.zeros((1 << _DIGIT) + 1, dtype=np.int64)
    for number in range(3):
        shift, mask = np.uint32(number * _DIGIT), np.uint32((1 << _DIGIT) - 1)
        starts[:] = 0
        old, new = number % 2, 1 - number % 2
        for i in range(n):
            starts[((keys[old, i] >> shift) & mask) + 1] += 1
        for digit in range(1 << _DIGIT):
            starts[digit + 1] += starts[digit]
        for i in range(n):
            digit = (keys[old, i] >> shift) & mask
            keys[new, starts[digit]], order[new, starts[digit]] = keys[old, i], order[old, i]
            starts[digit] += 1


@kernel
def rearrange(
    scores: WrittenMatrix[np.float32],  # (submissions, reviewers), no NaN, overwritten; -inf stays where it is
    bits: Matrix[np.uint32],  # the same memory, seen as integers
    strengths: Matrix[np.float32],  # (submissions, reviewers) above 0 for those who are moved, else 0
    first: int,  # the first submission
    stop: int,  # behind the last one
) -> None:
    """Give the scores of submissions `first` to `stop` to their reviewers in the order of score + spread · strength.

    `spread` is the best score less the mean of all, -inf left out. Ties by position, those who are not moved first.
    """
    n = scores.shape[1]
    keys, order = np.empty((2, n), dtype=np.uint32), np.empty((2, n), dtype=np.uint32)
    turns = np.empty((2, n), dtype=np.uint32)
    values = np.empty(n, dtype=np.float32)
    for row in range(first, stop):
        some = np.flatnonzero(strengths[row])
        if len(some) == 0:
            continue
        _sort_falling(bits[row], keys, order)
        total, finite = 0.0, 0
        for place in range(n):
            values[place] = scores[row, order[1, place]]
            if values[place] != -np.inf:
                total, finite = total + values[place], finite + 1
        if finite == 0:
            continue
        spread = values[0] - total / finite
        wished = np.empty(len(some), dtype=np.float32)
        for i in range(len(some)):
            wished[i] = scores[row, some[i]] + spread * strengths[row, some[i]]
        _sort_falling(wished.view(np.uint32), keys, turns)
        turn, place = 0, 0
        for at in range(n):
            other = order[1, at]
            if strengths[row, other] > 0:
                continue
            while turn < len(some) and wished[turns[1, turn]] > values[at]:
                scores[row, some[turns[1, turn]]] = values[place]
                turn, place = turn + 1, place + 1
            scores[row, other] = values[place]
            place += 1
        while turn < len(some):
            scores[row, some[turns[1, turn]]] = values[place]
            turn, place = turn + 1, place + 1


@kernel
def add_shared(
    starts: NDArray[np.int64],  # (reviewers + 1) where the papers of each begin in `members`
    members: NDArray[np.int64],  # the papers of all
    papers: NDArray[np.int64],  # (papers + 1) where the works of each begin in `works` and `weights`
    works: NDArray[np.int32],  # that papers cite
    weights: NDArray[np.float32],  # of these, above 0
    postings: NDArray[np.int64],  # (works + 1) where the submissions that cite each begin in `submissions` and `values`
    submissions: NDArray[np.int32],  # that cite a work
    values: NDArray[np.float32],  # the weight of the work in them, above 0
    weight: np.float32,  # of the largest product
    least: np.float32,  # smaller products count as none
    first: int,  # the first reviewer, the first row of `out`
    stop: int,  # behind the last one
    out: WrittenMatrix[np.float32],  # (reviewers, submissions)
) -> None:
    """Add `weight` times the largest product of a paper of reviewers `first` to `stop` with each submission."""
    product, best = np.zeros(out.shape[1], dtype=np.float32), np.zeros(out.shape[1], dtype=np.float32)
    touched = np.empty(out.shape[1], dtype=np.int32)
    for reviewer in range(first, stop):
        for member in members[starts[reviewer] : starts[reviewer + 1]]:
            count = 0
            for k in range(papers[member], papers[member + 1]):
                for p in range(postings[works[k]], postings[works[k] + 1]):
                    if product[submissions[p]] == 0:
                        touched[count] = submissions[p]
                        count += 1
                    product[submissions[p]] += weights[k] * values[p]
            for at in touched[:count]:
                best[at] = max(best[at], product[at])
                product[at] = 0
        row = out[reviewer - first]
        for at in range(len(best)):
            if best[at] >= least:
                row[at] += weight * best[at]
            best[at] = 0
