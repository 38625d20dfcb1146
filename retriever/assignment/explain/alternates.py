"""Alternates: who could step in for each paper. Every one of them can: free, without conflict, within caps and rules.

Where nobody who is free could review a paper, the alternate comes with the chain of swaps that frees them; not under
rules, nor in a lottery.
"""

import numpy as np
from msgspec import Struct

from retriever.assignment.assignment import Assignment
from retriever.assignment.board import WorkingAssignment
from retriever.assignment.problem import Problem
from retriever.assignment.rules import broken_by


class Swap(Struct, frozen=True, gc=False):
    """A paper that gives up one reviewer for another."""

    paper: str
    gives_up: str
    takes: str


class Alternate(Struct, frozen=True, gc=False):
    """Somebody who could review a paper."""

    paper: str
    role: str
    rank: int
    reviewer: str
    score: float
    swaps: tuple[Swap, ...] = ()  # that free them where they have no room
    conflict: str = ""  # the evidence of a possible conflict


def find_alternates(assignment: Assignment, count: int) -> list[Alternate]:
    """Up to `count` alternates for every paper and role with a demand, the best first."""
    problem, pairs = assignment.solved, assignment.solved.candidates
    rules = assignment.options.rules
    free = assignment.loads < problem.most
    eligible = ~assignment.chosen & ~pairs.absent & (pairs.cap > 0) & free[pairs.reviewer]
    if assignment.lottery is not None:  # whoever is as likely as the cap allows already is no alternate
        eligible &= assignment.lottery.probability < pairs.cap - 1e-9
    working: WorkingAssignment | None = None
    alternates = []
    for row in np.flatnonzero(problem.demand > 0):
        rank = 0
        for arc in range(pairs.starts[row], pairs.starts[row + 1]):
            if rank >= count:
                break
            # They join all reviewers of the paper, as nobody knows who will decline.
            if eligible[arc] and not (rules and broken_by(problem, rules, assignment.chosen, arc)):
                rank += 1
                alternates.append(_alternate(problem, int(row), rank, arc))
        if rank == 0 and count and not rules and assignment.lottery is None:
            working = working or WorkingAssignment.of(problem, assignment.chosen, assignment.flow.price)
            alternates += _by_swaps(working, int(row))
    return alternates


def _alternate(problem: Problem, row: int, rank: int, arc: int, swaps: tuple[Swap, ...] = ()) -> Alternate:
    pairs = problem.candidates
    paper, reviewer = problem.paper_of(row), problem.reviewers[pairs.reviewer[arc]]
    conflict = problem.possible_conflict(paper, reviewer)
    return Alternate(paper, problem.role_of(row), rank, reviewer, float(pairs.score[arc]), swaps, conflict)


def _by_swaps(working: WorkingAssignment, row: int) -> list[Alternate]:
    """The alternate that the cheapest chain of swaps frees."""
    from retriever.assignment.kernels.chains import EVERYWHERE, find_chain

    problem, pairs, search = working.problem, working.problem.candidates, working.search
    no_floor = np.full(problem.rows, -np.inf)
    length = find_chain(working.board, search, no_floor, row, -np.inf, -1, True, EVERYWHERE)
    if length == 0:
        return []
    arcs_in, arcs_out = search.arcs_in[:length][::-1], search.arcs_out[:length][::-1]
    names = problem.reviewers
    swaps = tuple(
        Swap(problem.paper_of(pairs.row[new]), names[pairs.reviewer[old]], names[pairs.reviewer[new]])
        for new, old in zip(arcs_in[1:], arcs_out[1:], strict=True)
    )
    return [_alternate(problem, row, 1, int(arcs_in[0]), swaps)]
