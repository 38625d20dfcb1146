"""What a search returns, whatever the engine: for a batch of queries, unit numbers and scores as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_UNIT = -1
"""Fills the places of `Hits.units` for which there was nothing to return; its score is -inf."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The best units for each query (rows), best first; ties by ascending unit number.

    Attributes:
        units: (queries, k) int64, padded at the end of a row with `NO_UNIT`.
        scores: (queries, k) float32, higher is better, padded with -inf.
    """

    units: NDArray[np.int64]
    scores: NDArray[np.float32]
