"""The union of every submission's and every reviewer's best pairs, compiled, over keys as `matrix` describes them."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from indexing.parallel import cores, each
from retriever.affinity.sparse import Keys

_HALF, _LOW, _SIGN = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0x80000000)


def unite(
    of_submissions: Keys, of_reviewers: Sequence[Keys], reviewer_ranks: Keys, submission_ranks: Keys
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """For each submission its own best pairs, then those that only reviewers have, the best first.

    Args:
        of_submissions: (submissions, any number) the keys of each submission's best; sorted in place.
        of_reviewers: (reviewers, any number) the keys of each reviewer's best, panel by panel.
        reviewer_ranks: the place of each reviewer by id.
        submission_ranks: the place of each submission by id.

    Returns:
        (submissions + 1) where the pairs of each submission begin; the reviewer of each pair; its score.
    """
    of_submissions.sort(axis=1)
    count, width = of_submissions.shape
    least = of_submissions[:, 0].copy() if width else np.zeros(count, dtype=np.uint64)
    submissions, reviewers = (np.argsort(ranks).astype(np.int32) for ranks in (submission_ranks, reviewer_ranks))
    edges = np.cumsum([0, *map(len, of_reviewers)])

    def pick(panel: int) -> tuple[NDArray[np.int32], Keys]:
        return others(of_reviewers[panel], reviewer_ranks[edges[panel] : edges[panel + 1]], submissions, least)

    picked = each(pick, range(len(of_reviewers)))
    extra = np.zeros(count, dtype=np.int64)
    for owners, _ in picked:
        extra += np.bincount(owners, minlength=count)
    ends = np.cumsum(extra)
    begins = ends - extra
    more, cursors = np.empty(extra.sum(), dtype=np.uint64), begins.copy()
    for owners, keys in picked:
        hand_out(owners, keys, cursors, more)
    lengths = np.count_nonzero(of_submissions > _LOW, axis=1) + extra
    starts = np.append(0, np.cumsum(lengths))
    reviewer, bits = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.uint32)

    def finish(lines: range) -> None:
        for line in lines:
            more[begins[line] : ends[line]].sort()
        spell(lines.start, lines.stop, of_submissions, more, begins, ends, reviewers, starts, reviewer, bits)

    step = -(-count // (4 * cores())) or 1
    each(finish, [range(line, min(line + step, count)) for line in range(0, count, step)])
    return starts, reviewer, bits.view(np.float32)


@numba.njit(nogil=True, cache=True)
def others(best: Keys, ranks: Keys, submissions: NDArray[np.int32], least: Keys) -> tuple[NDArray[np.int32], Keys]:
    """The pairs of a panel's reviewers that are not among their submission's best.

    Args:
        best: (reviewers, any number) keys of submissions.
        ranks: of these reviewers.
        submissions: by rank.
        least: the least key that each submission keeps.

    Returns:
        The submission of each, and its key as one of the submission.
    """
    owners, keys = np.empty(best.size, dtype=np.int32), np.empty(best.size, dtype=np.uint64)
    count = 0
    for row in range(best.shape[0]):
        for key in best[row]:
            if key > _LOW:
                submission = submissions[_LOW - (key & _LOW)]
                turned = (key & ~_LOW) | (_LOW - ranks[row])
                if turned < least[submission]:
                    owners[count], keys[count] = submission, turned
                    count += 1
    return owners[:count], keys[:count]


@numba.njit(nogil=True, cache=True)
def hand_out(owners: NDArray[np.int32], keys: Keys, cursors: NDArray[np.int64], more: Keys) -> None:
    """Put each key where its owner's next one goes."""
    for place in range(len(owners)):
        more[cursors[owners[place]]] = keys[place]
        cursors[owners[place]] += 1


@numba.njit(nogil=True, cache=True)
def spell(
    first: int,
    last: int,
    own: Keys,
    more: Keys,
    more_starts: NDArray[np.int64],
    more_ends: NDArray[np.int64],
    reviewers: NDArray[np.int32],
    starts: NDArray[np.int64],
    reviewer: NDArray[np.int64],
    bits: NDArray[np.uint32],
) -> None:
    """Write the reviewers and the bits of the scores of some submissions; all keys ascend."""
    for line in range(first, last):
        place = starts[line]
        for column in range(own.shape[1] - 1, -1, -1):
            if own[line, column] <= _LOW:
                break
            reviewer[place], bits[place] = reviewers[_LOW - (own[line, column] & _LOW)], _bits(own[line, column])
            place += 1
        for column in range(more_ends[line] - 1, more_starts[line] - 1, -1):
            reviewer[place], bits[place] = reviewers[_LOW - (more[column] & _LOW)], _bits(more[column])
            place += 1


@numba.njit(nogil=True, cache=True, inline="always")
def _bits(key: np.uint64) -> np.uint32:
    """The bits of the score that `kernels.make_keys` made this key of."""
    order = key >> _HALF
    return np.uint32(order ^ _SIGN if order >= _SIGN else order ^ _LOW)
