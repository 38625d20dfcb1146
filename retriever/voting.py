"""Votes of papers for their authors, sorted into one list an author: compiled, in time linear in the votes.

`retriever.aggregate` has the same thing on arrays, by sorting; both give the same answer to the last bit.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from retriever.hashing import first_place, table_bits

_MANY = 50  # who tie: up to here putting each in its place beats a sort
_UPPER = np.uint64(0xFFFFFFFF00000000)


@numba.njit(nogil=True, cache=True)
def group_votes(
    units: NDArray[np.int64],
    weights: NDArray[np.float32],
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
    last_weight: np.float32,
    allowed: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The votes of each author, the heaviest first, ties by place in `units`.

    Args:
        units: what votes.
        weights: how much the vote of each weighs.
        unit_starts: row pointers of the authors of each unit.
        unit_authors: their numbers.
        last_weight: by how much a vote for the last author weighs more.
        allowed: a mask of authors; empty for all.

    Returns:
        The authors in the order in which they come up, where the votes of each begin and end, the votes as places in
        `units`, and their weights.
    """
    lasts = np.empty(len(units), dtype=np.int64)
    total = 0
    for vote in range(len(units)):
        total += unit_starts[units[vote] + 1] - unit_starts[units[vote]]
        lasts[vote] = total - 1
    # Gathered first, in a loop of its own: the processor waits for many places of memory at once.
    voted = np.empty(total, dtype=np.int32)
    pair = 0
    for unit in units:
        for entry in range(unit_starts[unit], unit_starts[unit + 1]):
            voted[pair] = unit_authors[entry]
            pair += 1
    bits = table_bits(total)
    table = np.full(1 << bits, -1, dtype=np.int32)
    mask = (1 << bits) - 1
    authors = np.empty(total, dtype=np.int32)
    slots = np.empty(total, dtype=np.int32)
    lengths = np.zeros(total + 1, dtype=np.int64)
    seen = 0
    for pair in range(total):
        author, slot = voted[pair], -1
        if len(allowed) == 0 or allowed[author]:
            place = first_place(author, bits)
            while table[place] >= 0 and authors[table[place]] != author:
                place = (place + 1) & mask
            if table[place] < 0:
                table[place] = seen
                authors[seen] = author
                seen += 1
            slot = table[place]
            lengths[slot] += 1
        slots[pair] = slot

    starts = np.empty(seen + 1, dtype=np.int64)
    starts[0] = 0
    for slot in range(seen):
        starts[slot + 1] = starts[slot] + lengths[slot]
    ends = starts[:-1].copy()
    votes = np.empty(starts[seen], dtype=np.int64)
    heavy = np.empty(starts[seen], dtype=np.float32)
    pair = 0
    for vote in range(len(units)):
        while pair <= lasts[vote]:
            slot = slots[pair]
            if slot >= 0:
                weight = weights[vote] * last_weight if pair == lasts[vote] else weights[vote]
                place = ends[slot]
                while place > starts[slot] and heavy[place - 1] < weight:  # papers come best first: seldom a step
                    votes[place], heavy[place] = votes[place - 1], heavy[place - 1]
                    place -= 1
                votes[place], heavy[place] = vote, weight
                ends[slot] += 1
            pair += 1
    return authors[:seen], starts, votes, heavy


@numba.njit(nogil=True, cache=True)
def best(weights: NDArray[np.float32], starts: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """The mean of the `most` heaviest votes of each author, where those who have fewer have votes of no weight."""
    scores = np.empty(len(starts) - 1, dtype=np.float64)
    for author in range(len(scores)):
        total = 0.0
        for vote in range(starts[author], min(starts[author + 1], starts[author] + most)):
            total += weights[vote]
        scores[author] = total / most
    return scores


def falling(scores: NDArray[np.float64], authors: NDArray[np.int32]) -> NDArray[np.int64]:
    """The positions of these scores, none of which is negative, highest first, ties by author.

    Sorted by their upper halves, with the positions in the lower ones, which is several times as fast as `argsort`; the
    few whose upper halves are equal are then put in order.
    """
    packed = ~(scores + 0.0).view(np.uint64)  # of floats above 0 the bits order as they do; -0 becomes 0
    packed &= _UPPER
    packed |= np.arange(len(scores), dtype=np.uint64)
    packed.sort()
    return _settle(packed, scores, authors)


@numba.njit(nogil=True, cache=True)
def _settle(packed: NDArray[np.uint64], scores: NDArray[np.float64], authors: NDArray[np.int32]) -> NDArray[np.int64]:
    order = (packed & ~_UPPER).astype(np.int64)
    first = 0
    for place in range(1, len(order) + 1):
        if place < len(order) and (packed[place] ^ packed[first]) & _UPPER == 0:
            continue
        tied = order[first:place]
        if len(tied) > _MANY:
            tied[:] = tied[np.argsort(authors[tied])]
            tied[:] = tied[np.argsort(-scores[tied], kind="mergesort")]
        else:
            for end in range(1, len(tied)):
                one, to = tied[end], end
                while to > 0 and _before(one, tied[to - 1], scores, authors):
                    tied[to] = tied[to - 1]
                    to -= 1
                tied[to] = one
        first = place
    return order


@numba.njit(nogil=True, cache=True, inline="always")
def _before(one: int, other: int, scores: NDArray[np.float64], authors: NDArray[np.int32]) -> bool:
    return bool(scores[one] > scores[other] or (scores[one] == scores[other] and authors[one] < authors[other]))


@numba.njit(nogil=True, cache=True)
def arrange(
    order: NDArray[np.int64], starts: NDArray[np.int64], votes: NDArray[np.int64], weights: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The lists of votes in this order of authors: where each begins and ends, the votes, their weights."""
    new_starts = np.empty(len(order) + 1, dtype=np.int64)
    new_votes, new_weights = np.empty_like(votes), np.empty_like(weights)
    new_starts[0] = end = 0
    for place in range(len(order)):
        for vote in range(starts[order[place]], starts[order[place] + 1]):
            new_votes[end], new_weights[end] = votes[vote], weights[vote]
            end += 1
        new_starts[place + 1] = end
    return new_starts, new_votes, new_weights
