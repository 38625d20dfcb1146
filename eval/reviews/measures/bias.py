"""Aspect scores of groups of reviews and their disparity (Yuan et al. 2021, §5.3 and Appendix A.11), with intervals.

The aspect score of a review is the share of positive ones among all occurrences of the aspect, ½ where it does not
occur. A group's score is the mean over its reviews, and the disparity of two groups the difference of their scores. The
paper gives no intervals; here papers are resampled with replacement, because reviews of one paper are not independent.
Occurrences come from tags, or from a file's own columns.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.measures.statistics import Interval, Ratio, interval, resampling_counts
from eval.reviews.checks.content import body
from eval.reviews.reading.files import ReviewText
from eval.reviews.tagging.tagger import TaggedReview
from eval.reviews.tagging.typology import ADVISOR_NAMES, NAMES
from panelist.words import counted

FEWEST = 30
"""Reviews in a group below which a warning is given."""
_SHARE = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")
_SIGNS = ("positive", "negative")


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
    members = [[review for review in reviews if review.group == group] for group in groups]
    papers = sorted({review.paper for group in members for review in group})
    row = {paper: number for number, paper in enumerate(papers)}
    counts = resampling_counts(len(papers), seed=seed) if papers else np.zeros((0, 0))
    compared = []
    for aspect in aspects:
        left, right = (_mean_score(group, aspect, row) for group in members)
        difference = interval(left.resampled(counts) - right.resampled(counts))
        compared.append(Disparity(aspect, left.value, right.value, left.value - right.value, difference))
    warnings = tuple(
        f"group '{name}' has {counted(len(group), 'review')}, fewer than {FEWEST}: its scores are mostly noise"
        for name, group in zip(groups, members, strict=True)
        if len(group) < FEWEST
    )
    first, second = members
    sizes = len(first), len(second)
    paper_counts = len({review.paper for review in first}), len({review.paper for review in second})
    total = float(np.nansum([abs(disparity.difference) for disparity in compared]))
    return BiasReport(groups, sizes, paper_counts, tuple(compared), total, warnings)


def _mean_score(group: Sequence[GroupedReview], aspect: str, row: Mapping[str, int]) -> Ratio:
    """The mean aspect score of a group's reviews, as sums and numbers of reviews by paper."""
    sums, sizes = np.zeros((1, len(row))), np.zeros((1, len(row)))
    for review in group:
        sums[0, row[review.paper]] += aspect_score(*review.occurrences.get(aspect, (0, 0)))
        sizes[0, row[review.paper]] += 1
    return Ratio(sums, sizes)


def tagged_occurrences(tagged: Sequence[TaggedReview], column: str) -> list[GroupedReview]:
    """Count from tags: the overall polarity and clarity only, because the others do not follow what reviewers score."""
    grouped = []
    for review in tagged:
        signs = [(s.polarity, bool({"CLA", "PNF"} & set(s.aspects))) for s in body(review) if s.polarity in _SIGNS]
        counts = {
            "overall": (sum(sign == "positive" for sign, _ in signs), len(signs)),
            "clarity": (sum(sign == "positive" for sign, clear in signs if clear), sum(clear for _, clear in signs)),
        }
        grouped.append(GroupedReview(review.review.paper, review.review.columns.get(column, ""), counts))
    return grouped


def gold_occurrences(reviews: Sequence[ReviewText], column: str) -> list[GroupedReview] | None:
    """Read columns named as aspects that hold positive/all, such as 2/3 (empty: none); None where there are none."""
    aspects = {*NAMES, *NAMES.values(), *ADVISOR_NAMES, *ADVISOR_NAMES.values()}
    counts: dict[str, list[tuple[int, int]]] = {}
    for name in dict.fromkeys(name for review in reviews for name in review.columns if name in aspects):
        matches = [_SHARE.fullmatch(review.columns.get(name) or "0/0") for review in reviews]
        if all(matches):
            counts[name] = [(int(match[1]), int(match[2])) for match in matches if match]
    if not any(review.columns.get(name) for name in counts for review in reviews):
        return None
    rows = (dict(zip(counts, row, strict=True)) for row in zip(*counts.values(), strict=True))
    return [
        GroupedReview(review.paper, review.columns.get(column, ""), row)
        for review, row in zip(reviews, rows, strict=True)
    ]
