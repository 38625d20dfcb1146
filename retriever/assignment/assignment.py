"""What comes out: who reviews what, how probable that was, and what the chair should know about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import Struct

from retriever.assignment.flow import Flow
from retriever.assignment.methods.capped import Lottery
from retriever.assignment.methods.certain import own_best
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import Flags, Floats, Ints, Problem, add_up


class AssignedPair(Struct, frozen=True, gc=False, kw_only=True):
    """One pair of an assignment."""

    paper: str  # id
    reviewer: str  # id
    score: float  # 0 where there is none
    role: str  # in which the reviewer reviews
    probability: float = 1.0  # of the pair, where it was drawn; else 1
    scored: bool = True  # whether the pair has a score
    locked: bool = False  # whether it was chosen beforehand
    kept: bool = False  # whether it was assigned before
    conflict: str = ""  # the evidence of a possible conflict, which nobody dismissed; empty where there is none


@dataclass(frozen=True, eq=False, kw_only=True)
class Assignment:
    """An assignment.

    Attributes:
        problem: as it was given.
        solved: as it was solved, by its options: perhaps with pairs without a score, without dropped pairs, with
            smaller demands.
        chosen: (candidates of `solved`) beside the locked pairs.
        flow: the greatest total of `solved`, for its prices.
        greatest: the greatest total of the problem without rules.
        bound: what no lowest sum can exceed.
        floor_exact: whether the floor is known to be the highest possible.
        lottery: what it was drawn from, if it was.
        shortage: (rows) reviews that are missing.
        notes: what the chair should know.
    """

    problem: Problem
    solved: Problem
    chosen: Flags
    flow: Flow
    greatest: float
    bound: float
    floor_exact: bool
    lottery: Lottery | None = None
    shortage: Ints
    notes: tuple[str, ...]

    @property
    def options(self) -> AssignOptions:
        """How it was made."""
        return self.solved.options

    @cached_property
    def pairs(self) -> list[AssignedPair]:
        """All pairs, by paper, role and score."""
        return list(self._pairs())

    def _pairs(self) -> Iterator[AssignedPair]:
        problem, pairs = self.solved, self.solved.candidates
        arcs, reviewers = np.flatnonzero(self.chosen), len(problem.reviewers)
        row = np.concatenate([pairs.row[arcs], problem.locked[:, 0]])
        person = np.concatenate([pairs.reviewer[arcs], problem.locked[:, 1]])
        score = np.concatenate([pairs.score[arcs], problem.locked_score])
        locked = (np.arange(len(row)) >= len(arcs)) & (np.arange(len(row)) < len(row) - problem.held)
        absent = np.concatenate([pairs.absent[arcs], np.zeros(len(problem.locked), dtype=np.bool_)])
        probability = np.ones(len(row))
        if self.lottery is not None:
            probability[: len(arcs)] = self.lottery.probability[arcs]
        old = np.isin(row * reviewers + person, problem.existing[:, 0] * reviewers + problem.existing[:, 1])
        for position in np.lexsort((person, -score, row)):
            paper, reviewer = problem.paper_of(row[position]), problem.reviewers[person[position]]
            yield AssignedPair(
                paper=paper,
                reviewer=reviewer,
                score=float(score[position]),
                role=problem.role_of(row[position]),
                probability=float(probability[position]),
                scored=not absent[position],
                locked=bool(locked[position]),
                kept=bool(old[position]),
                conflict=problem.possible_conflict(paper, reviewer),
            )

    @property
    def total(self) -> float:
        """The sum of all scores."""
        return self.solved.total(self.chosen)

    @cached_property
    def sums(self) -> Floats:
        """(rows) the sum of each row's scores."""
        pairs = self.solved.candidates
        return self.solved.locked_sums + add_up(pairs.score[self.chosen], pairs.row[self.chosen], self.solved.rows)

    @property
    def floor(self) -> float:
        """The lowest sum of a row with a demand; infinite if there is none."""
        return float(self.sums[self.solved.demand > 0].min(initial=np.inf))

    @cached_property
    def shares(self) -> Floats:
        """(rows) each row's sum as a part of that of its own best candidates; 1 where that is not above 0."""
        best = own_best(self.problem if len(self.problem.candidates) else self.solved)
        return np.where(best > 0, self.sums / np.where(best > 0, best, 1.0), 1.0)

    @cached_property
    def loads(self) -> Ints:
        """(reviewers) how many reviews each gives."""
        reviewers = np.concatenate([self.solved.candidates.reviewer[self.chosen], self.solved.locked[:, 1]])
        return np.bincount(reviewers, minlength=len(self.solved.reviewers))

    @property
    def expected(self) -> float:
        """The expected total of the lottery, or the total."""
        return self.total if self.lottery is None else self.solved.expected_total(self.lottery.probability)
