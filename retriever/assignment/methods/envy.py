"""Picking in turn: no paper would rather have another's reviewers, but for one of them (WEF1).

Papers pick their best reviewer in turn; a paper's turn comes when it has the smallest part of its demand. Weighted
picking sequences are envy-free up to one item (Chakraborty et al. 2021); for reviewers see Payan & Zick (2022), *I Will
Have Order!* (FairSequence). Here a pick that would leave others without a possible assignment is passed over, so the
end is always a whole assignment; where conflicts and quotas make that necessary, the guarantee is weaker.
"""

from __future__ import annotations

import numpy as np

from retriever.assignment.flow import Flow
from retriever.assignment.holding import Holding
from retriever.assignment.methods.fair import own_best
from retriever.assignment.methods.registry import RULES, Chosen, method
from retriever.assignment.problem import Ints, Problem, positions_within
from retriever.assignment.watch import run


def picking_order(problem: Problem) -> Ints:
    """The row of each pick: the one with the smallest part of its demand, then the one with most to lose."""
    locked = problem.demand - problem.open_demand
    row = np.repeat(np.arange(problem.rows), problem.open_demand)
    part = (locked[row] + positions_within(problem.open_demand)) / problem.demand[row]
    return row[np.lexsort((row, -own_best(problem)[row], part))]


@method(
    "envy",
    takes=(*RULES, "prefer_old"),
    held="picked in turn: a paper may envy another one for what was kept",
)
def envy(problem: Problem, flow: Flow) -> Chosen:
    """The candidates that papers pick in turn.

    Args:
        problem: one that has an assignment.
        flow: its greatest total.
    """
    from retriever.assignment.kernels.chains import pick_in_turn

    holding = Holding.of_flow(problem, flow)
    turns = picking_order(problem)
    run("picking", len(turns), lambda watch: pick_in_turn(holding.board, holding.search, turns, watch))
    return Chosen(holding.chosen)
