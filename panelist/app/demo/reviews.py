"""Synthetic reviews with a known truth: what each paper is worth, and how harsh or mild each reviewer is."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from panelist.app.demo.generator import SEED
from panelist.records import Review

_PAPERS, _REVIEWERS, _EACH = 80, 30, 3
MEAN, QUALITY, OFFSET, OPINION = 5.5, 1.2, 0.9, 0.8  # the mean score, and the spread of what makes up a score


@dataclass(frozen=True, slots=True)
class SampleReviews:
    """Reviews in half points, and what no conference ever knows: the quality and the offsets behind them."""

    reviews: tuple[Review, ...]
    quality: dict[str, float]
    offset: dict[str, float]


def reviews(seed: int = SEED) -> SampleReviews:
    """Eighty papers with three reviews each, by thirty people."""
    random = Random(f"{seed} reviews")
    quality = {f"paper{number:02d}": random.gauss(MEAN, QUALITY) for number in range(1, _PAPERS + 1)}
    offset = {f"reviewer{number:02d}": random.gauss(0, OFFSET) for number in range(1, _REVIEWERS + 1)}
    given = []
    for paper, worth in quality.items():
        for reviewer in random.sample(sorted(offset), _EACH):
            score = worth + offset[reviewer] + random.gauss(0, OPINION)
            given.append(Review(paper, reviewer, in_half_points(score)))
    return SampleReviews(tuple(given), quality, offset)


def in_half_points(score: float, highest: float = 10.0) -> float:
    """The nearest score that can be given, from 1 up."""
    return min(highest, max(1.0, round(2 * score) / 2))
