"""Pooling for whole matrices: the rules of `retriever.pooling`, many pairs at a time.

Every rule that makes a mean of a reviewer's papers is a weighted sum of the sorted similarities, s₁ ≥ … ≥ s_n, with
weights that depend on n only: (1, 0, …) for the maximum, 1/i / Σ 1/j for the discounted mean. The weights are computed
from the rule itself, so that it has one definition.

For the papers of one reviewer only the order of the weights matters. Between the reviewers of one paper it also matters
how profiles of different lengths compare. `breadth` decides this: the weights are multiplied by (h(n) / h(20))^breadth,
where h(n) is what the rule's sum form makes of n ones (Σ 1/j for `discounted`). 0 is the mean, which does not reward
having many relevant papers; 1 is the sum, which rewards any long profile.

`fill` is the other way to compare them: a profile of fewer papers is filled up to this number with papers that are as
similar to every submission as papers of the committee are to each other. One near paper is then less than five near
papers, and a long profile as such earns nothing. docs/research/affinity.md has what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from retriever.affinity.kernels.pooling import weigh_sorted
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.pooling import Pooling

FILL = 5
"""How many papers a profile is filled up to, by default."""


@dataclass(frozen=True, slots=True, eq=False)
class PoolingPlan:
    """How to pool as many similarities as there are weights, the largest by the first one."""

    weights: NDArray[np.float32]
    missing: float = 0.0
    """The weight of the papers that a profile lacks."""

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Pool the columns of an (n, columns) array."""
        pooled = np.empty(planes.shape[1], dtype=np.float32)
        weigh_sorted(planes, self.weights, pooled)
        return pooled


Plan = Callable[[int], PoolingPlan]
"""How to pool a given number of papers of a profile."""


@lru_cache(maxsize=1024)
def best_three(n: int) -> PoolingPlan:
    """s₁ + s₂/2 + s₃/3, with 0 for what a profile of fewer than three papers lacks.

    The rule of the ACL's matching as Stelmakh et al. 2023 give it (Appendix B); the ACL's tool reverses the weights.
    """
    ranks = np.arange(1, n + 1)
    return PoolingPlan(np.where(ranks <= 3, 1 / ranks, 0.0).astype(np.float32))


@dataclass(frozen=True, slots=True)
class ProfilePooling:
    """A rule of `retriever.pooling` for whole profiles, and how profiles of different lengths compare."""

    rule: Pooling
    breadth: float = 0.0
    fill: int = 0

    @classmethod
    def parse(cls, rule: str, breadth: float = 0.0, fill: int = 0) -> ProfilePooling:
        """Read a rule such as `max`, `top:3`, `percentile:75` or `discounted`."""
        if not 0 <= breadth <= 1:
            raise InputError(f"the breadth of pooling is from 0 (mean) to 1 (sum), received {breadth}")
        if type(fill) is not int or fill < 0:
            raise InputError(f"profiles are filled up to a number of papers, 0 or more, received {fill}")
        pooling = cls(Pooling.parse(rule), breadth, fill)
        pooling.plan(1)
        return pooling

    @lru_cache(maxsize=1024)  # noqa: B019  # rules are few and small
    def plan(self, n: int) -> PoolingPlan:
        """How to pool `n` papers."""
        full = max(n, self.fill)
        length = (_sum_of_ones(self.rule, full) / _sum_of_ones(self.rule, PROFILE_SIZE)) ** self.breadth
        weights = _weights(self.rule, full) * length
        return PoolingPlan(weights[:n].astype(np.float32), float(weights[n:].sum()))


def _weights(pooling: Pooling, n: int) -> NDArray[np.float64]:
    """What each rank contributes: the rule applied to 0…0, 10…0, 110…0, …, and the differences of the results."""
    stairs = np.tri(n + 1, n, -1, dtype=np.float32)
    answers = pooling.pool(stairs.ravel(), np.arange(n + 2, dtype=np.int64) * n, mean=True)
    if answers[0] != 0:
        raise InputError(f"pooling '{pooling.rule}' counts papers: use e.g. discounted, max, mean, top:3")
    weights: NDArray[np.float64] = np.diff(answers)
    return weights


def _sum_of_ones(pooling: Pooling, n: int) -> float:
    return float(pooling.pool(np.ones(n, dtype=np.float32), np.array([0, n]), mean=False)[0])
