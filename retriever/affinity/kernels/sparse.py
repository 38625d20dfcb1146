"""Keys of candidates, and the union of the best pairs of submissions and reviewers.

A candidate of a line is one 64-bit key: the score in the upper half, the reverse of its rank by id in the lower half.
A larger key is a better candidate, and no two keys of a line are equal, so partitioning keys selects the k best.
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, WrittenMatrix, helper, kernel

Keys = NDArray[np.uint64]

LOW, SIGN = np.uint64(0xFFFFFFFF), np.uint32(0x80000000)

CLOSED = np.uint64(0x007FFFFF_FFFFFFFF)
"""Keys up to this one stand for a score of -inf: a pair that must not be chosen."""


@helper
def _key(score: np.float32, bits: np.uint32, rank: np.uint64) -> np.uint64:
    """The bits of floats compare like integers once those of negative numbers are inverted."""
    rising = ~bits if score < 0 else SIGN if score == 0 else bits | SIGN  # -0 is 0
    return (np.uint64(rising) << np.uint64(32)) | (LOW - rank)


@helper
def _bits(key: np.uint64) -> np.uint32:
    """The bits of the score that `_key` made this key of."""
    rising = np.uint32(key >> np.uint64(32))
    return rising ^ SIGN if rising >= SIGN else ~rising


@kernel
def make_keys(
    scores: Matrix[np.float32],  # (lines, candidates), no NaN
    bits: Matrix[np.uint32],  # the same memory, seen as integers
    ranks: Keys,  # (candidates), below 2³²
    keys: WrittenMatrix[np.uint64],  # (lines, candidates)
) -> None:
    """Keys that rise with the score, and of equal scores fall with the rank."""
    for line in range(len(scores)):
        for candidate in range(len(ranks)):
            keys[line, candidate] = _key(scores[line, candidate], bits[line, candidate], ranks[candidate])


@kernel
def make_larger_keys(
    scores: Matrix[np.float32],  # (candidates, lines), no NaN
    bits: Matrix[np.uint32],  # the same memory, seen as integers
    offset: int,  # the first of these lines
    ranks: Keys,  # (candidates), below 2³²
    least: Keys,  # (these lines) only larger keys are written
    skip: int,  # how many keys each line has already; the new ones come after them
    keys: Written[np.uint64],  # (these lines × (skip + candidates)), line by line
) -> int:
    """As `make_keys`, of (candidates, lines) scores, and only the keys above the least that a line wants.

    Returns:
        The largest number of new keys in a line; lines with fewer are filled up with 0.
    """
    counts = np.zeros(len(least), dtype=np.int64)
    width = skip + len(ranks)
    for candidate in range(scores.shape[0]):
        for line in range(len(least)):
            key = _key(scores[candidate, offset + line], bits[candidate, offset + line], ranks[candidate])
            if key > least[line]:
                keys[line * width + skip + counts[line]] = key
                counts[line] += 1
    most = int(counts.max())
    for line in range(len(counts)):
        keys[line * width + skip + counts[line] : line * width + skip + most] = 0
    return most


@kernel
def reviewer_only_pairs(
    best: Matrix[np.uint64],  # (reviewers, any number) keys of submissions
    ranks: Keys,  # (reviewers) the rank of each reviewer by id
    submissions: NDArray[np.int32],  # row of each submission, by rank
    least: Keys,  # (submissions) the least key that each submission keeps
) -> tuple[NDArray[np.int32], Keys]:
    """The pairs that a reviewer keeps and the submission does not.

    Returns:
        The row of each pair's submission, and the pair's key among the candidates of that submission.
    """
    rows, keys = np.empty(best.size, dtype=np.int32), np.empty(best.size, dtype=np.uint64)
    count = 0
    for reviewer in range(best.shape[0]):
        for key in best[reviewer]:
            if key > CLOSED:
                row = submissions[LOW - (key & LOW)]
                transposed = (key & ~LOW) | (LOW - ranks[reviewer])
                if transposed < least[row]:
                    rows[count], keys[count] = row, transposed
                    count += 1
    return rows[:count], keys[:count]


@kernel
def scatter(rows: NDArray[np.int32], keys: Keys, ends: Written[np.int64], grouped: Written[np.uint64]) -> None:
    """Append each key to the group of its row in `grouped`; `ends` says where each group ends so far."""
    for i in range(len(rows)):
        grouped[ends[rows[i]]] = keys[i]
        ends[rows[i]] += 1


@kernel
def decode(
    offset: int,  # the first submission
    last: int,  # the one after the last submission
    best: Matrix[np.uint64],  # (submissions, any number) the keys that each submission keeps, ascending
    extra: Keys,  # the keys that only reviewers keep, grouped by submission, ascending in each group
    extra_starts: NDArray[np.int64],  # where the group of each submission begins
    extra_ends: NDArray[np.int64],  # where it ends
    reviewers: NDArray[np.int32],  # row of each reviewer, by rank
    starts: NDArray[np.int64],  # where the pairs of each submission begin in `reviewer` and `bits`
    reviewer: Written[np.int64],  # overwritten
    bits: Written[np.uint32],  # overwritten
) -> None:
    """Write the reviewers and the bits of the scores of submissions `offset` to `last`, best first."""
    for line in range(offset, last):
        pair = starts[line]
        for column in range(best.shape[1] - 1, -1, -1):
            if best[line, column] <= CLOSED:
                break
            reviewer[pair], bits[pair] = reviewers[LOW - (best[line, column] & LOW)], _bits(best[line, column])
            pair += 1
        for column in range(extra_ends[line] - 1, extra_starts[line] - 1, -1):
            reviewer[pair], bits[pair] = reviewers[LOW - (extra[column] & LOW)], _bits(extra[column])
            pair += 1
