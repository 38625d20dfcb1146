"""Every submission against every reviewer, and what the chair has to know of the scores before the assignment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent
from retriever.affinity.coverage import Coverage, ThinSubmission
from retriever.affinity.model import BlockModel, Document
from retriever.affinity.sparse import SparseScores, sparse_scores


@dataclass(frozen=True, slots=True, eq=False)
class ScoredConference:
    """The scores of all pairs that may be chosen, and what stands out.

    Attributes:
        scores: the pairs that were kept, by submission, best first.
        thin_submissions: those with fewer than three able reviewers.
        empty_profiles: reviewers without any paper: they have no scores.
        unsure: reviewers with a single paper: their scores are the least sure.
        near_papers: (pairs) how many near papers each score rests on, at most three; None where they were not asked
            for, or the model does not compare papers. `retriever.confidence.confidence` is the grade.
    """

    scores: SparseScores
    thin_submissions: list[ThinSubmission]
    empty_profiles: list[str]
    unsure: list[str]
    near_papers: NDArray[np.uint8] | None


def score_pairs(
    submissions: Sequence[Document],
    reviewers: tuple[Sequence[str], Sequence[Sequence[Document]]],
    model: BlockModel,
    closed: NDArray[np.int64],
    kept: tuple[int | None, float | None, bool] = (None, None, False),
    progress: Progress = silent,
) -> ScoredConference:
    """Score every submission against every reviewer, except for pairs that are closed and reviewers without a paper.

    Args:
        submissions: the papers that need reviewers.
        reviewers: ids and profiles.
        model: from `affinity_model`.
        closed: (n, 2) rows of reviewers and submissions that get no score, in ascending order.
        kept: how many of the best of each submission and of each reviewer, None for all; the score above which a
            reviewer is able; whether near papers are counted.
        progress: called during long steps.
    """
    (ids, profiles), (best, threshold, near_papers) = reviewers, kept
    coverage = Coverage(len(submissions), threshold)
    blocks = model.prepare(submissions, profiles, progress)
    counts = blocks.count_near() if near_papers else None
    close = closing(closed, np.array([not profile for profile in profiles], dtype=np.bool_))

    def watch(start: int, block: NDArray[np.float32]) -> None:
        close(start, block)
        coverage.watch(start, block)
        progress("scoring reviewers", start + block.shape[1], len(ids))

    scores = sparse_scores(blocks, [one.id for one in submissions], ids, best, watch=watch)
    people = list(zip(ids, profiles, strict=True))
    empty = [who for who, profile in people if not profile]
    unsure = [who for who, profile in people if len(profile) == 1]
    near = None if counts is None else counts.of(scores.submission, scores.reviewer)
    return ScoredConference(scores, coverage.thin(scores), empty, unsure, near)


def closing(closed: NDArray[np.int64], empty: NDArray[np.bool_]) -> Callable[[int, NDArray[np.float32]], None]:
    """What sets to -inf, in a block from a reviewer on, the pairs that must not be chosen.

    Args:
        closed: (n, 2) rows of reviewers and submissions, in ascending order.
        empty: (reviewers) who has no paper.
    """
    columns, rows = closed.T

    def close(start: int, block: NDArray[np.float32]) -> None:
        stop = start + block.shape[1]
        block[:, empty[start:stop]] = -np.inf
        inside = slice(*np.searchsorted(columns, [start, stop]))
        block[rows[inside], columns[inside] - start] = -np.inf

    return close
