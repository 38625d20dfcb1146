"""Aspect scores of groups of reviews and their disparity (Yuan et al. 2021, §5.3 and Appendix A.11), with intervals.

The aspect score of a review is the share of positive ones among all occurrences of the aspect, ½ where it does not
occur. A group's score is the mean over its reviews, and the disparity of two groups the difference of their scores. The
paper gives no intervals; here papers are resampled with replacement, because reviews of one paper are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.measures.statistics import Interval, Ratio, interval, resampling_counts
from panelist.words import counted

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
    interval: Interval

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
    first, second = ([review for review in reviews if review.group == group] for group in groups)
    papers = sorted({review.paper for review in (*first, *second)})
    row = {paper: number for number, paper in enumerate(papers)}
    counts = resampling_counts(len(papers), seed=seed) if papers else np.zeros((0, 0))
    found = []
    for aspect in aspects:
        one, other = (_mean_score(group, aspect, row) for group in (first, second))
        difference = interval(one.resampled(counts) - other.resampled(counts))
        found.append(Disparity(aspect, one.value, other.value, one.value - other.value, difference))
    warnings = tuple(
        f"group '{group}' has {counted(len(members), 'review')}, fewer than {FEWEST}: its scores are mostly noise"
        for group, members in zip(groups, (first, second), strict=True)
        if len(members) < FEWEST
    )
    return BiasReport(
        groups,
        (len(first), len(second)),
        (len({review.paper for review in first}), len({review.paper for review in second})),
        tuple(found),
        float(np.nansum([abs(each.difference) for each in found])),
        warnings,
    )


def _mean_score(group: Sequence[GroupedReview], aspect: str, row: Mapping[str, int]) -> Ratio:
    """The mean aspect score of a group's reviews, as sums and numbers of reviews by paper."""
    sums, sizes = np.zeros((1, len(row))), np.zeros((1, len(row)))
    for review in group:
        sums[0, row[review.paper]] += aspect_score(*review.occurrences.get(aspect, (0, 0)))
        sizes[0, row[review.paper]] += 1
    return Ratio(sums, sizes)
