"""Aspect scores of groups of reviews and their disparity (Yuan et al. 2021, §5.3 and Appendix A.11), with intervals.

The aspect score of a review is the share of positive ones among all occurrences of the aspect, ½ where it does not
occur. A group's score is the mean over its reviews, and the disparity of two groups the difference of their scores. The
paper gives no intervals; here papers are resampled with replacement, because reviews of one paper are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.measures.statistics import interval, resampling_counts

FEWEST = 30
"""Reviews in a group below which a warning is given."""


@dataclass(frozen=True, slots=True)
class GroupedReview:
    """A review for this analysis: `occurrences` are (positive, all) by aspect."""

    paper: str
    group: str
    occurrences: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Disparity:
    """The scores of one aspect in two groups, and the first minus the second with its 95 % interval."""

    aspect: str
    first: float
    second: float
    difference: float
    interval: tuple[float, float]

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True, slots=True)
class BiasReport:
    """Disparities of all aspects; `total` is the sum of their absolute values, as in the paper's tables."""

    groups: tuple[str, str]
    reviews: tuple[int, int]
    papers: tuple[int, int]
    disparities: tuple[Disparity, ...]
    total: float
    warnings: tuple[str, ...]


def aspect_score(positive: int, occurrences: int) -> float:
    """Positive / all occurrences, ½ where there are none."""
    return positive / occurrences if occurrences else 0.5


def disparities(
    reviews: Sequence[GroupedReview], aspects: Sequence[str], groups: tuple[str, str], seed: int = 0
) -> BiasReport:
    """Compare two groups of reviews."""
    members = [[review for review in reviews if review.group == group] for group in groups]
    papers = sorted({review.paper for group in members for review in group})
    row = {paper: number for number, paper in enumerate(papers)}
    counts = resampling_counts(len(papers), seed=seed) if papers else np.zeros((0, 0))
    found = []
    for aspect in aspects:
        means, resampled = [], []
        for group in members:
            sums, sizes = np.zeros(len(papers)), np.zeros(len(papers))
            for review in group:
                sums[row[review.paper]] += aspect_score(*review.occurrences.get(aspect, (0, 0)))
                sizes[row[review.paper]] += 1
            means.append(float(sums.sum() / sizes.sum()) if sizes.sum() else float("nan"))
            below = counts @ sizes
            resampled.append(np.divide(counts @ sums, below, out=np.full(len(below), np.nan), where=below > 0))
        found.append(Disparity(aspect, means[0], means[1], means[0] - means[1], interval(resampled[0] - resampled[1])))
    sizes_of = (len(members[0]), len(members[1]))
    warnings = tuple(
        f"group '{group}' has {size} reviews, fewer than {FEWEST}: its scores are mostly noise"
        for group, size in zip(groups, sizes_of, strict=True)
        if size < FEWEST
    )
    return BiasReport(
        groups,
        sizes_of,
        (len({r.paper for r in members[0]}), len({r.paper for r in members[1]})),
        tuple(found),
        float(np.nansum([abs(each.difference) for each in found])),
        warnings,
    )
