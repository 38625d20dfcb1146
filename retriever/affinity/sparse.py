"""The matrix at scale: scores stream by panel by panel, and only what the assignment can use is kept.

As OpenReview does it, a pair is kept if the reviewer is among the k best of the submission, or the submission among the
k best of the reviewer; ties by id. Memory holds one panel and k pairs a line, however many pairs there are.

A candidate is one 64-bit key, the score above and the reverse of its rank by id below: a larger key is a better
candidate, and no two are equal, so that plain partitions of keys choose the k best of a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import each
from panelist.errors import InputError
from retriever.affinity.model import Panels, spans

Keys = NDArray[np.uint64]
_CHUNK = 1 << 19  # keys partitioned at a time: 4 MB


@dataclass(frozen=True, slots=True, eq=False)
class SparseScores:
    """The pairs that were kept, by submission.

    Attributes:
        submissions: ids.
        reviewers: ids.
        starts: (submissions + 1) where the pairs of each submission begin.
        reviewer: the reviewer of each pair, best first, as an ordinal into `reviewers`.
        scores: float32, raw.
    """

    submissions: tuple[str, ...]
    reviewers: tuple[str, ...]
    starts: NDArray[np.int64]
    reviewer: NDArray[np.int64]
    scores: NDArray[np.float32]

    def rows(self) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.float32]]]:
        """Each submission with its reviewers and scores."""
        for submission, start, stop in zip(self.submissions, self.starts[:-1], self.starts[1:], strict=True):
            yield submission, self.reviewer[start:stop], self.scores[start:stop]


def sparse_scores(
    panels: Panels,
    submissions: Sequence[str],
    reviewers: Sequence[str],
    k: int | None = None,
    *,
    reviewers_too: bool = True,
    watch: Callable[[int, NDArray[np.float32]], None] = lambda start, panel: None,
) -> SparseScores:
    """Compute all scores and keep the union of every submission's and every reviewer's `k` best.

    Args:
        panels: the scores; -inf marks a pair that must not be chosen.
        submissions: their ids.
        reviewers: their ids.
        k: how many; None keeps every pair.
        reviewers_too: without it only every submission's best are kept, to rank reviewers.
        watch: shown every panel, with the number of its first reviewer.

    Raises:
        InputError: `k` is below 1.
    """
    from retriever.affinity.union import unite

    if k is not None and k < 1:
        raise InputError(f"a sparse matrix keeps at least 1 pair a line, received {k}")
    of_submissions = np.zeros((len(submissions), 0), dtype=np.uint64)
    of_reviewers = [np.zeros((0, 0), dtype=np.uint64)]
    reviewer_ranks, submission_ranks = _ranks(reviewers), _ranks(submissions)
    for start, stop in spans(panels):
        panel = panels.panel(start, stop)
        watch(start, panel)
        of_submissions = _best(panel, reviewer_ranks[start:stop], k or len(reviewers), of_submissions, columns=True)
        if k is not None and reviewers_too:
            none = np.zeros((stop - start, 0), dtype=np.uint64)
            of_reviewers.append(_best(panel, submission_ranks, k, none))
    united = unite(of_submissions, of_reviewers, reviewer_ranks, submission_ranks)
    return SparseScores(tuple(submissions), tuple(reviewers), *united)


def _best(scores: NDArray[np.float32], ranks: Keys, k: int, held: Keys, *, columns: bool = False) -> Keys:
    """The `k` largest keys of every line, or all where there are fewer, among those held and the new ones.

    Args:
        scores: lines are its rows, or its columns.
        ranks: of the candidates.
        k: how many.
        held: (lines, any number) keys from before.
        columns: whether lines are columns.
    """
    from retriever.affinity.kernels import make_keys, make_larger_keys

    bits = scores.view(np.uint32)
    before = held.shape[1]
    kept = np.empty((len(held), min(k, before + len(ranks))), dtype=np.uint64)

    def choose(lines: slice) -> None:
        keys = np.empty((lines.stop - lines.start, before + len(ranks)), dtype=np.uint64)
        keys[:, :before] = held[lines]
        width = before + len(ranks)
        if columns:  # of most candidates of a later panel the score says already that they are not among the best
            least = keys[:, :before].min(axis=1) if before == k else np.zeros(len(keys), dtype=np.uint64)
            width = before + make_larger_keys(scores[:, lines], bits[:, lines], ranks, least, keys[:, before:])
        else:
            make_keys(scores[lines], bits[lines], ranks, keys[:, before:])
        if k < width:
            keys[:, :width].partition(width - k, axis=1)
        kept[lines] = keys[:, width - kept.shape[1] : width]

    height = max(1, _CHUNK // max(before + len(ranks), 1))
    each(choose, [slice(line, min(line + height, len(held))) for line in range(0, len(held), height)])
    return kept


def _ranks(ids: Sequence[str]) -> Keys:
    """The place of each id among all in ascending order."""
    ranks = np.empty(len(ids), dtype=np.uint64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.uint64)
    return ranks
