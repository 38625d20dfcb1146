"""A whole conference: every submission against every reviewer, and what the chair has to know before the assignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Conflict, Submission
from retriever.affinity.coverage import Coverage, OpenPairs, OwnPaper, ThinSubmission, own_papers
from retriever.affinity.model import AffinityModel, PanelModel
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
    """

    scores: SparseScores
    thin_submissions: list[ThinSubmission]
    empty_profiles: list[str]
    own_papers: list[OwnPaper]


def score_conference(
    submissions: Sequence[Submission],
    reviewers: Reviewers,
    model: AffinityModel,
    conflicts: Sequence[Conflict] = (),
    *,
    sparse: int | None = None,
    threshold: float | None = None,
    progress: Progress = silent,
) -> ScoredConference:
    """Score every submission against every reviewer, except where there is a conflict.

    Args:
        submissions: the papers that need reviewers.
        reviewers: with their profiles.
        model: from `affinity_model`.
        conflicts: pairs that must not be chosen.
        sparse: keep this many of the best of each submission and of each reviewer; None keeps all pairs.
        threshold: a reviewer is able whose score is above; None: everybody who can be scored is.
        progress: told of what takes its time.

    Raises:
        InputError: the model cannot score whole conferences.
    """
    if not isinstance(model, PanelModel):
        raise InputError(f"{type(model).__name__} cannot score a conference: use another model")
    coverage = Coverage(len(submissions), threshold)
    panels = OpenPairs(model.prepare(submissions, reviewers.profiles, progress), submissions, reviewers, conflicts)

    def watch(start: int, panel: NDArray[np.float32]) -> None:
        coverage.watch(start, panel)
        progress("scoring reviewers", start + len(panel), len(reviewers.ids))

    scores = sparse_scores(panels, [one.id for one in submissions], reviewers.ids, sparse, watch=watch)
    empty = [who for who, profile in zip(reviewers.ids, reviewers.profiles, strict=True) if not profile]
    return ScoredConference(scores, coverage.thin(scores), empty, own_papers(submissions, reviewers))
