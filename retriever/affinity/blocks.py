"""Panels of pooled similarities: paper by paper compared, then pooled to reviewers, in blocks that fit the cache.

Reviewers with equally many papers are taken together, so that nothing is padded: their similarities are one
(papers × reviewers × submissions) block, one matrix product, and pooling runs over its first axis. The processors work
on different blocks, each product on one thread: that scales better than one product on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from indexing.parallel import each
from retriever.affinity.pooling import Rule
from retriever.affinity.profiles import Profiles

BLOCK = 1024
"""Papers, and submissions, of one block: 4 MB of similarities."""


Writer = Callable[[int, NDArray[np.float32]], None]
"""Writes the similarities of some papers (rows) to the submissions from the given one on (columns) into a block."""


class Similarity(Protocol):
    """How near papers are to submissions."""

    def of(self, papers: NDArray[np.int64]) -> Writer:
        """What writes the similarities of these papers; it is called for one block of submissions after the other."""


class PooledPanels:
    """See `Panels`: similarities of papers, pooled to reviewers."""

    def __init__(self, similarity: Similarity, profiles: Profiles, submissions: int, pooling: Rule) -> None:
        self.submissions = submissions
        self.reviewers = len(profiles)
        self._similarity, self._profiles, self._pooling = similarity, profiles, pooling
        self._rooms: list[NDArray[np.float32]] = []  # for blocks, one a thread: new memory costs as much as pooling

    def panel(self, start: int, stop: int) -> NDArray[np.float32]:
        """The scores of reviewers `start` to `stop`: (reviewers, submissions)."""
        scores = np.zeros((stop - start, self.submissions), dtype=np.float32)
        with threadpool_limits(1, user_api="blas"):
            each(lambda chunk: self._fill(*chunk, start, scores), list(self._chunks(start, stop)))
        return scores

    def _chunks(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Reviewers with equally many papers, some at a time, and how many papers they have."""
        lengths = self._profiles.lengths[start:stop]
        for length in np.unique(lengths[lengths > 0]).tolist():
            reviewers = start + np.flatnonzero(lengths == length)
            width = max(1, BLOCK // length)
            for first in range(0, len(reviewers), width):
                yield length, reviewers[first : first + width]

    def _fill(self, length: int, reviewers: NDArray[np.int64], start: int, scores: NDArray[np.float32]) -> None:
        """Write the scores of a chunk into its rows of a panel."""
        places = self._profiles.starts[reviewers] + np.arange(length)[:, None]  # everybody's first paper, second, …
        papers = self._profiles.members[places.ravel()]
        write, plan = self._similarity.of(papers), self._pooling.plan(length)
        try:
            room = self._rooms.pop()
        except IndexError:
            room = np.empty(0, dtype=np.float32)
        if len(room) < len(papers) * min(BLOCK, self.submissions):
            room = np.empty(len(papers) * min(BLOCK, self.submissions), dtype=np.float32)
        for first in range(0, self.submissions, BLOCK):
            width = min(BLOCK, self.submissions - first)
            block = room[: len(papers) * width].reshape(len(papers), width)
            write(first, block)
            pooled = plan(block.reshape(length, -1))
            scores[reviewers - start, first : first + width] = pooled.reshape(len(reviewers), width)
        self._rooms.append(room)
