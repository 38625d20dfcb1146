"""What near means: the cosines of an encoder on a scale from random papers (0) to nearest neighbours (1).

Encoders differ in how similar any two texts are. Of the default one the scale is recorded, measured on eLife's papers
up to 2018, so that a corpus of one narrow field and one of all fields agree on what is near; that of another encoder is
measured on the vectors of the index, and stands in its manifest. Of few papers it is a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.tables.vectors import Vectors

QUANTILES = (0.05, 0.5, 0.95)

LEAST = 1000
"""From how many papers on a scale is sure."""

_PAIRS = 512  # papers that are compared with each other, and that look for their nearest neighbour
_AMONG = 20_000  # papers among which they look
_LEAST_RANGE = 0.05  # of a corpus whose papers are all alike, or a single paper


@dataclass(frozen=True, slots=True)
class Nearness:
    """The `QUANTILES` of cosines of random pairs of papers, and of papers and their nearest neighbour, of so many."""

    random: tuple[float, ...]
    nearest: tuple[float, ...]
    papers: int = 0

    @property
    def sure(self) -> bool:
        """Whether it is of enough papers."""
        return self.papers >= LEAST

    def scaled(self, cosines: NDArray[np.floating]) -> NDArray[np.float64]:
        """Cosines on the scale: 0 is as near as random papers are, 1 as a nearest neighbour; at the medians."""
        start = self.random[1]
        scaled: NDArray[np.float64] = (cosines.astype(np.float64) - start) / max(self.nearest[1] - start, _LEAST_RANGE)
        return scaled


RECORDED = {"all-MiniLM-L6-v2": Nearness((-0.001, 0.196, 0.404), (0.552, 0.671, 0.820), 5868)}
"""The scale of the default encoder."""


def measure_nearness(vectors: Vectors, seed: int = 0) -> Nearness:
    """The scale of these vectors, of which a sample is read."""
    generator = np.random.default_rng(seed)
    rows = np.sort(generator.choice(len(vectors), min(len(vectors), _AMONG), replace=False))
    sample = vectors[rows].astype(np.float32, copy=False)
    compared = generator.choice(len(sample), min(len(sample), _PAIRS), replace=False)
    cosines = sample[compared] @ sample.T
    cosines[np.arange(len(compared)), compared] = -1.0  # a paper is not its own neighbour
    pairs = cosines[:, compared][~np.eye(len(compared), dtype=np.bool_)]
    if len(pairs) == 0:
        return Nearness((0.0,) * 3, (1.0,) * 3, len(vectors))
    random, nearest = (np.quantile(values, QUANTILES).round(4).tolist() for values in (pairs, cosines.max(axis=1)))
    return Nearness(tuple(random), tuple(nearest), len(vectors))
