"""Blocks of the matrix from pooled similarities: papers are compared one by one, then pooled to reviewers.

Reviewers with the same number of papers are computed together, so that nothing is padded: their similarities are one
(papers × reviewers × submissions) tile that fits the processor's cache, one matrix product, and pooling runs over its
first axis. Each core works on its own tiles with single-threaded products: that scales better than one product on all
cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from indexing.parallel import each
from retriever.affinity.model import Document
from retriever.affinity.near import NEAR_SAMPLE, NearPapers, near_thresholds
from retriever.affinity.pooling import Plan, ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import Similarity

TILE = 1024
"""Papers, and submissions, of one tile: 4 MB of similarities."""

SAMPLE = 256
"""Papers of the committee that are compared with each other to learn how similar papers are anyway."""


def pooled_blocks(
    # gives the similarity of all papers of the profiles to some documents
    compare: Callable[[Sequence[Document]], Similarity],
    submissions: Sequence[Document],  # the papers that need reviewers
    profiles: Profiles,  # of the reviewers
    # where it fills up short profiles, some papers of the committee are compared with each other
    pooling: ProfilePooling,
) -> PooledBlocks:
    """The blocks of a model that compares papers with submissions and pools."""
    if not (profiles.lengths < pooling.fill).any():
        return PooledBlocks(compare(submissions), profiles, len(submissions), pooling.plan)
    rows = profiles.sample(SAMPLE)
    similarity = compare([*submissions, *(profiles.papers[row] for row in rows.tolist())])
    among = np.empty((len(rows), len(rows)), dtype=np.float32)
    similarity.of(rows)(len(submissions), among)
    others = among[~np.eye(len(rows), dtype=np.bool_)]
    background = float(np.median(others)) if len(others) else 0.0
    return PooledBlocks(similarity, profiles, len(submissions), pooling.plan, background)


class PooledBlocks:
    """See `Blocks`: similarities of papers, pooled to reviewers. Blocks are column-major."""

    def __init__(
        self,
        similarity: Similarity,  # of papers to submissions
        profiles: Profiles,  # of the reviewers
        submissions: int,  # how many there are
        plan: Plan,  # how the papers of a profile become one score
        background: float = 0.0,  # the similarity of papers that short profiles are filled up with
    ) -> None:
        self.submissions = submissions
        self.reviewers = len(profiles)
        self._similarity, self._profiles, self._plan = similarity, profiles, plan
        self._background = background
        self._near: NearPapers | None = None
        self._buffers: list[NDArray[np.float32]] = []  # one per thread: allocating costs as much as pooling

    def count_near(self) -> NearPapers | None:
        """Count near papers from now on; see `Blocks`."""
        papers = len(self._profiles.papers)
        if papers:
            sample = self._profiles.sample(NEAR_SAMPLE)
            thresholds = near_thresholds(self._similarity, sample, papers, self.submissions)
            self._near = NearPapers(thresholds, self.reviewers)
        return self._near

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Give the columns `start` to `stop`; see `Blocks`."""
        scores = np.zeros((stop - start, self.submissions), dtype=np.float32)
        counts = np.zeros(scores.shape if self._near else (0, 0), dtype=np.uint8)
        with threadpool_limits(1, user_api="blas"):
            each(lambda chunk: self._fill(*chunk, start, scores, counts), list(self._chunks(start, stop)))
        if self._near:
            self._near.keep(start, counts)
        return scores.T

    def _chunks(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Reviewers with the same number of papers, some at a time, and that number."""
        lengths = self._profiles.lengths[start:stop]
        for length in np.unique(lengths[lengths > 0]).tolist():
            reviewers = start + np.flatnonzero(lengths == length)
            width = max(1, TILE // length)
            for first in range(0, len(reviewers), width):
                yield length, reviewers[first : first + width]

    def _fill(
        self,
        length: int,
        reviewers: NDArray[np.int64],
        start: int,
        scores: NDArray[np.float32],
        counts: NDArray[np.uint8],
    ) -> None:
        """Write the scores, and numbers of near papers, of a chunk into its rows of (reviewers, submissions) arrays."""
        members = self._profiles.starts[reviewers] + np.arange(length)[:, None]  # all first papers, all second, …
        papers = self._profiles.members[members.ravel()]
        write, plan = self._similarity.of(papers), self._plan(length)
        size = len(papers) * min(TILE, self.submissions)
        try:
            buffer = self._buffers.pop()
        except IndexError:
            buffer = np.empty(0, dtype=np.float32)
        if len(buffer) < size:
            buffer = np.empty(size, dtype=np.float32)
        for first in range(0, self.submissions, TILE):
            width = min(TILE, self.submissions - first)
            tile = buffer[: len(papers) * width].reshape(len(papers), width)
            write(first, tile)
            if self._near:
                near = self._near.count(tile.reshape(length, -1), first, width)
                counts[reviewers - start, first : first + width] = near.reshape(len(reviewers), width)
            pooled = plan(tile.reshape(length, -1))
            if plan.missing:
                pooled += np.float32(plan.missing * self._background)
            scores[reviewers - start, first : first + width] = pooled.reshape(len(reviewers), width)
        self._buffers.append(buffer)
