"""A whole conference: every submission against every reviewer, and what the chair has to know before the assignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent
from panelist.records import Conflict, Submission
from retriever.affinity.conflicts import OwnPaper, own_papers
from retriever.affinity.coverage import Coverage, ThinSubmission
from retriever.affinity.model import BlockModel, Blocks, Document
from retriever.affinity.near import NearPapers
from retriever.affinity.reviewers import Reviewers
from retriever.affinity.sparse import SparseScores, sparse_scores


@dataclass(frozen=True, slots=True, eq=False)
class ScoredConference:
    """The scores of all pairs that may be chosen, and what stands out.

    Attributes:
        scores: the pairs that were kept, by submission, best first.
        thin_submissions: those with fewer than three able reviewers.
        empty_profiles: reviewers without any paper: they have no scores.
        own_papers: submissions that are in a reviewer's profile.
        unsure: reviewers with a single paper: their scores are the least sure.
        near_papers: (pairs) how many near papers each score rests on, at most three; None where they were not asked
            for, or the model does not compare papers. `retriever.confidence.confidence` is the grade.
    """

    scores: SparseScores
    thin_submissions: list[ThinSubmission]
    empty_profiles: list[str]
    own_papers: list[OwnPaper]
    unsure: list[str]
    near_papers: NDArray[np.uint8] | None


def score_conference(
    submissions: Sequence[Submission],
    reviewers: Reviewers,
    model: BlockModel,
    conflicts: Sequence[Conflict] = (),
    *,
    sparse: int | None = None,
    threshold: float | None = None,
    near_papers: bool = False,
    progress: Progress = silent,
) -> ScoredConference:
    """Score every submission against every reviewer, except where there is a certain conflict.

    Args:
        submissions: the papers that need reviewers.
        reviewers: with their profiles.
        model: from `affinity_model`.
        conflicts: from `find_conflicts`; certain ones get no score, possible ones are left to the chair.
        sparse: keep this many of the best of each submission and of each reviewer; None keeps all pairs.
        threshold: a reviewer with a score above it is able; None: everybody who can be scored is.
        near_papers: count for every pair how many near papers its score rests on.
        progress: called during long steps.
    """
    coverage = Coverage(len(submissions), threshold)
    blocks = OpenPairs(model.prepare(submissions, reviewers.profiles, progress), submissions, reviewers, conflicts)
    counts = blocks.count_near() if near_papers else None

    def watch(start: int, block: NDArray[np.float32]) -> None:
        coverage.watch(start, block)
        progress("scoring reviewers", start + block.shape[1], len(reviewers.ids))

    scores = sparse_scores(blocks, [one.id for one in submissions], reviewers.ids, sparse, watch=watch)
    people = list(zip(reviewers.ids, reviewers.profiles, strict=True))
    empty = [who for who, profile in people if not profile]
    unsure = [who for who, profile in people if len(profile) == 1]
    near = None if counts is None else counts.of(scores.submission, scores.reviewer)
    return ScoredConference(scores, coverage.thin(scores), empty, own_papers(submissions, reviewers), unsure, near)


class OpenPairs:
    """Blocks in which a pair that must not be chosen scores -inf: certain conflicts, reviewers without any paper."""

    def __init__(
        self,
        blocks: Blocks,
        submissions: Sequence[Document],
        reviewers: Reviewers,
        conflicts: Iterable[Conflict],
    ) -> None:
        self.submissions, self.reviewers = blocks.submissions, blocks.reviewers
        self._blocks = blocks
        self._empty = np.array([not profile for profile in reviewers.profiles], dtype=np.bool_)
        row = {submission.id: number for number, submission in enumerate(submissions)}
        column = {reviewer: number for number, reviewer in enumerate(reviewers.ids)}
        pairs = sorted({(column[one.reviewer], row[one.submission]) for one in conflicts if one.certain})
        self._columns, self._rows = np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    def count_near(self) -> NearPapers | None:
        """See `Blocks`."""
        return self._blocks.count_near()

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """See `Blocks`."""
        block = self._blocks.block(start, stop)
        block[:, self._empty[start:stop]] = -np.inf
        inside = slice(*np.searchsorted(self._columns, [start, stop]))
        block[self._rows[inside], self._columns[inside] - start] = -np.inf
        return block
