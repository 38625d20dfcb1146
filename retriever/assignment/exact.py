"""Small problems settled by scipy's MILP (HiGHS): the highest floor, and rules that cross one another."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retriever.assignment.options import Rules
from retriever.assignment.problem import Flags, Problem, add_up
from retriever.assignment.rules import Bound, violations

_SLACK = 1e-9


def highest_floor(problem: Problem, seconds: float) -> Flags | None:
    """The candidates of the greatest total among those with the highest lowest sum; None if it is not found in time."""
    pairs = problem.candidates
    floor = _solve(problem, seconds, maximise_floor=True)
    if floor is None:
        return None
    sums = problem.locked_sums + add_up(problem.worth[floor], pairs.row[floor], problem.rows)
    lowest = float(sums[problem.demand > 0].min())
    best = _solve(problem, seconds, lowest_sum=lowest - _SLACK)
    return floor if best is None else best


def greatest_total(problem: Problem, seconds: float, rules: Rules) -> Flags | None:
    """The candidates of the greatest total under rules; None if it is not found in time."""
    everything = np.ones(len(problem.candidates), dtype=np.bool_)
    return _solve(problem, seconds, bounds=violations(problem, rules, everything), soft=rules.soft)


def _solve(
    problem: Problem,
    seconds: float,
    *,
    maximise_floor: bool = False,
    lowest_sum: float | None = None,
    bounds: Sequence[Bound] = (),
    soft: Mapping[str, float] | None = None,
) -> Flags | None:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    pairs = problem.candidates
    count, rows, reviewers = len(pairs), problem.rows, len(problem.reviewers)
    if count == 0:
        return None
    # A soft bound has a column of its own: by how much it is broken.
    slack = [number for number, bound in enumerate(bounds) if bound.rule in (soft or {})]
    width, arc, ones = count + maximise_floor + len(slack), np.arange(count), np.ones(count)

    def matrix(values: Any, lines: Any, height: int, columns: Any = arc) -> Any:
        return coo_array((values, (lines, columns)), shape=(height, width)).tocsr()

    constraints = [
        LinearConstraint(matrix(ones, pairs.row, rows), problem.open_demand, problem.open_demand),
        LinearConstraint(matrix(ones, pairs.reviewer, reviewers), problem.open_least, problem.room),
    ]
    demanding = np.flatnonzero(problem.demand > 0)
    sums, base = matrix(problem.worth, pairs.row, rows)[demanding], problem.locked_sums[demanding]
    if maximise_floor:
        lines = np.arange(len(demanding))
        level = matrix(np.ones(len(lines)), lines, len(lines), np.full(len(lines), count))
        constraints.append(LinearConstraint(sums - level, -base, np.inf))
    if lowest_sum is not None:
        constraints.append(LinearConstraint(sums, lowest_sum - base, np.inf))
    if bounds:
        members = np.concatenate([bound.members for bound in bounds]).astype(np.int64)
        lines = np.repeat(np.arange(len(bounds)), [len(bound.members) for bound in bounds])
        of_bounds = matrix(np.ones(len(members)), lines, len(bounds), members)
        of_bounds -= matrix(np.ones(len(slack)), slack, len(bounds), count + np.arange(len(slack)))
        constraints.append(LinearConstraint(of_bounds, -np.inf, [bound.room for bound in bounds]))
    gain = np.zeros(width)
    low, high, kinds = np.zeros(width), np.ones(width), np.ones(width)
    if maximise_floor:
        gain[count], low[count], high[count], kinds[count] = 1.0, -np.inf, np.inf, 0
    else:
        # As in the flow: pairs without a score are fewest and kept pairs most before any score counts.
        step = 1.0 + 2.0 * float(np.abs(problem.worth).max(initial=0.0)) * float(problem.demand.sum())
        gain[count:] = [-(soft or {})[bounds[number].rule] for number in slack]
        high[count:] = np.inf
        gain[:count] = problem.worth - step * pairs.absent + 2 * step * (pairs.old & problem.options.keep)
    solution = milp(
        -gain,
        constraints=constraints,
        bounds=Bounds(low, high),
        integrality=kinds.astype(np.int64),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if solution.status != 0 or solution.x is None:
        return None
    chosen: Flags = solution.x[:count] > 0.5
    return chosen
