"""Which submissions lack able reviewers: what a chair has to know before the assignment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.affinity.sparse import SparseScores

WANTED = 3
"""How many able reviewers a submission should have."""


@dataclass(frozen=True, slots=True)
class ThinSubmission:
    """A submission that lacks reviewers: how many score above the threshold, and the score of the third best."""

    submission: str
    able: int
    third_best: float | None


class Coverage:
    """Counts able reviewers block by block; give `watch` to `sparse_scores`.

    Args:
        submissions: how many there are.
        threshold: a reviewer with a score above it is able; None: everybody who can be scored is.
    """

    def __init__(self, submissions: int, threshold: float | None = None) -> None:
        self.threshold = -np.inf if threshold is None else threshold
        self._able = np.zeros(submissions, dtype=np.int64)

    def watch(self, start: int, block: NDArray[np.float32]) -> None:
        """Count the able reviewers of a block."""
        self._able += np.count_nonzero(block > self.threshold, axis=1)

    def thin(self, scores: SparseScores) -> list[ThinSubmission]:
        """Submissions with fewer than three able reviewers: fewest first, then by the score of the third best."""
        found = []
        for able, (submission, _, values) in zip(self._able.tolist(), scores.rows(), strict=True):
            if able < WANTED:
                third = float(values[WANTED - 1]) if len(values) >= WANTED else None
                found.append(ThinSubmission(submission, able, third))
        return sorted(found, key=lambda thin: (thin.able, -math.inf if thin.third_best is None else thin.third_best))
