"""Confidence intervals by resampling participants, for statistics that are ratios of sums over them.

A pooled loss, an accuracy over triplets and a plain mean are all Σᵥ numeratorᵥ / Σᵥ denominatorᵥ over participants v,
averaged over draws. Resampling participants with replacement is then one product with a matrix of counts, and the same
counts for two systems give a paired difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """A statistic as its per-participant parts.

    Attributes:
        numerators: (draws, participants).
        denominators: (draws, participants).
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The mean over draws of the pooled ratio; NaN where there is nothing to pool."""
        return float(self.resampled(np.ones((1, self.numerators.shape[-1])))[0])

    def resampled(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistic on each resample: (resamples, participants) counts to (resamples,) values."""
        above, below = counts @ self.numerators.T, counts @ self.denominators.T
        ratios = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
        means: NDArray[np.float64] = ratios.mean(axis=1)
        return means


def resampling_counts(participants: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.float64]:
    """How often each participant occurs in each resample with replacement: (resamples, participants)."""
    generator = np.random.default_rng(seed)
    shares = np.full(participants, 1 / participants)
    return generator.multinomial(participants, shares, size=resamples).astype(np.float64)


def interval(samples: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The central percentile interval; resamples on which the statistic is undefined are left out."""
    if np.isnan(samples).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
