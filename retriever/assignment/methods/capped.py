"""Random assignment: no pair is more likely than a cap, and among such lotteries the expected total is greatest.

Jecmen et al. (2020), *Mitigating Manipulation in Peer Review via Randomized Reviewer Assignments*. A cap of a/b makes
the lottery an integer flow at scale b, so its probabilities are exact fractions. The assignment is then drawn by
dependent rounding, and both probabilities and seed are kept, so that the draw can be audited and evaluated off-policy
(Saveski et al. 2023).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from panelist.words import counted
from retriever.assignment.flow import Flow, Groups, cheapest_flow
from retriever.assignment.options import OptionError
from retriever.assignment.problem import Flags, Floats, Ints, Problem

LARGEST_SCALE = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Lottery:
    """Probabilities as whole numbers of `scale`."""

    amount: Ints  # (candidates)
    scale: int  # what counts as certain
    flow: Flow  # with prices, as far as there is one
    note: str = ""  # how the cap was rounded, if it was
    group: Ints | None = None  # (candidates) groups of which one is drawn at most, -1: none

    @property
    def probability(self) -> Floats:
        """(candidates) how likely each is drawn."""
        return self.amount / self.scale

    def draw(self, problem: Problem, seed: int) -> Flags:
        """One assignment of the lottery: loads are never above quotas, nor below least loads."""
        pairs = problem.candidates
        group = np.full(len(pairs), -1) if self.group is None else self.group
        return draw(pairs.row, pairs.reviewer, group, self.amount, self.scale, seed)


def draw(row: Ints, reviewer: Ints | NDArray[np.int32], group: Ints, amount: Ints, scale: int, seed: int) -> Flags:
    """(pairs) what is drawn of pairs with these rows, reviewers, groups (-1: none) and amounts.

    It depends on the order of the pairs that have an amount, and not on how rows, reviewers and groups are numbered, so
    that probabilities that were written to a file can be drawn again.
    """
    from retriever.assignment.kernels.rounding import round_dependently

    positive = np.flatnonzero(amount)
    (rows, tail), (columns, head) = _by_appearance(row[positive]), _by_appearance(reviewer[positive])
    grouped = np.flatnonzero(group[positive] >= 0)
    groups, of_pair = _by_appearance(group[positive][grouped])
    group_row, sums = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    group_row[of_pair] = tail[grouped]
    np.add.at(sums, of_pair, amount[positive][grouped])
    tail[grouped] = rows + of_pair
    rounded = np.concatenate([amount[positive], sums])
    round_dependently(
        rows + groups,
        columns,
        np.concatenate([tail, group_row]).astype(np.int32),
        np.concatenate([rows + groups + head, rows + np.arange(groups)]).astype(np.int32),
        scale,
        rounded,
        np.random.default_rng(seed).random(len(rounded)),
    )
    drawn = np.zeros(len(amount), dtype=np.bool_)
    drawn[positive] = rounded[: len(positive)] == scale
    return drawn


def _by_appearance(values: Ints | NDArray[np.int32]) -> tuple[int, Ints]:
    """How many different values there are, and the number of each in the order in which they first appear."""
    _, index, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(index), dtype=np.int64)
    number[np.argsort(index)] = np.arange(len(index))
    return len(index), number[inverse]


def lower_fraction(cap: float) -> Fraction:
    """The greatest fraction that is not above `cap` and whose denominator is not above `LARGEST_SCALE`."""
    exact = Fraction(cap).limit_denominator(10**9)  # .7 is meant, not the nearest binary number
    return max(Fraction(exact * scale // 1, scale) for scale in range(1, LARGEST_SCALE + 1))


def capacities(problem: Problem) -> tuple[Ints, int, str]:
    """(candidates) the caps as whole numbers of a scale; the scale; what was rounded, in words."""
    cap = problem.candidates.cap
    different = np.unique(cap)
    if len(different) <= 1:
        fraction = lower_fraction(float(different[0])) if len(different) else Fraction(1)
        scale, capacity = fraction.denominator, np.full(len(cap), fraction.numerator, dtype=np.int64)
        exact = len(different) == 0 or abs(float(fraction) - float(different[0])) < 1e-12
        note = "" if exact else f"the cap {different[0]:g} counts as {fraction}, the next lower fraction"
    else:
        scale = LARGEST_SCALE
        capacity = np.floor(cap * scale + 1e-9).astype(np.int64)
        note = "" if np.allclose(capacity, cap * scale) else f"caps are rounded down to multiples of 1/{scale}"
    reach = np.bincount(problem.candidates.row, weights=capacity, minlength=problem.rows)
    for row in np.flatnonzero(reach < problem.open_demand * scale):
        count = int(np.diff(problem.candidates.starts)[row])
        raise OptionError(
            f"{problem.row_name(row)} needs {counted(int(problem.open_demand[row]), 'reviewer')}, but the caps of its "
            f"{counted(count, 'candidate')} add up to {reach[row] / scale:.3f}: raise `cap`"
        )
    return capacity, scale, note


def capped(problem: Problem, flow: Flow | None = None, groups: Groups | None = None) -> Lottery:
    """The lottery of the greatest expected total under caps and groups, whatever the greatest total without them."""
    capacity, scale, note = capacities(problem)
    capped_flow = cheapest_flow(problem, scale=scale, capacity=capacity, groups=groups)
    return Lottery(capped_flow.amount, scale, capped_flow, note, None if groups is None else groups.of_pair)
