"""How sure a match is: one near paper may be there by chance, three hardly can.

A paper is *near* a submission if it is among the nearest of all papers: a share of them, but ten at least. The grade
counts a person's near papers. On eLife it tells which suggestions are more often right, in the look-up and in affinity;
the length of a profile and a bootstrap over its papers do not (docs/research/ranking.md, docs/research/affinity.md).
"""

import numpy as np
from numpy.typing import NDArray

from panelist.records import Confidence
from retriever.stages import RankedAuthors

NEAR_SHARE = 0.005
"""The share of all papers that are near a submission."""
NEAR_LEAST = 10
"""How many papers are near at least, however few there are."""
GRADES = (Confidence.LOW, Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)
"""The grade of no near paper, of one, of two, of three or more."""


def near_rank(papers: int) -> int:
    """How many of this many papers are near a submission."""
    return max(NEAR_LEAST, round(NEAR_SHARE * papers))


def confidence(near: int) -> Confidence:
    """The grade of somebody with this many near papers."""
    return GRADES[min(near, len(GRADES) - 1)]


def near_papers(ranked: RankedAuthors, rows: NDArray[np.int64], papers: int) -> NDArray[np.int64]:
    """(rows) how many near papers the authors in these rows of a look-up's ranking have, of all papers of the index."""
    if len(rows) == 0:
        return np.zeros(0, dtype=np.int64)
    counts = ranked.counts(rows)
    near = (ranked.positions(rows) < near_rank(papers)).astype(np.int64)
    return np.add.reduceat(near, np.cumsum(counts) - counts)
