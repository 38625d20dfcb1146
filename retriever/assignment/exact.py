"""Small problems settled by scipy's MILP (HiGHS): the highest floor, and rules that cross one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retriever.assignment.options import Rules
from retriever.assignment.problem import Flags, Floats, Ints, Problem, add_up

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
    return _solve(problem, seconds, rules=_matrices(problem, rules))


def _solve(
    problem: Problem,
    seconds: float,
    *,
    maximise_floor: bool = False,
    lowest_sum: float | None = None,
    rules: Sequence[tuple[Any, Floats]] = (),
) -> Flags | None:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    pairs = problem.candidates
    count, rows, reviewers = len(pairs), problem.rows, len(problem.reviewers)
    if count == 0:
        return None
    width, arc, ones = count + maximise_floor, np.arange(count), np.ones(count)

    def matrix(values: Any, lines: Any, height: int) -> Any:
        return coo_array((values, (lines, arc)), shape=(height, width)).tocsr()

    constraints = [
        LinearConstraint(matrix(ones, pairs.row, rows), problem.open_demand, problem.open_demand),
        LinearConstraint(matrix(ones, pairs.reviewer, reviewers), problem.open_least, problem.room),
    ]
    wanted = np.flatnonzero(problem.demand > 0)
    sums = matrix(problem.worth, pairs.row, rows)[wanted]
    if maximise_floor:
        level = coo_array(
            (np.ones(len(wanted)), (np.arange(len(wanted)), np.full(len(wanted), count))), shape=(len(wanted), width)
        )
        constraints.append(LinearConstraint(sums - level.tocsr(), -problem.locked_sums[wanted], np.inf))
    if lowest_sum is not None:
        constraints.append(LinearConstraint(sums, lowest_sum - problem.locked_sums[wanted], np.inf))
    constraints += [LinearConstraint(rule, -np.inf, most) for rule, most in rules]
    gain = np.zeros(width)
    low, high, kinds = np.zeros(width), np.ones(width), np.ones(width)
    if maximise_floor:
        gain[count], low[count], high[count], kinds[count] = 1.0, -np.inf, np.inf, 0
    else:
        # As in the flow: pairs without a score are fewest and kept pairs most before any score counts.
        step = 1.0 + 2.0 * float(np.abs(problem.worth).max(initial=0.0)) * float(problem.demand.sum())
        gain[:count] = problem.worth - step * pairs.absent + 2 * step * (pairs.old & problem.options.keep)
    found = milp(
        -gain,
        constraints=constraints,
        bounds=Bounds(low, high),
        integrality=kinds.astype(np.int64),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if found.status != 0 or found.x is None:
        return None
    chosen: Flags = found.x[:count] > 0.5
    return chosen


def _matrices(problem: Problem, rules: Rules) -> list[tuple[Any, Floats]]:
    """Every rule as a matrix and upper bounds; locked pairs are taken off the bounds."""
    people, pairs = problem.committee, problem.candidates
    paper = problem.row_paper[pairs.row]
    locked_paper, locked_who = problem.row_paper[problem.locked[:, 0]], problem.locked[:, 1]
    lines: list[tuple[Ints, float]] = []
    for kind, code in (("institution", people.institution), ("region", people.region)):
        if kind in rules.apart:
            for one in range(len(problem.papers)):
                mine = np.flatnonzero(paper == one)
                of_locked = code[locked_who[locked_paper == one]]
                for group in np.unique(code[pairs.reviewer[mine]]):
                    members = mine[code[pairs.reviewer[mine]] == group]
                    if group >= 0 and len(members) > 1:
                        lines.append((members, rules.apart[kind] - float((of_locked == group).sum())))
    if rules.seniors:
        wanted = np.bincount(problem.row_paper, weights=problem.demand, minlength=len(problem.papers))
        for one in range(len(problem.papers)):
            members = np.flatnonzero((paper == one) & ~people.senior[pairs.reviewer])
            taken = float((~people.senior[locked_who[locked_paper == one]]).sum())
            lines.append((members, float(wanted[one]) - rules.seniors - taken))
    if "coauthors" in rules.apart:
        lines += _never_both(
            problem, [(one, a, one, b) for a, b in people.coauthors for one in range(len(problem.papers))]
        )
    if rules.no_cycles:
        authored = [(int(one), int(author)) for one, author in people.authored]
        lines += _never_both(problem, [(p, b, q, a) for p, a in authored for q, b in authored if a < b])
    return [_matrix(lines, len(pairs))] if lines else []


def _never_both(problem: Problem, quadruples: list[tuple[int, int, int, int]]) -> list[tuple[Ints, float]]:
    """At most one of two pairs (paper, reviewer), for those that are candidates or locked."""
    pairs = problem.candidates
    keys = {
        (int(one), int(who)): arc
        for arc, (one, who) in enumerate(zip(problem.row_paper[pairs.row], pairs.reviewer, strict=True))
    }
    locked = {(int(problem.row_paper[row]), int(who)) for row, who in problem.locked}
    lines = []
    for p, a, q, b in quadruples:
        members = [keys[pair] for pair in ((int(p), int(a)), (int(q), int(b))) if pair in keys]
        fixed = sum(pair in locked for pair in ((int(p), int(a)), (int(q), int(b))))
        if members and len(members) + fixed == 2:
            lines.append((np.array(members), 1.0 - fixed))
    return lines


def _matrix(lines: list[tuple[Ints, float]], width: int) -> tuple[Any, Floats]:
    from scipy.sparse import coo_array

    columns = np.concatenate([members for members, _ in lines])
    rows = np.repeat(np.arange(len(lines)), [len(members) for members, _ in lines])
    matrix = coo_array((np.ones(len(columns)), (rows, columns)), shape=(len(lines), width)).tocsr()
    return matrix, np.array([most for _, most in lines])
