"""Whether anybody here works on a submission's topic: how near the nearest papers are, on the encoder's own scale.

The mean nearness of the ten nearest papers tells submissions of a corpus' field from those of others: of eLife's later
papers and those of the ACL Anthology, on an index of either, with an area under the curve of .998 (`panelist eval
coverage`). A submission without a near paper still has ten nearest people; they are no experts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from panelist.records import Coverage

if TYPE_CHECKING:
    from indexing.index import Index
    from retriever.stages import Meaning

NEAREST = 10
"""How many of the nearest papers are looked at: one of a hundred, because of few papers ten are no neighbours."""
NONE_BELOW = 0.42
"""Mean nearness below which nothing is near: 1 % of eLife's papers are, on the papers of the years before."""
THIN_BELOW = 0.58
"""Mean nearness below which little is near: 5 % of them are."""


def coverage_of(index: Index, meaning: Meaning | None) -> Coverage | None:
    """The coverage of a submission by an index; None where its meaning is not known, or what near means."""
    if meaning is None or not index.nearness.sure:
        return None
    nearest = meaning.nearest[: looked_at(index.manifest.counts.papers)]
    cosines = index.vectors[nearest].astype(np.float32, copy=False) @ meaning.vector
    return coverage(index.nearness.scaled(cosines))


def looked_at(papers: int) -> int:
    """How many of the nearest papers are looked at where there are so many."""
    return min(NEAREST, papers, 1 + papers // 100)


def coverage(nearest: NDArray[np.float64]) -> Coverage:
    """The grade of the nearness of a submission's nearest papers."""
    level = float(nearest.mean()) if len(nearest) else 0.0
    if level < NONE_BELOW:
        return Coverage.NONE
    return Coverage.THIN if level < THIN_BELOW else Coverage.GOOD
