"""Samples of the demo: submissions in words of their own, so that finding reviewers is real work; reviews; their texts.

The reviews have a known truth: what each paper is worth, and how harsh or mild each reviewer is.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from eval.reviews.reading.files import ReviewFile, read_review_file
from panelist.app.demo.generator import SEED, corpus
from panelist.records import Review, Submission

_YEAR = 2025
_FILE = Path(__file__).parent.parent / "web" / "static" / "sample-review-texts.csv"
_PAPERS, _REVIEWERS, _EACH = 80, 30, 3
MEAN, QUALITY, OFFSET, OPINION = 5.5, 1.2, 0.9, 0.8  # the mean score, and the spread of what makes up a score


def submissions() -> tuple[Submission, ...]:
    """Four submissions: by authors of the corpus, by names alone, anonymous across two fields, and a title alone."""
    theme = (paper for paper in corpus() if "Expert finding and reviewer assignment" in paper.topics)
    own = max(theme, key=lambda paper: (paper.year or 0, paper.id))
    places = (institution for authorship in own.authorships for institution in authorship.institutions)
    return (
        Submission(
            id="synthetic:S1",
            title="Who should read this? Learning to match manuscripts with referees",
            abstract=(
                "Editors spend hours searching for referees who know the subject of a manuscript and have no stake in "
                "its fate. We train a text encoder on pairs of papers by the same person and represent each candidate "
                "by the set of their publications instead of a single averaged vector. A candidate's score sums the "
                "similarities of their best papers, discounted by rank. In a comparison with expertise that "
                "researchers stated themselves, the method orders candidates better than keyword matching, and "
                "removing recent co-authors hardly affects the quality of the remaining list."
            ),
            authors=tuple(authorship.author for authorship in own.authorships),
            institutions=tuple(dict.fromkeys(places)),
            references=(own.id, *own.references[:3]),
            year=_YEAR,
        ),
        Submission(
            id="synthetic:S2",
            title="Spotted stars and muted water: disentangling the light source from the planet's limb",
            abstract=(
                "The depth of a transit changes with wavelength because molecules absorb starlight at the edge of the "
                "planet, but also because the star is not uniform. We observed eight close-in planets of cool dwarfs "
                "twice, once when their stars were spotted and once when they were quiet. Fitting both epochs jointly "
                "with a cloudy atmosphere reduces the inferred water mixing ratio for half of the sample. Repeated "
                "visits are a cheap safeguard against mistaking starspots for steam."
            ),
            author_names=(_shared_name(), "Ottoline Nightingale-Park"),
            year=_YEAR,
        ),
        Submission(
            id="synthetic:S3",
            title="Listening for mosquitoes: low-cost acoustic sensors as an early warning of fever outbreaks",
            abstract=(
                "Trapping and counting disease vectors by hand is slow and reaches few villages. We placed solar "
                "recorders in houses and at pond margins and trained a network to recognise the wing beats of biting "
                "mosquitoes against a background of frogs, rain and motorcycles. Over two rainy seasons the sound "
                "index rose three weeks before clinics reported more cases of malaria and dengue. Combined with "
                "rainfall, it predicts which villages will be affected better than either signal alone."
            ),
            year=_YEAR,
        ),
        Submission(
            id="synthetic:S4",
            title="Fast charging without lithium plating: stress-relieved silicon anodes with fluorinated electrolytes",
            year=_YEAR,
        ),
    )


def _shared_name() -> str:
    """A name that two people of the corpus have: that it is given can be no proof of who is meant."""
    people = {authorship.author for paper in corpus() for authorship in paper.authorships}
    names = Counter(author.name for author in people)
    return min(name for name, bearers in names.items() if bearers > 1)


def review_texts() -> ReviewFile:
    """The reviews, and the submissions that they are about."""
    papers = (
        ("paper-1", "Counting seabirds from the air", "Drones photograph colonies of seabirds; a network counts."),
        ("paper-2", "Radar sees wet soil", "Soil moisture is predicted from radar backscatter of satellites."),
        ("paper-3", "Two hundred letters", "An annotated corpus of letters from the eighteenth century."),
    )
    return ReviewFile(read_review_file(_FILE).reviews, tuple(Submission(*paper) for paper in papers))


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
    scored = []
    for paper, worth in quality.items():
        for reviewer in random.sample(sorted(offset), _EACH):
            score = worth + offset[reviewer] + random.gauss(0, OPINION)
            scored.append(Review(paper, reviewer, in_half_points(score)))
    return SampleReviews(tuple(scored), quality, offset)


def in_half_points(score: float, highest: float = 10.0) -> float:
    """The nearest score that can be given, from 1 up."""
    return min(highest, max(1.0, round(2 * score) / 2))
