"""The kernels of aggregation: votes of papers are grouped by author, pooled and put in order, in linear time."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import helper, kernel

_UPPER = np.uint64(0xFFFFFFFF00000000)
_SPREAD = 2654435769  # 2³² divided by the golden ratio: neighbouring numbers get distant slots


@helper
def table_bits(entries: int) -> int:
    """The logarithm of a table's size that leaves half of it free."""
    bits = 4
    while (1 << bits) < 2 * entries:
        bits += 1
    return bits


@helper
def first_slot(number: int, bits: int) -> np.int64:
    """The slot at which a number is looked for first."""
    return ((np.int64(number) * _SPREAD) & 0xFFFFFFFF) >> (32 - bits)


@helper
def power(base: np.float32, exponent: float) -> np.float32:
    """The power, rounded once; a whole exponent by repeated multiplication, whose order is the same everywhere."""
    left = int(exponent)
    if left != exponent or left < 0:
        return np.float32(np.float64(base) ** exponent)
    result, factor = 1.0, np.float64(base)
    while left > 0:
        if left & 1:
            result *= factor
        factor *= factor
        left >>= 1
    return np.float32(result)


@kernel
def group_votes(
    units: NDArray[np.int64],
    scores: NDArray[np.float32],
    sharpness: float,
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
    last_author_weight: np.float32,
    allowed: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The votes of each author, the heaviest first, ties by position in `units`.

    A vote weighs the score of its unit to the power of the sharpness, that for the last author times their weight; an
    empty mask allows all authors.

    Returns:
        The authors in the order in which they are met, where the votes of each begin and end, the votes as positions in
        `units`, and their weights.
    """
    ends_of = np.empty(len(units), dtype=np.int64)
    total = 0
    for vote in range(len(units)):
        total += unit_starts[units[vote] + 1] - unit_starts[units[vote]]
        ends_of[vote] = total
    # Gathered first, in a loop of its own: the processor waits for many reads of memory at once.
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
    rows = np.empty(total, dtype=np.int32)
    lengths = np.zeros(total + 1, dtype=np.int64)
    seen = 0
    for pair in range(total):
        author, row = voted[pair], -1
        if len(allowed) == 0 or allowed[author]:
            slot = first_slot(author, bits)
            while table[slot] >= 0 and authors[table[slot]] != author:
                slot = (slot + 1) & mask
            if table[slot] < 0:
                table[slot] = seen
                authors[seen] = author
                seen += 1
            row = table[slot]
            lengths[row] += 1
        rows[pair] = row

    starts = np.empty(seen + 1, dtype=np.int64)
    starts[0] = 0
    for row in range(seen):
        starts[row + 1] = starts[row] + lengths[row]
    ends = starts[:-1].copy()
    votes = np.empty(starts[seen], dtype=np.int64)
    weights = np.empty(starts[seen], dtype=np.float32)
    pair = 0
    for vote in range(len(units)):
        plain = power(scores[vote], sharpness)
        while pair < ends_of[vote]:
            row = rows[pair]
            pair += 1
            if row >= 0:
                weight = plain * last_author_weight if pair == ends_of[vote] else plain
                slot = ends[row]
                while slot > starts[row] and weights[slot - 1] < weight:  # papers come best first: seldom a step
                    votes[slot], weights[slot] = votes[slot - 1], weights[slot - 1]
                    slot -= 1
                votes[slot], weights[slot] = vote, weight
                ends[row] += 1
    return authors[:seen], starts, votes, weights


@kernel
def mean_of_best(weights: NDArray[np.float32], starts: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """The mean of the `most` heaviest votes of each author; votes that are missing weigh nothing."""
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
    packed = ~(scores + 0.0).view(np.uint64)  # the bits of floats above 0 have the order of the floats; -0 becomes 0
    packed &= _UPPER
    packed |= np.arange(len(scores), dtype=np.uint64)
    packed.sort()
    return order_equal_halves(packed, scores, authors)


@helper
def _before(first: int, second: int, scores: NDArray[np.float64], authors: NDArray[np.int32]) -> bool:
    return bool(
        scores[first] > scores[second] or (scores[first] == scores[second] and authors[first] < authors[second])
    )


@kernel
def order_equal_halves(
    packed: NDArray[np.uint64], scores: NDArray[np.float64], authors: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The positions in `packed`, where those with equal upper halves are put in order by score and author."""
    order = (packed & ~_UPPER).astype(np.int64)
    begin = 0
    for end in range(1, len(order) + 1):
        if end < len(order) and (packed[end] ^ packed[begin]) & _UPPER == 0:
            continue
        gap = (end - begin) // 2  # Shell's sort: most runs are short, but thousands may have the same score
        while gap > 0:
            for number in range(begin + gap, end):
                moved, to = order[number], number
                while to >= begin + gap and _before(moved, order[to - gap], scores, authors):
                    order[to] = order[to - gap]
                    to -= gap
                order[to] = moved
            gap = 1 if gap == 2 else gap * 5 // 11
        begin = end
    return order


@kernel
def arrange(
    order: NDArray[np.int64], starts: NDArray[np.int64], votes: NDArray[np.int64], weights: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The votes in this order of authors: where those of each author begin and end, the votes, their weights."""
    new_starts = np.empty(len(order) + 1, dtype=np.int64)
    new_votes, new_weights = np.empty_like(votes), np.empty_like(weights)
    new_starts[0] = end = 0
    for row in range(len(order)):
        for vote in range(starts[order[row]], starts[order[row] + 1]):
            new_votes[end], new_weights[end] = votes[vote], weights[vote]
            end += 1
        new_starts[row + 1] = end
    return new_starts, new_votes, new_weights
