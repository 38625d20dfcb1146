"""The cheapest flow of a problem: scores become integers, wishes that come before all scores become large ones.

What comes before the scores: that a kept pair stays (two steps), that a pair without a score is not taken (one step).
A step is larger than all that scores can gain along any path, so the number of such pairs is smallest first, and the
total score largest among those. All of it fits into 62 bits: the unit is 2⁻⁴⁰ of the largest score, and up
to 2⁻¹⁶ in large problems.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from panelist.errors import InputError
from retriever.assignment.problem import Arcs, Floats, Ints, Problem, positions_within, sorted_candidates
from retriever.assignment.watch import run

_BITS = 62
_FINEST = 40  # bits of a score: more is below what a float64 sum can tell
_COARSEST = 16
_STEEP = 20  # rows whose 20th candidate is far below the first are served first: it saves searching


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of a row's candidates, with how many of each may be chosen at most."""

    of_pair: Ints  # (pairs) the group of each candidate, or -1
    room: Ints  # (groups) how many at most
    row: Ints  # (groups)


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A cheapest flow, and what its bounds are worth."""

    amount: Ints  # (candidates) how much of each, of `scale`
    unmet: Ints  # (rows) demand that could not be met, of `scale`
    idle: Ints  # (reviewers) least load that could not be reached, of `scale`
    price: Floats  # (reviewers) what one more slot of each would gain; negative where the least load costs
    value: Floats  # (rows) the net score (score - price) that the row's last review is worth at least

    @property
    def complete(self) -> bool:
        """Whether all demands and least loads are met."""
        return not self.unmet.any() and not self.idle.any()


def cheapest_flow(
    problem: Problem,  # what is to be assigned; locked pairs count as chosen
    *,
    scale: int = 1,  # units that make up one review
    capacity: Ints | None = None,  # (candidates) units that a pair may have; None: `scale`
    groups: Groups | None = None,  # bounds on parts of rows
) -> Flow:
    """Choose as many candidates as demands ask for, with the greatest total score, exactly."""
    from retriever.assignment.kernels.flow import FlowNetwork, send

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
    empty = np.zeros(0, dtype=np.int64)
    network = FlowNetwork(
        pairs.starts,
        pairs.reviewer[order],
        sorted_cost,
        np.full(len(cost), scale) if capacity is None else capacity[order],
        (empty if groups is None else groups.of_pair[order]).astype(np.int32),
        empty if groups is None else groups.room * scale,
        (empty if groups is None else groups.row).astype(np.int32),
        problem.open_demand * scale,
        problem.room * scale,
        least,
        np.argsort(-steepness, kind="stable"),
    )
    reward = (step if not steps else step * longest) if least.any() else 0
    flow, unmet, row_potential, price = run("assigning", rows, partial(send, network, reward))
    amount = flow[back]
    load = np.bincount(pairs.reviewer, weights=amount, minlength=reviewers).astype(np.int64)
    idle = np.maximum(least - load, 0)
    return Flow(amount, unmet, idle, price / unit, -row_potential / unit)


def spread_shortage(problem: Problem) -> Ints:
    """(rows) how many reviews of each are left out, so that the rest can be given: few, and no paper misses two first.

    Missing reviews are given by imagined reviewers, the first of a paper at a price above all that scores can gain, the
    second at twice that price, and so on: convex, hence the shortage is spread evenly.
    """
    pairs, reviewers = problem.candidates, len(problem.reviewers)
    most = int(problem.open_demand.max(initial=0))
    row = np.repeat(np.arange(problem.rows), problem.open_demand)
    nth = positions_within(problem.open_demand)
    price = (2 * min(problem.rows, reviewers) + 4) * (2 * float(np.abs(problem.worth).max(initial=0.0)) + 1)
    imagined = replace(
        problem,
        reviewers=(*problem.reviewers, *(f"missing {number}" for number in range(1, most + 1))),
        most=np.concatenate([problem.most, np.full(most, problem.rows)]),
        least=np.concatenate([problem.least, np.zeros(most, dtype=np.int64)]),
        candidates=sorted_candidates(
            problem.rows,
            np.concatenate([pairs.row, row]),
            Arcs.plain(
                np.concatenate([pairs.reviewer, reviewers + nth]).astype(np.int32),
                np.concatenate([problem.worth, -price * (1.0 + nth)]),
            ),
        ),
        options=replace(problem.options, keep=False, prefer_old=0.0),
    )
    flow = cheapest_flow(imagined)
    missing = (imagined.candidates.reviewer >= reviewers) & (flow.amount > 0)
    return np.bincount(imagined.candidates.row[missing], minlength=problem.rows)
