"""Papers that were found for a batch of queries, as compressed rows: what fusion makes and aggregation reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEXICAL, DENSE = 1, 2

SEARCHES = {LEXICAL: ("lexical",), DENSE: ("dense",), LEXICAL + DENSE: ("lexical", "dense")}
"""In words."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate units of each query, best first, ties by ascending unit number.

    Attributes:
        starts: (queries + 1) int64: the candidates of query q are at `starts[q]:starts[q + 1]`.
        units: int64 unit numbers.
        scores: float32 in [0, 1], after fusion.
        found_by: uint8, `LEXICAL`, `DENSE` or the sum of both: which of the searches found the unit.
    """

    starts: NDArray[np.int64]
    units: NDArray[np.int64]
    scores: NDArray[np.float32]
    found_by: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.starts) - 1
