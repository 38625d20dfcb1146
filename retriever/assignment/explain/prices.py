"""Shadow prices: whose extra slot would gain most, and what kind of new reviewer: whom to recruit.

The price of a reviewer is what one more review by them would add to the greatest total. A new reviewer with the scores
of a known one would take the papers for which those scores are above what the papers' last reviews are worth; the gain
is added up over as many papers as a quota allows (an upper bound, as prices fall while slots are filled).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from retriever.assignment.assignment import Assignment
from retriever.assignment.problem import Floats, Ints, Problem

NOTHING = 5e-10
"""A gain up to this one is rounding."""

_SLOTS, _RECRUITS = 10, 5  # that are listed


class Slot(Struct, frozen=True, gc=False):
    """A reviewer of whom one more review would gain something."""

    reviewer: str
    load: int
    gain: float


class Recruit(Struct, frozen=True, gc=False):
    """Another reviewer like a known one: what that would gain, and for which papers."""

    like: str
    gain: float
    papers: tuple[str, ...]


def dearest_slots(assignment: Assignment) -> list[Slot]:
    """The ten reviewers whose extra slot would gain most."""
    price = assignment.flow.price
    order = np.argsort(-price, kind="stable")[:_SLOTS]
    names = assignment.solved.reviewers
    return [Slot(names[who], int(assignment.loads[who]), float(price[who])) for who in order if price[who] > NOTHING]


def recruits(assignment: Assignment) -> list[Recruit]:
    """The five kinds of reviewers that would gain most, each for other papers than the ones before."""
    problem, pairs = assignment.solved, assignment.solved.candidates
    net = problem.worth - assignment.flow.price[pairs.reviewer]
    last = np.full(problem.rows, np.inf)  # what the review that a new one would replace is worth
    np.minimum.at(last, pairs.row, np.where(assignment.flow.amount > 0, net, np.inf))
    gain = np.where(pairs.absent, 0.0, problem.worth - last[pairs.row])
    served: set[int] = set()
    found = []
    for _ in range(_RECRUITS):
        open_gain = np.where(np.isin(pairs.row, list(served)), 0.0, np.maximum(gain, 0.0))
        best = _best(problem, open_gain)
        if best is None:
            break
        who, arcs = best
        served |= {int(row) for row in pairs.row[arcs]}
        papers = tuple(map(problem.paper_of, pairs.row[arcs]))
        found.append(Recruit(problem.reviewers[who], float(open_gain[arcs].sum()), papers))
    return found


def _best(problem: Problem, gain: Floats) -> tuple[int, Ints] | None:
    """The reviewer whose best papers, as many as a usual quota, gain most together; and those candidates."""
    pairs = problem.candidates
    quota = max(int(np.median(problem.most[problem.most > 0])), 1) if (problem.most > 0).any() else 1
    order = np.lexsort((-gain, pairs.reviewer))
    who = pairs.reviewer[order]
    rank = np.arange(len(order)) - np.searchsorted(who, who)
    top = order[(rank < quota) & (gain[order] > NOTHING)]
    if not len(top):
        return None
    sums = np.bincount(pairs.reviewer[top], weights=gain[top], minlength=len(problem.reviewers))
    best = int(np.argmax(sums))
    return best, top[pairs.reviewer[top] == best]
