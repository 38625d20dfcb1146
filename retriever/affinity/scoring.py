"""What the chair has to know of the scores of all pairs before the assignment, and which pairs get none."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from panelist.records import Coverage
from retriever.affinity.near import Grades
from retriever.affinity.sparse import SparseScores

ENOUGH = 3
"""How many able reviewers a submission should have."""


@dataclass(frozen=True, slots=True)
class ThinSubmission:
    """A submission that lacks reviewers: how many score above the threshold, and the score of the third best."""

    submission: str
    able: int
    third_best: float | None


@dataclass(frozen=True, slots=True, eq=False)
class ScoredConference:
    """The scores of all pairs that may be chosen, and what stands out."""

    scores: SparseScores  # the pairs that remain, by submission, best first
    thin_submissions: list[ThinSubmission]  # those with fewer than three able reviewers
    empty_profiles: list[str]  # reviewers without any paper: they have no scores
    unsure: list[str]  # reviewers with a single paper: their scores are the least sure
    grades: Grades | None  # how well the pairs fit; None where they were not requested, or no vectors are compared
    with_history: int = 0  # reviewers of whom it counted what they reviewed or edited before
    curated: Sequence[Struct] = ()  # what choices about profiles changed: `retriever.conference.curation.Change`
    # the scores of their texts, by reviewer: (2, submissions) before and after the choices
    curated_scores: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    def outside(self) -> list[str]:
        """The submissions that no paper of a reviewer is near."""
        covered = [] if self.grades is None else self.grades.coverage
        return [paper for paper, state in zip(self.scores.submissions, covered, strict=False) if state is Coverage.NONE]


def thin_submissions(
    scores: SparseScores,  # the best pairs
    able: NDArray[np.int64],  # (submissions) how many reviewers are able
) -> list[ThinSubmission]:
    """Submissions with fewer than three able reviewers: fewest first, then by the score of the third best."""
    thin = []
    for count, (submission, _, values) in zip(able.tolist(), scores.rows(), strict=True):
        if count < ENOUGH:
            thin.append(ThinSubmission(submission, count, float(values[2]) if len(values) >= ENOUGH else None))
    return sorted(thin, key=lambda entry: (entry.able, -math.inf if entry.third_best is None else entry.third_best))


def closing(
    closed: NDArray[np.int64],  # (n, 2) rows of reviewers and submissions, in ascending order
    empty: NDArray[np.bool_],  # (reviewers) who has no paper
) -> Callable[[int, NDArray[np.float32]], None]:
    """What sets to -inf, in a block from a reviewer on, the pairs that must not be chosen."""
    columns, rows = closed.T

    def close(start: int, block: NDArray[np.float32]) -> None:
        stop = start + block.shape[1]
        block[:, empty[start:stop]] = -np.inf
        entries = slice(*np.searchsorted(columns, [start, stop]))
        block[rows[entries], columns[entries] - start] = -np.inf

    return close
