"""What is known of the conflicts of an assignment, which are in it, and what avoiding possible ones costs."""

from __future__ import annotations

from msgspec import Struct

from panelist.words import counted
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.solve import assign, complete_flow


class ConflictSummary(Struct, frozen=True, gc=False):
    """What is known of conflicts, and what they cost.

    Attributes:
        known: whether anybody looked for conflicts.
        words: all of it in one line.
        excluded: pairs that could not be chosen, possible ones included.
        avoided: pairs with a score that were not chosen, because a possible conflict is avoided.
        chosen: pairs of the assignment with a possible conflict, with its evidence.
        total_cost: what avoiding possible conflicts takes off the greatest total, as a part of it.
        lowest_cost: what it takes off the lowest sum of a paper, as a part of it; None where pairs were drawn.
    """

    known: bool
    words: str
    excluded: int
    avoided: int
    chosen: list[AssignedPair]
    total_cost: float | None = None
    lowest_cost: float | None = None


def summarise_conflicts(assignment: Assignment) -> ConflictSummary:
    """What an assignment owes to conflicts; what avoiding them costs is found by solving again without it."""
    problem = assignment.problem
    avoided = 0 if problem.avoided is None else len(problem.avoided)
    chosen = [pair for pair in assignment.pairs if pair.conflict]
    total, lowest = avoiding_cost(assignment)
    words = f"{counted(len(problem.forbidden), 'pair')} excluded"
    if problem.conflicts is None:
        words += ", nobody looked for conflicts of interest"
    if avoided and total is not None:
        cost = f"{total:.2%} of the greatest total"
        cost += "" if lowest is None else f" and {lowest:.2%} of the lowest paper sum"
        words += f"; avoiding {counted(avoided, 'possible conflict')} costs {cost}"
    if chosen:
        words += f"; {counted(len(chosen), 'pair has', 'pairs have')} a possible conflict"
    return ConflictSummary(problem.conflicts is not None, words, len(problem.forbidden), avoided, chosen, total, lowest)


def avoiding_cost(assignment: Assignment) -> tuple[float | None, float | None]:
    """What avoiding possible conflicts takes off the greatest total and off the lowest sum, as parts of them."""
    problem = assignment.problem
    if problem.avoided is None:
        return None, None
    if assignment.lottery is not None:
        free, flow = complete_flow(problem.allowing())
        return _lost(assignment.greatest, free.total(flow.amount > 0)), None
    other = assign(problem.allowing())
    return _lost(assignment.greatest, other.greatest), _lost(assignment.floor, other.floor)


def _lost(kept: float, whole: float) -> float:
    return max(1 - kept / whole, 0.0) if 0 < whole < float("inf") else 0.0
