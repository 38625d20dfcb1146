"""The union of the best pairs of every submission and of every reviewer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import cores, each
from retriever.affinity.kernels.sparse import CLOSED, Keys, decode, reviewer_only_pairs, scatter


def unite(
    of_submissions: Keys, of_reviewers: Sequence[Keys], reviewer_ranks: Keys, submission_ranks: Keys
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """For each submission the pairs that it keeps, then those that only reviewers keep, best first.

    Args:
        of_submissions: (submissions, any number) the keys of each submission's best; sorted in place.
        of_reviewers: block by block, (reviewers, any number) the keys of each reviewer's best.
        reviewer_ranks: the rank of each reviewer by id.
        submission_ranks: the rank of each submission by id.

    Returns:
        (submissions + 1) where the pairs of each submission begin; the row of each pair's reviewer; its score.
    """
    of_submissions.sort(axis=1)
    count, width = of_submissions.shape
    least = of_submissions[:, 0].copy() if width else np.zeros(count, dtype=np.uint64)
    submissions, reviewers = (np.argsort(ranks).astype(np.int32) for ranks in (submission_ranks, reviewer_ranks))
    edges = np.cumsum([0, *map(len, of_reviewers)])

    def find_extra(block: int) -> tuple[NDArray[np.int32], Keys]:
        ranks = reviewer_ranks[edges[block] : edges[block + 1]]
        return reviewer_only_pairs(of_reviewers[block], ranks, submissions, least)

    found = each(find_extra, range(len(of_reviewers)))
    counts = np.zeros(count, dtype=np.int64)
    for rows, _ in found:
        counts += np.bincount(rows, minlength=count)
    extra_ends = np.cumsum(counts)
    extra_starts = extra_ends - counts
    extra, cursors = np.empty(counts.sum(), dtype=np.uint64), extra_starts.copy()
    for rows, keys in found:
        scatter(rows, keys, cursors, extra)
    lengths = np.count_nonzero(of_submissions > CLOSED, axis=1) + counts
    starts = np.append(0, np.cumsum(lengths))
    reviewer, bits = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.uint32)

    def finish(lines: range) -> None:
        for line in lines:
            extra[extra_starts[line] : extra_ends[line]].sort()
        group = (extra, extra_starts, extra_ends)
        decode(lines.start, lines.stop, of_submissions, *group, reviewers, starts, reviewer, bits)

    step = -(-count // (4 * cores())) or 1
    each(finish, [range(line, min(line + step, count)) for line in range(0, count, step)])
    return starts, reviewer, bits.view(np.float32)
