"""The matrix at scale: scores come block by block, and only what the assignment can use is kept.

As in OpenReview, a pair is kept if the reviewer is among the k best of the submission, or the submission among the k
best of the reviewer; ties by id. Memory holds one block and k pairs per submission and per reviewer, however many pairs
there are. `kernels.sparse` says how candidates are compared.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import cores, map_parallel
from panelist.errors import InputError
from retriever.affinity.kernels.sparse import (
    CLOSED,
    Keys,
    decode,
    make_keys,
    make_larger_keys,
    reviewer_only_pairs,
    scatter,
)
from retriever.affinity.model import Blocks, spans

_CHUNK = 1 << 19  # keys partitioned at a time: 4 MB


@dataclass(frozen=True, slots=True, eq=False)
class SparseScores:
    """The pairs that were kept, by submission."""

    submissions: tuple[str, ...]  # ids
    reviewers: tuple[str, ...]  # ids
    starts: NDArray[np.int64]  # (submissions + 1) where the pairs of each submission begin
    reviewer: NDArray[np.int64]  # the reviewer of each pair, best first, as a row number of `reviewers`
    scores: NDArray[np.float32] | NDArray[np.float64]  # of each pair, raw; float32 if a model computed them

    @property
    def submission(self) -> NDArray[np.int64]:
        """The submission of each pair, as a row number of `submissions`."""
        return np.repeat(np.arange(len(self.submissions)), np.diff(self.starts))

    def rows(self) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.float32] | NDArray[np.float64]]]:
        """Each submission with its reviewers and scores."""
        for submission, start, stop in zip(self.submissions, self.starts[:-1], self.starts[1:], strict=True):
            yield submission, self.reviewer[start:stop], self.scores[start:stop]


def sparse_scores(
    blocks: Blocks,  # the scores; -inf marks a pair that must not be chosen
    submissions: Sequence[str],  # their ids
    reviewers: Sequence[str],  # their ids
    k: int | None = None,  # how many; None keeps every pair
    *,
    reviewers_too: bool = True,  # without it only every submission's best are kept, to rank reviewers
    # called with every block and the number of its first reviewer
    watch: Callable[[int, NDArray[np.float32]], None] = lambda start, block: None,
) -> SparseScores:
    """Compute all scores and keep the union of every submission's and every reviewer's `k` best."""
    if k is not None and k < 1:
        raise InputError(f"a sparse matrix keeps at least 1 pair per line, received {k}")
    of_submissions = np.zeros((len(submissions), 0), dtype=np.uint64)
    of_reviewers = [np.zeros((0, 0), dtype=np.uint64)]
    reviewer_ranks, submission_ranks = _ranks(reviewers), _ranks(submissions)
    for start, stop in spans(blocks):
        block = blocks.block(start, stop)
        watch(start, block)
        by_reviewer = np.ascontiguousarray(block.T)  # no copy where the block is column-major, as pooled ones are
        of_submissions = _best(
            by_reviewer, reviewer_ranks[start:stop], k or len(reviewers), of_submissions, columns=True
        )
        if k is not None and reviewers_too:
            no_keys = np.zeros((stop - start, 0), dtype=np.uint64)
            of_reviewers.append(_best(by_reviewer, submission_ranks, k, no_keys))
    united = _unite(of_submissions, of_reviewers, reviewer_ranks, submission_ranks)
    return SparseScores(tuple(submissions), tuple(reviewers), *united)


def _best(
    scores: NDArray[np.float32],  # lines are its rows, or its columns
    ranks: Keys,  # of the candidates
    k: int,  # how many
    previous: Keys,  # (lines, any number) the keys kept so far; none where lines are rows
    *,
    columns: bool = False,  # whether lines are columns
) -> Keys:
    """The `k` largest keys of every line, or all where there are fewer, among those held and the new ones."""
    bits = scores.view(np.uint32)
    held = previous.shape[1]
    best = np.empty((len(previous), min(k, held + len(ranks))), dtype=np.uint64)

    def choose(lines: slice) -> None:
        keys = np.empty((lines.stop - lines.start, held + len(ranks)), dtype=np.uint64)
        keys[:, :held] = previous[lines]
        width = held + len(ranks)
        if columns:  # most candidates of a later block are not among the best, and their score alone shows it
            least = keys[:, :held].min(axis=1) if held == k else np.zeros(len(keys), dtype=np.uint64)
            width = held + make_larger_keys(scores, bits, lines.start, ranks, least, held, keys.reshape(-1))
        else:
            make_keys(scores[lines], bits[lines], ranks, keys)
        if k < width:
            keys[:, :width].partition(width - k, axis=1)
        best[lines] = keys[:, width - best.shape[1] : width]

    height = max(1, _CHUNK // max(held + len(ranks), 1))
    map_parallel(choose, [slice(line, min(line + height, len(previous))) for line in range(0, len(previous), height)])
    return best


def _unite(
    of_submissions: Keys,  # (submissions, any number) the keys of each submission's best; sorted in place
    of_reviewers: Sequence[Keys],  # block by block, (reviewers, any number) the keys of each reviewer's best
    reviewer_ranks: Keys,  # the rank of each reviewer by id
    submission_ranks: Keys,  # the rank of each submission by id
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """For each submission the pairs that it keeps, then those that only reviewers keep, best first.

    Returns:
        (submissions + 1) where the pairs of each submission begin; the row of each pair's reviewer; its score.
    """
    of_submissions.sort(axis=1)
    count, width = of_submissions.shape
    least = of_submissions[:, 0].copy() if width else np.zeros(count, dtype=np.uint64)
    submissions, reviewers = (np.argsort(ranks).astype(np.int32) for ranks in (submission_ranks, reviewer_ranks))
    blocks = list(zip(of_reviewers, np.split(reviewer_ranks, np.cumsum([*map(len, of_reviewers)])[:-1]), strict=True))
    extras = map_parallel(lambda block: reviewer_only_pairs(*block, submissions, least), blocks)
    counts = np.zeros(count, dtype=np.int64)
    for rows, _ in extras:
        counts += np.bincount(rows, minlength=count)
    extra_ends = np.cumsum(counts)
    extra_starts = extra_ends - counts
    extra, cursors = np.empty(counts.sum(), dtype=np.uint64), extra_starts.copy()
    for rows, keys in extras:
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
    map_parallel(finish, [range(line, min(line + step, count)) for line in range(0, count, step)])
    return starts, reviewer, bits.view(np.float32)


def _ranks(ids: Sequence[str]) -> Keys:
    """The position of each id among all ids in ascending order."""
    ranks = np.empty(len(ids), dtype=np.uint64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.uint64)
    return ranks
