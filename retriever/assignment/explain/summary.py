"""An assignment in figures: what the command prints and the report begins with."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.conflicts import ConflictSummary, summarise_conflicts
from retriever.assignment.explain.prices import Recruit, Slot, dearest_slots, recruits

_THIN = 0.5  # a paper with less than half of what its own best reviewers would give it


class ShortPaper(Struct, frozen=True, gc=False):
    """A paper that lacks reviews."""

    paper: str
    role: str
    missing: int


class ThinPaper(Struct, frozen=True, gc=False):
    """A paper whose reviewers are far from its own best ones."""

    paper: str
    role: str
    sum: float
    share: float


class Summary(Struct, frozen=True, gc=False):
    """The figures of an assignment.

    Attributes:
        method: how it was made.
        papers: how many.
        reviewers: how many.
        pairs: how many were assigned.
        total: the sum of their scores.
        greatest_total: of any assignment without rules.
        quality: the (expected) total as a part of that.
        lowest: the lowest sum of a paper.
        bound: what no lowest sum can exceed: the hardest paper's own best reviewers.
        gap: bound - lowest.
        certified: whether the lowest sum is known to be the highest possible one.
        mean_share: of each paper's sum in that of its own best reviewers.
        greatest_load: of a reviewer.
        idle: reviewers without a review.
        unscored: pairs without a score: taken as a last resort.
        kept: pairs that were assigned before.
        changed: pairs that were assigned before and are not now.
        short: papers that lack reviews.
        thin: papers far from their own best reviewers, the worst first.
        seed: of the draw.
        largest_probability: of a pair.
        average_maximum_probability: the mean over papers of the likeliest pair's probability.
        entropy: of the pairs, in nats.
        entropy_per_review: the same as a part of one review.
        slots: whose extra slot would gain most.
        recruits: what kind of new reviewer would.
        conflicts: what is known of them, which are in it, what avoiding them costs.
        notes: what the chair should know.
    """

    method: str
    papers: int
    reviewers: int
    pairs: int
    total: float
    greatest_total: float
    quality: float
    lowest: float
    bound: float
    gap: float
    certified: bool
    mean_share: float
    greatest_load: int
    idle: int
    unscored: list[AssignedPair]
    kept: int
    changed: list[tuple[str, str]]
    short: list[ShortPaper]
    thin: list[ThinPaper]
    seed: int | None
    largest_probability: float
    average_maximum_probability: float
    entropy: float
    entropy_per_review: float
    slots: list[Slot]
    recruits: list[Recruit]
    conflicts: ConflictSummary
    notes: list[str]


def summarise_assignment(assignment: Assignment) -> Summary:
    """The figures of an assignment."""
    problem = assignment.solved
    pairs = assignment.pairs
    wanted = problem.demand > 0
    there = {(pair.paper, pair.reviewer) for pair in pairs}
    before = [(problem.paper_of(row), problem.reviewers[who]) for row, who in assignment.problem.existing]
    thin = np.flatnonzero(wanted & (assignment.shares < _THIN))
    thin = thin[np.argsort(assignment.shares[thin], kind="stable")]
    lowest, bound = assignment.floor, assignment.bound
    return Summary(
        method=assignment.options.method,
        papers=len(problem.papers),
        reviewers=len(problem.reviewers),
        pairs=len(pairs),
        total=assignment.total,
        greatest_total=assignment.greatest,
        quality=assignment.expected / assignment.greatest if assignment.greatest > 0 else 1.0,
        lowest=lowest if wanted.any() else 0.0,
        bound=bound if wanted.any() else 0.0,
        gap=max(bound - lowest, 0.0) if wanted.any() else 0.0,
        certified=assignment.floor_exact,
        mean_share=float(assignment.shares[wanted].mean()) if wanted.any() else 1.0,
        greatest_load=int(assignment.loads.max(initial=0)),
        idle=int((assignment.loads == 0).sum()),
        unscored=[pair for pair in pairs if not pair.scored],
        kept=sum(pair in there for pair in before),
        changed=[pair for pair in before if pair not in there],
        short=[
            ShortPaper(problem.paper_of(row), problem.role_of(row), int(assignment.shortage[row]))
            for row in np.flatnonzero(assignment.shortage)
        ],
        thin=[
            ThinPaper(
                problem.paper_of(row), problem.role_of(row), float(assignment.sums[row]), float(assignment.shares[row])
            )
            for row in thin
        ],
        slots=dearest_slots(assignment),
        recruits=recruits(assignment),
        conflicts=summarise_conflicts(assignment),
        notes=list(assignment.notes),
        **_chances(assignment),
    )


def _chances(assignment: Assignment) -> dict[str, Any]:
    """What the lottery was like; without one every pair is certain."""
    problem, lottery = assignment.solved, assignment.lottery
    if lottery is None:
        return {
            "seed": None,
            "largest_probability": 1.0,
            "average_maximum_probability": 1.0,
            "entropy": 0.0,
            "entropy_per_review": 0.0,
        }
    chance = lottery.probability
    likeliest = np.zeros(problem.rows)
    np.maximum.at(likeliest, problem.candidates.row, chance)
    likeliest[problem.locked[:, 0]] = 1.0
    positive = chance[chance > 0]
    entropy = float(-(positive * np.log(positive)).sum())
    return {
        "seed": assignment.options.seed,
        "largest_probability": float(chance.max(initial=0.0)),
        "average_maximum_probability": float(likeliest[problem.demand > 0].mean()),
        "entropy": entropy,
        "entropy_per_review": entropy / max(len(assignment.pairs), 1),
    }
