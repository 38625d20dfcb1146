"""Synthetic reviews with a known truth: what each paper is worth, and how harsh or mild each reviewer is."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from panelist.app.demo.generator import SEED
from panelist.records import Review

_PAPERS, _REVIEWERS, _EACH = 80, 30, 3
_MEAN, _QUALITY, _OFFSET, _OPINION = 5.5, 1.2, 0.9, 0.8


@dataclass(frozen=True, slots=True)
class SampleReviews:
    """Reviews in half points, and what no conference ever knows: the quality and the offsets behind them."""

    reviews: tuple[Review, ...]
    quality: dict[str, float]
    offset: dict[str, float]


def reviews(seed: int = SEED) -> SampleReviews:
    """Eighty papers with three reviews each, by thirty people."""
    random = Random(f"{seed} reviews")
    quality = {f"paper{number:02d}": random.gauss(_MEAN, _QUALITY) for number in range(1, _PAPERS + 1)}
    offset = {f"reviewer{number:02d}": random.gauss(0, _OFFSET) for number in range(1, _REVIEWERS + 1)}
    given = []
    for paper, worth in quality.items():
        for reviewer in random.sample(sorted(offset), _EACH):
            score = round(2 * (worth + offset[reviewer] + random.gauss(0, _OPINION))) / 2
            given.append(Review(paper, reviewer, min(10.0, max(1.0, score))))
    return SampleReviews(tuple(given), quality, offset)
