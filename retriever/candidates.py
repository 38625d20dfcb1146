"""Papers that were found for a batch of queries, as compressed rows: what fusion makes and aggregation reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate units of each query, best first, ties by ascending unit number.

    Attributes:
        starts: (queries + 1) int64: the candidates of query q are at `starts[q]:starts[q + 1]`.
        units: int64 unit numbers.
        scores: float32 in [0, 1], after fusion.
        lexical: float32, the raw BM25 score; NaN where the lexical stage did not find the unit.
        dense: float32, the raw cosine; NaN where the dense stage did not find the unit.
    """

    starts: NDArray[np.int64]
    units: NDArray[np.int64]
    scores: NDArray[np.float32]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def rows(self) -> NDArray[np.int64]:
        """The query that each candidate belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))
