"""The fairest assignment: the lowest paper sum as high as it can be, and the least total given up for it.

No paper can have more than its own best reviewers, so the lowest sum cannot be above that of the hardest paper: where
that bound is reached, it is the certificate of the optimum. (Stelmakh, Shah & Singh 2021, *PeerReview4All*; Kobren,
Saha & McCallum 2019, *Paper Matching with Local Fairness Constraints*.) The problem is NP-hard; small ones that chains
do not settle are settled by scipy's MILP.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from retriever.assignment.flow import Flow
from retriever.assignment.holding import Holding
from retriever.assignment.methods.registry import RULES, Chosen, method
from retriever.assignment.problem import Floats, Problem, add_up
from retriever.assignment.watch import run

_HALVINGS = 3
_STEPS = 14  # of the search for the highest floor
_SMALL = 3_000  # candidates that the MILP is given
_SECONDS = 20.0
_NEAR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Fair(Chosen):
    """A fair assignment: who has what, in the form that chains change; and what no floor can exceed."""

    holding: Holding = field(kw_only=True)
    bound: float = field(kw_only=True)

    @property
    def floor(self) -> float:
        """The lowest sum of a row with a demand."""
        return float(self.holding.total[self.holding.problem.demand > 0].min(initial=np.inf))


def own_best(problem: Problem) -> Floats:
    """(rows) the sum of each row's own best candidates, with its locked pairs: an upper bound of what it can have."""
    pairs = problem.candidates
    position = np.arange(len(pairs)) - pairs.starts[pairs.row]
    best = position < problem.open_demand[pairs.row]
    sums = add_up(problem.worth[best], pairs.row[best], problem.rows)
    return sums + problem.locked_sums


def floor_bound(problem: Problem) -> float:
    """What no lowest sum of a row with a demand can exceed: the hardest row's own best candidates."""
    return float(own_best(problem)[problem.demand > 0].min(initial=np.inf))


@method("fair", takes=(*RULES, "prefer_old"), keeps=True)
def fair(problem: Problem, flow: Flow) -> Fair:
    """Raise the lowest sum as far as possible, starting from the greatest total.

    Args:
        problem: one that has an assignment.
        flow: its greatest total.
    """
    from retriever.assignment.kernels.chains import raise_floor

    start = Holding.of_flow(problem, flow)
    wanted = problem.demand > 0
    if not wanted.any():
        return Fair(start.chosen, True, holding=start, bound=np.inf)
    bound = floor_bound(problem)
    low, high, best = float(start.total[wanted].min()), bound, start
    target = bound
    for _ in range(_STEPS):
        if low >= high - _NEAR:
            break
        tried = start.copy()
        lift = partial(raise_floor, tried.board, tried.search, wanted, target, _HALVINGS)
        if run("raising the lowest", problem.rows, lift):
            best = tried
            low = target
        else:
            high = target
            reached = float(tried.total[wanted].min())
            if reached > low:
                best, low = tried, reached
        target = (low + high) / 2
    pairs = problem.candidates
    plain = (
        not problem.options.keep and not pairs.absent.any()
    )  # the MILP of a floor knows nothing that comes before it
    if low < bound - _NEAR and plain and len(pairs) <= _SMALL:
        from retriever.assignment.exact import highest_floor

        settled = highest_floor(problem, _SECONDS)
        if settled is not None:
            best, low = Holding.of(problem, settled, flow.price), bound
    return Fair(best.chosen, low >= bound - _NEAR, holding=best, bound=bound)
