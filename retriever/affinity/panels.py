"""Panels of pooled similarities: paper by paper compared, then pooled to reviewers, in blocks that fit the cache.

Reviewers with equally many papers are taken together, so that nothing is padded: their similarities are one
(papers × reviewers × submissions) block, one matrix product, and pooling runs over its first axis. The processors work
on different blocks, each product on one thread: that scales better than one product on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from indexing.parallel import each
from retriever.affinity.pooling import pooling_plan
from retriever.affinity.profiles import Profiles
from retriever.pooling import Pooling

BLOCK = 1024
"""Papers, and submissions, of one block: 4 MB of similarities."""


class Similarity(Protocol):
    """How near papers are to submissions."""

    def write(self, papers: NDArray[np.int64], first: int, block: NDArray[np.float32]) -> None:
        """Write the similarity of these papers (rows) to the submissions from `first` on (columns) into a block."""


class _Block(NamedTuple):
    length: int
    reviewers: NDArray[np.int64]
    columns: slice


class PooledPanels:
    """See `Panels`: similarities of papers, pooled to reviewers."""

    def __init__(self, similarity: Similarity, profiles: Profiles, submissions: int, pooling: Pooling) -> None:
        self.submissions = submissions
        self.reviewers = len(profiles)
        self._similarity, self._profiles, self._pooling = similarity, profiles, pooling

    def panel(self, start: int, stop: int) -> NDArray[np.float32]:
        """The scores of reviewers `start` to `stop`: (reviewers, submissions)."""
        scores = np.zeros((stop - start, self.submissions), dtype=np.float32)

        def fill(block: _Block) -> None:
            scores[block.reviewers - start, block.columns] = self._pooled(block)

        with threadpool_limits(1, user_api="blas"):
            each(fill, list(self._blocks(start, stop)))
        return scores

    def _blocks(self, start: int, stop: int) -> Iterator[_Block]:
        lengths = self._profiles.lengths[start:stop]
        for length in np.unique(lengths[lengths > 0]).tolist():
            reviewers = start + np.flatnonzero(lengths == length)
            width = max(1, BLOCK // length)
            for chunk in range(0, len(reviewers), width):
                for first in range(0, self.submissions, BLOCK):
                    columns = slice(first, min(first + BLOCK, self.submissions))
                    yield _Block(length, reviewers[chunk : chunk + width], columns)

    def _pooled(self, block: _Block) -> NDArray[np.float32]:
        """(reviewers, submissions) of one block."""
        places = self._profiles.starts[block.reviewers] + np.arange(block.length)[:, None]  # the i-th paper of each
        papers = self._profiles.members[places.ravel()]
        similarities = np.empty((len(papers), block.columns.stop - block.columns.start), dtype=np.float32)
        self._similarity.write(papers, block.columns.start, similarities)
        pooled = pooling_plan(self._pooling, block.length)(similarities.reshape(block.length, -1))
        return pooled.reshape(len(block.reviewers), -1)
