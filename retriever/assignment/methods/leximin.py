"""Leximin: after the lowest paper sum the next lowest is raised, and so on, paper by paper."""

from __future__ import annotations

from retriever.assignment.flow import Flow
from retriever.assignment.methods.fair import Fair, fair, own_best
from retriever.assignment.methods.registry import RULES, method
from retriever.assignment.problem import Problem
from retriever.assignment.watch import run

_HALVINGS = 20


@method("leximin", takes=(*RULES, "prefer_old"), keeps=True)
def leximin(problem: Problem, flow: Flow) -> Fair:
    """Go on from the fair assignment, as far as chains of swaps lead.

    Args:
        problem: one that has an assignment.
        flow: its greatest total.
    """
    from retriever.assignment.kernels.chains import raise_all

    found = fair(problem, flow)
    board, search = found.holding.board, found.holding.search
    wanted, ceiling = problem.demand > 0, own_best(problem)
    run(
        "raising one by one",
        int(wanted.sum()),
        lambda watch: raise_all(board, search, wanted, ceiling, _HALVINGS, watch),
    )
    return found
