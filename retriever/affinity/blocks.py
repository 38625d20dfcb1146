"""Blocks of the matrix from pooled similarities: papers are compared one by one, then pooled to reviewers.

Reviewers with the same number of papers are computed together, so that nothing is padded: their similarities are one
(papers × reviewers × submissions) tile that fits the processor's cache, one matrix product, and pooling runs over its
first axis. Each core works on its own tiles with single-threaded products: that scales better than one product on all
cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from indexing.parallel import map_parallel
from indexing.tables.nearness import Nearness, measure_nearness
from retriever.affinity.near import NearPapers
from retriever.affinity.pooling import Plan, ProfilePooling
from retriever.affinity.profiles import Documents, Profiles
from retriever.affinity.similarity import Similarity

TILE = 1024
"""Papers, and submissions, of one tile: 4 MB of similarities."""

SAMPLE = 256
"""Papers of the committee that are compared with each other to learn how similar papers are anyway."""


def pooled_blocks(
    # gives the similarity of all papers of the profiles to some documents
    compare: Callable[[Documents], Similarity],
    submissions: Documents,  # the papers that need reviewers
    profiles: Profiles,  # of the reviewers
    # where it fills up short profiles, some papers of the committee are compared with each other
    pooling: ProfilePooling,
    nearness: Nearness | None = None,  # see `PooledBlocks`
) -> PooledBlocks:
    """The blocks of a model that compares papers with submissions and pools."""
    if profiles.weights is None and not (profiles.lengths < pooling.fill).any():
        return PooledBlocks(compare(submissions), profiles, len(submissions), pooling.plan, nearness=nearness)
    rows = profiles.sample(SAMPLE)
    similarity = compare([*submissions, *(profiles.papers[row] for row in rows.tolist())])
    background = _background(similarity, rows, len(submissions))
    return PooledBlocks(similarity, profiles, len(submissions), pooling.plan, background, nearness)


def background_of(compare: Callable[[Documents], Similarity], profiles: Profiles) -> float:
    """The similarity of papers that short profiles are filled up with."""
    rows = profiles.sample(SAMPLE)
    return _background(compare([profiles.papers[row] for row in rows.tolist()]), rows, 0)


def _background(similarity: Similarity, rows: NDArray[np.int64], offset: int) -> float:
    """The median similarity of these papers, which are also submissions from `offset` on."""
    among = np.empty((len(rows), len(rows)), dtype=np.float32)
    similarity.writer(rows)(offset, among)
    similarities = among[~np.eye(len(rows), dtype=np.bool_)]
    return float(np.median(similarities)) if len(similarities) else 0.0


class PooledBlocks:
    """Similarities of papers, pooled to reviewers. Blocks are column-major."""

    def __init__(
        self,
        similarity: Similarity,  # of papers to submissions
        profiles: Profiles,  # of the reviewers
        submissions: int,  # how many there are
        plan: Plan,  # how the papers of a profile become one score
        background: float = 0.0,  # the similarity of papers that short profiles are filled up with
        nearness: Nearness | None = None,  # what near means for the vectors, where that is known
    ) -> None:
        self.submissions = submissions
        self.reviewers = len(profiles)
        self._similarity, self._profiles, self._plan = similarity, profiles, plan
        self._background, self._nearness = background, nearness
        self._buffers: list[NDArray[np.float32]] = []  # one per thread: allocating costs as much as pooling

    def near(self) -> NearPapers | None:
        """How near papers are; see `Blocks`."""
        dense = self._similarity.dense
        if dense is None or not self._profiles.papers:
            return None
        return NearPapers(dense, self._profiles, self.submissions, self._nearness or measure_nearness(dense.papers))

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Give the columns `start` to `stop`; see `Blocks`."""
        scores = np.zeros((stop - start, self.submissions), dtype=np.float32)
        with threadpool_limits(1, user_api="blas"):
            map_parallel(lambda chunk: self._fill(*chunk, start, scores), list(self._chunks(start, stop)))
        return scores.T

    def _chunks(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Reviewers with the same number of papers, some at a time, and that number."""
        lengths = self._profiles.lengths[start:stop]
        for length in np.unique(lengths[lengths > 0]).tolist():
            reviewers = start + np.flatnonzero(lengths == length)
            width = max(1, TILE // length)
            for offset in range(0, len(reviewers), width):
                yield length, reviewers[offset : offset + width]

    def _fill(self, length: int, reviewers: NDArray[np.int64], start: int, scores: NDArray[np.float32]) -> None:
        """Write the scores of a chunk into its rows of a (reviewers, submissions) array."""
        members = self._profiles.starts[reviewers] + np.arange(length)[:, None]  # all first papers, all second, …
        papers = self._profiles.members[members.ravel()]
        weights = None if self._profiles.weights is None else self._profiles.weights[members.reshape(-1, 1)]
        write, plan = self._similarity.writer(papers), self._plan(length)
        size = len(papers) * min(TILE, self.submissions)
        try:
            buffer = self._buffers.pop()
        except IndexError:
            buffer = np.empty(0, dtype=np.float32)
        if len(buffer) < size:
            buffer = np.empty(size, dtype=np.float32)
        for offset in range(0, self.submissions, TILE):
            width = min(TILE, self.submissions - offset)
            tile = buffer[: len(papers) * width].reshape(len(papers), width)
            write(offset, tile)
            if weights is not None:
                tile *= weights
                tile += np.float32(self._background) * (1 - weights)
            pooled = plan(tile.reshape(length, -1))
            if plan.missing:
                pooled += np.float32(plan.missing * self._background)
            scores[reviewers - start, offset : offset + width] = pooled.reshape(len(reviewers), width)
        self._buffers.append(buffer)
