"""A lottery over pairs: probabilities that are exact fractions, and the draw of one assignment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retriever.assignment.flow import Flow
from retriever.assignment.problem import Flags, Floats, Ints, Problem


@dataclass(frozen=True, slots=True, eq=False)
class Lottery:
    """Probabilities as whole numbers of `scale`.

    Attributes:
        amount: (candidates).
        scale: what counts as certain.
        flow: with prices, as far as there is one.
        note: how the cap was rounded, if it was.
    """

    amount: Ints
    scale: int
    flow: Flow
    note: str = ""

    @property
    def probability(self) -> Floats:
        """(candidates)."""
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
