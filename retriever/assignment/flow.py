"""The cheapest flow of a problem: scores become integers, wishes that come before all scores become large ones.

What comes before the scores: that a kept pair stays (two steps), that a pair without a score is not taken (one step).
A step is larger than all that scores can gain along any path, so the number of such pairs is smallest first, and the
total score largest among those. All of it fits into 62 bits: the unit is 2⁻⁴⁰ of the largest score, and up
to 2⁻¹⁶ in large problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from panelist.errors import InputError
from retriever.assignment.problem import Floats, Ints, Problem
from retriever.assignment.watch import run

_BITS = 62
_FINEST = 40  # bits of a score: more is below what a float64 sum can tell
_COARSEST = 16
_STEEP = 20  # rows whose 20th candidate is far below the first are served first: it saves searching


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of a row's candidates, with how many of each may be chosen at most.

    Attributes:
        of_pair: (pairs) the group of each candidate, or -1.
        room: (groups) how many at most.
        row: (groups).
    """

    of_pair: Ints
    room: Ints
    row: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A cheapest flow.

    Attributes:
        amount: (candidates) how much of each, of `scale`.
        unmet: (rows) demand that could not be met, of `scale`.
        idle: (reviewers) least load that could not be reached, of `scale`.
        price: (reviewers) what one more slot of each would gain; negative where the least load costs.
        value: (rows) the net score (score - price) that the row's last review is worth at least.
    """

    amount: Ints
    unmet: Ints
    idle: Ints
    price: Floats
    value: Floats

    @property
    def complete(self) -> bool:
        """Whether all demands and least loads are met."""
        return not self.unmet.any() and not self.idle.any()


def cheapest_flow(
    problem: Problem, *, scale: int = 1, capacity: Ints | None = None, groups: Groups | None = None
) -> Flow:
    """Choose as many candidates as demands ask for, with the greatest total score, exactly.

    Args:
        problem: what is to be assigned; locked pairs count as chosen.
        scale: units that make up one review.
        capacity: (candidates) units that a pair may have; None: `scale`.
        groups: bounds on parts of rows.

    Raises:
        InputError: so many papers and reviewers that numbers would overflow.
    """
    from retriever.assignment.kernels.flow import send

    pairs = problem.candidates
    rows, reviewers = problem.rows, len(problem.reviewers)
    step_count = np.where(pairs.absent, 1, 0) - np.where(pairs.old & problem.options.keep, 2, 0)
    steps, least = bool(step_count.any()), problem.open_least * scale
    longest = 2 * min(rows, reviewers) + 4  # arcs of a path: it meets nobody twice
    bits = min(_FINEST, int(_BITS - 2 - np.log2(longest) * (1 + steps)) - (2 if steps else 0) - 1)
    if bits < _COARSEST:
        raise InputError(f"{rows:,} papers and {reviewers:,} reviewers are more than the assignment can hold")
    largest = float(np.abs(problem.worth).max(initial=0.0))
    unit = 2.0 ** min(bits - np.ceil(np.log2(largest)), 1000.0) if largest > 0 else 1.0
    step = longest << bits
    cost = step_count * step - np.rint(problem.worth * unit).astype(np.int64)
    order = np.lexsort((cost, pairs.row)) if steps else np.arange(len(cost))
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    ends = np.minimum(pairs.starts[:-1] + _STEEP, pairs.starts[1:]) - 1
    firsts = np.minimum(pairs.starts[:-1], max(len(cost) - 1, 0))
    sorted_cost = cost[order]
    steepness = sorted_cost[ends] - sorted_cost[firsts] if len(cost) else np.zeros(rows)
    amount = np.zeros(len(cost), dtype=np.int64)
    value, price = np.zeros(rows, dtype=np.int64), np.zeros(reviewers, dtype=np.int64)
    unmet = np.zeros(rows, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    solve = partial(
        send,
        pairs.starts,
        pairs.reviewer[order],
        sorted_cost,
        np.full(len(cost), scale) if capacity is None else capacity[order],
        (none if groups is None else groups.of_pair[order]).astype(np.int32),
        none if groups is None else groups.room * scale,
        (none if groups is None else groups.row).astype(np.int32),
        problem.open_demand * scale,
        problem.room * scale,
        least,
        (step if not steps else step * longest) if least.any() else 0,
        np.argsort(-steepness, kind="stable"),
        amount,
        value,
        price,
        none.copy() if groups is None else np.zeros(len(groups.room), dtype=np.int64),
        unmet,
    )
    run("assigning", rows, solve)
    amount = amount[back]
    load = np.bincount(pairs.reviewer, weights=amount, minlength=reviewers).astype(np.int64)
    idle = np.maximum(least - load, 0)
    return Flow(amount, unmet, idle, price / unit, -value / unit)
