"""Samples of the demo: submissions in words of their own, so that finding reviewers is real work; reviews; their texts.

The reviews have a known truth: what each paper is worth, and how harsh or mild each reviewer is.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from msgspec.structs import replace

from eval.reviews.reading.files import ReviewFile, read_review_file
from panelist.app.demo.material import SEED, corpus, load_material
from panelist.records import Review, Submission

_YEAR = 2025
_FILE = Path(__file__).parent.parent / "web" / "static" / "sample-review-texts.csv"
_PAPERS, _REVIEWERS, _EACH = 80, 30, 3
MEAN, QUALITY, OFFSET, OPINION = 5.5, 1.2, 0.9, 0.8  # the mean score, and the spread of what makes up a score
STRANGER = Submission(**load_material("submissions.toml")["stranger"])
"""A submission on which nobody of the demo works."""


def submissions() -> tuple[Submission, ...]:
    """Four submissions: by authors of the corpus, by names alone, anonymous across two fields, and a title alone."""
    theme = (paper for paper in corpus() if "Expert finding and reviewer assignment" in paper.topics)
    cited = max(theme, key=lambda paper: (paper.year or 0, paper.id))
    places = (institution for authorship in cited.authorships for institution in authorship.institutions)
    by_ids, by_names, *samples = (
        Submission(**fields, year=_YEAR) for fields in load_material("submissions.toml")["submissions"]
    )
    by_ids = replace(
        by_ids,
        authors=tuple(authorship.author for authorship in cited.authorships),
        institutions=tuple(dict.fromkeys(places)),
        references=(cited.id, *cited.references[:3]),
    )
    return by_ids, replace(by_names, author_names=(_shared_name(), "Ottoline Nightingale-Park")), *samples


def _shared_name() -> str:
    """A name that two people of the corpus have: that it is given can be no proof of who is meant."""
    people = {authorship.author for paper in corpus() for authorship in paper.authorships}
    return min(name for name, bearers in Counter(author.name for author in people).items() if bearers > 1)


def review_texts() -> ReviewFile:
    """The reviews, and the submissions that they are about."""
    papers = tuple(Submission(**paper) for paper in load_material("submissions.toml")["reviewed"])
    return ReviewFile(read_review_file(_FILE).reviews, papers)


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
    scored = (
        Review(paper, reviewer, in_half_points(worth + offset[reviewer] + random.gauss(0, OPINION)))
        for paper, worth in quality.items()
        for reviewer in random.sample(sorted(offset), _EACH)
    )
    return SampleReviews(tuple(scored), quality, offset)


def in_half_points(score: float) -> float:
    """The nearest score that can be given, from 1 to 10."""
    return min(10.0, max(1.0, round(2 * score) / 2))
