"""Pooling: the scores of one reviewer's papers become one score. Look-up and affinity share these rules.

With a reviewer's scores sorted downwards, s₁ ≥ s₂ ≥ … ≥ s_n:

| rule | in words | sum form (look-up) | mean form (affinity) |
|---|---|---|---|
| `max` | the best paper | s₁ | s₁ |
| `mean` | the average paper | Σ sᵢ / n | Σ sᵢ / n |
| `sum` | every paper counts | Σ sᵢ | Σ sᵢ / n |
| `votes` | how many papers | n | 1 |
| `combmnz` | sum times votes (Fox & Shaw 1994) | n · Σ sᵢ | Σ sᵢ |
| `top:k` | the k best papers | Σ_{i≤k} sᵢ / k | Σ_{i≤k} sᵢ / min(k, n) |
| `percentile:q` | a paper near the top: one planted paper does not lift it | q-th percentile | the same |
| `discounted` | every paper, each less than the one before | Σ sᵢ / i | Σ (sᵢ / i) / Σ (1 / i) |

The sum form rewards having many relevant papers, as it should among papers that a search has retrieved. The mean form
does not reward a long profile, as it should not where every paper of a profile is scored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError

RULES = ("max", "mean", "sum", "votes", "combmnz", "top:3", "percentile:75", "discounted")
"""The rules with their usual parameters; `top` and `percentile` take others."""


@dataclass(frozen=True, slots=True)
class Pooling:
    """A rule, and its parameter where it has one."""

    rule: str
    parameter: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Pooling:
        """Read a rule such as `max`, `top:3` or `percentile:75`."""
        rule, colon, value = text.partition(":")
        usual = {name.partition(":")[0]: name.partition(":")[2] for name in RULES}
        if rule in usual and bool(usual[rule]) >= bool(colon):
            try:
                parameter = float(value or usual[rule] or 0)
            except ValueError:
                parameter = -1
            sensible = {"top": 1 <= parameter <= 2**53 and parameter.is_integer(), "percentile": 0 <= parameter <= 100}
            if sensible.get(rule, True):
                return cls(rule, parameter)
        raise InputError(f"unknown pooling '{text}': use one of {', '.join(RULES)}")

    def counted(self) -> int | None:
        """How many of a reviewer's best papers make up the score; None for all."""
        return {"max": 1, "top": int(self.parameter)}.get(self.rule)

    def pool(self, scores: NDArray[np.float32], starts: NDArray[np.int64], *, mean: bool) -> NDArray[np.float64]:
        """Pool every segment of scores to one float64: in the mean form of the rule, or in its sum form.

        Segments lie one after the other, each sorted downwards and none empty; `starts` (segments + 1) cuts them.
        """
        begins, lengths = starts[:-1], np.diff(starts)
        if len(begins) == 0:
            return np.zeros(0)
        values = scores.astype(np.float64)
        if self.rule == "max":
            return values[begins]
        if self.rule == "votes":
            return np.ones(len(begins)) if mean else lengths.astype(np.float64)
        if self.rule == "percentile":
            return _percentile(values, begins, lengths, self.parameter)
        if self.rule == "top":
            total = values[begins]
            for rank in range(1, min(int(self.parameter), int(lengths.max()))):
                longer = np.flatnonzero(lengths > rank)
                total[longer] += values[begins[longer] + rank]
            return total / (np.minimum(self.parameter, lengths) if mean else self.parameter)
        if self.rule == "discounted":
            ranks = np.arange(len(values)) - np.repeat(begins, lengths)  # 0 for the best paper of each segment
            discounts = 1.0 / (1 + ranks)
            total = np.add.reduceat(values * discounts, begins)
            return total / np.add.reduceat(discounts, begins) if mean else total
        total = np.add.reduceat(values, begins)
        if self.rule == "combmnz":
            return total if mean else total * lengths
        return total / lengths if mean or self.rule == "mean" else total


def _percentile(
    values: NDArray[np.float64], begins: NDArray[np.int64], lengths: NDArray[np.int64], percent: float
) -> NDArray[np.float64]:
    """As `numpy.percentile`, linearly interpolated, of every segment."""
    position = (lengths - 1) * (1 - percent / 100)
    above = np.floor(position).astype(np.int64)
    below = np.minimum(above + 1, lengths - 1)
    share = position - above
    pooled: NDArray[np.float64] = values[begins + above] * (1 - share) + values[begins + below] * share
    return pooled
