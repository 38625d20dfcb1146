"""The matrix at scale: scores stream by panel by panel, and only what the assignment can use is kept.

As OpenReview does it, a pair is kept if the reviewer is among the k best of the submission, or the submission among the
k best of the reviewer; ties by id. Memory holds one panel and k pairs a line, however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import cores, each
from panelist.errors import InputError
from retriever.affinity.model import Panels, spans

Keys = NDArray[np.uint64]
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)  # of a key, see `selection_kernels`


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
    watch: Callable[[int, NDArray[np.float32]], None] = lambda start, panel: None,
) -> SparseScores:
    """Compute all scores and keep the union of every submission's and every reviewer's `k` best.

    Args:
        panels: the scores; -inf marks a pair that must not be chosen.
        submissions: their ids.
        reviewers: their ids.
        k: how many; None keeps every pair.
        watch: shown every panel, with the number of its first reviewer.

    Raises:
        InputError: `k` is below 1.
    """
    if k is not None and k < 1:
        raise InputError(f"a sparse matrix keeps at least 1 pair a line, received {k}")
    of_submissions = _Best(len(submissions), k or len(reviewers), _ranks(reviewers))
    by_id = _ranks(submissions)
    found = []
    for start, stop in spans(panels):
        panel = panels.panel(start, stop)
        watch(start, panel)
        ordered = _ordered(panel)
        of_submissions.offer_columns(ordered, start)
        if k is not None:
            of_reviewers = _Best(stop - start, k, by_id)
            of_reviewers.offer_rows(ordered)
            reviewer, submission, score = of_reviewers.kept()
            found.append((start + reviewer, submission, score))
    return _union(tuple(submissions), tuple(reviewers), of_submissions, found)


class _Best:
    """The `k` best candidates of each line; see `selection_kernels`."""

    def __init__(self, lines: int, k: int, ranks: NDArray[np.uint32]) -> None:
        self.k, self.ranks = max(min(k, len(ranks)), 1), ranks
        self.by_rank = np.argsort(ranks)
        self.keys = np.empty((lines, min(2 * self.k, len(ranks) + 1)), dtype=np.uint64)
        self.counts = np.zeros(lines, dtype=np.int64)
        self.floors = np.zeros(lines, dtype=np.uint64)

    def offer_columns(self, ordered: NDArray[np.uint32], first: int) -> None:
        """Offer candidates `first` … (rows) to all lines (columns)."""
        from retriever.affinity.selection_kernels import offer_columns

        ranks = self.ranks[first : first + len(ordered)]
        each(lambda part: offer_columns(ordered[:, part], ranks, *self._part(part)), _parts(len(self.counts)))

    def offer_rows(self, ordered: NDArray[np.uint32]) -> None:
        """Offer all candidates (columns) to all lines (rows)."""
        from retriever.affinity.selection_kernels import offer_rows

        each(lambda part: offer_rows(ordered[part], self.ranks, *self._part(part)), _parts(len(self.counts)))

    def settle(self) -> None:
        """Cut every line to its best, in falling order."""
        from retriever.affinity.selection_kernels import settle

        each(lambda part: settle(*self._part(part)), _parts(len(self.counts)))

    def _part(self, part: slice) -> tuple[Any, ...]:
        return self.keys[part], self.counts[part], self.floors[part], self.k

    def kept(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
        """Line, candidate and ordered score of everything kept, line by line, best first."""
        self.settle()
        keys = self.keys[np.arange(self.keys.shape[1]) < self.counts[:, None]]
        lines = np.repeat(np.arange(len(self.counts)), self.counts)
        return lines, self.by_rank[_rank(keys)], (keys >> _HALF).astype(np.uint32)


def _union(submissions: tuple[str, ...], reviewers: tuple[str, ...], best: _Best, found: list[Any]) -> SparseScores:
    """Add to each submission's best the pairs that only the reviewers' best have."""
    best.settle()
    least = np.zeros(len(submissions), dtype=np.uint64)  # what is worse than this is not among a submission's best
    full = best.counts == best.k
    least[full] = best.keys[full, best.k - 1]
    extra = []
    for reviewer, submission, ordered in found:
        keys = (ordered.astype(np.uint64) << _HALF) | (_LOW - best.ranks[reviewer])
        new = keys < least[submission]
        extra.append((submission[new], keys[new]))
    line = np.concatenate([lines for lines, _ in extra]) if extra else np.empty(0, dtype=np.int64)
    more = np.concatenate([keys for _, keys in extra]) if extra else np.empty(0, dtype=np.uint64)
    by_line = np.argsort(line, kind="stable")
    edges = np.searchsorted(line[by_line], np.arange(len(submissions) + 1))
    rows = []
    for number in range(len(submissions)):
        worse = more[by_line[edges[number] : edges[number + 1]]]  # than all of the submission's own
        rows += [best.keys[number, : best.counts[number]], np.sort(worse)[::-1]]
    keys = np.concatenate(rows) if rows else np.empty(0, dtype=np.uint64)
    lengths = best.counts + np.diff(edges)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return SparseScores(submissions, reviewers, starts, best.by_rank[_rank(keys)], _scores(keys))


def _ranks(ids: Sequence[str]) -> NDArray[np.uint32]:
    """The place of each id among all in ascending order."""
    ranks = np.empty(len(ids), dtype=np.uint32)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.uint32)
    return ranks


def _rank(keys: Keys) -> NDArray[np.int64]:
    return (_LOW - (keys & _LOW)).astype(np.int64)


def _ordered(scores: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Numbers in the order of the scores, written over them."""
    from retriever.affinity.selection_kernels import order

    bits = scores.view(np.uint32)
    each(lambda part: order(scores[part], bits[part], bits[part]), _parts(len(scores)))
    return bits


def _scores(keys: Keys) -> NDArray[np.float32]:
    """The scores that the upper halves of the keys are made of."""
    ordered = (keys >> _HALF).astype(np.uint32)
    sign = np.uint32(0x80000000)
    return np.where(ordered < sign, ~ordered, ordered ^ sign).astype(np.uint32, copy=False).view(np.float32)


def _parts(lines: int) -> list[slice]:
    """Lines for each processor."""
    edges = np.linspace(0, lines, 2 * cores() + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in zip(edges[:-1], edges[1:], strict=True) if stop > start]
