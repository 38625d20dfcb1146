"""Random assignment: no pair is more likely than a cap, and among such lotteries the expected total is greatest.

Jecmen et al. (2020), *Mitigating Manipulation in Peer Review via Randomized Reviewer Assignments*. A cap of a/b makes
the lottery an integer flow at scale b, so its probabilities are exact fractions. The assignment is then drawn by
dependent rounding, and both probabilities and seed are kept, so that the draw can be audited and evaluated off-policy
(Saveski et al. 2023).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from panelist.words import counted
from retriever.assignment.flow import Flow, cheapest_flow
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

    @property
    def probability(self) -> Floats:
        """(candidates) how likely each is drawn."""
        return self.amount / self.scale

    def draw(self, problem: Problem, seed: int) -> Flags:
        """One assignment of the lottery: loads are never above quotas, nor below least loads."""
        from retriever.assignment.kernels.rounding import round_dependently

        amount = self.amount.copy()
        pairs = problem.candidates
        draws = np.random.default_rng(seed).random(len(amount))
        round_dependently(
            problem.rows, len(problem.reviewers), pairs.row.astype(np.int32), pairs.reviewer, self.scale, amount, draws
        )
        drawn: Flags = amount == self.scale
        return drawn


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
        scale, whole = fraction.denominator, np.full(len(cap), fraction.numerator, dtype=np.int64)
        exact = len(different) == 0 or abs(float(fraction) - float(different[0])) < 1e-12
        note = "" if exact else f"the cap {different[0]:g} counts as {fraction}, the next lower fraction"
    else:
        scale = LARGEST_SCALE
        whole = np.floor(cap * scale + 1e-9).astype(np.int64)
        note = "" if np.allclose(whole, cap * scale) else f"caps are rounded down to multiples of 1/{scale}"
    reach = np.bincount(problem.candidates.row, weights=whole, minlength=problem.rows)
    for row in np.flatnonzero(reach < problem.open_demand * scale):
        count = int(np.diff(problem.candidates.starts)[row])
        raise OptionError(
            f"{problem.row_name(row)} needs {counted(int(problem.open_demand[row]), 'reviewer')}, but the caps of its "
            f"{counted(count, 'candidate')} add up to {reach[row] / scale:.3f}: raise `cap`"
        )
    return whole, scale, note


def capped(problem: Problem, flow: Flow | None = None) -> Lottery:
    """The lottery of the greatest expected total under the caps, whatever the greatest total without them."""
    whole, scale, note = capacities(problem)
    capped_flow = cheapest_flow(problem, scale=scale, capacity=whole)
    return Lottery(capped_flow.amount, scale, capped_flow, note)
