"""What a person writes about: their topics over the years, their co-authors, and the words that mark their papers."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from panelist.records import Author, Paper
from retriever.terms import Rarity, read_words

LONGEST = 500
"""How many papers of a person are read, the latest ones."""


@dataclass(frozen=True, slots=True)
class YearCount:
    """How many papers are of one year."""

    year: int
    papers: int


@dataclass(frozen=True, slots=True)
class Theme:
    """A topic or a term: in how many papers it is, and in how many of each year."""

    name: str
    papers: int
    years: tuple[YearCount, ...]


@dataclass(frozen=True, slots=True)
class Coauthor:
    """Somebody who wrote with the person: how many papers, and when the last one."""

    author: Author
    papers: int
    last_year: int | None


def coauthors(person: str, papers: Iterable[Paper]) -> list[Coauthor]:
    """Who wrote these papers with a person: most papers first, then the latest, then by id."""
    people: dict[str, Author] = {}
    counts: Counter[str] = Counter()
    last_years: dict[str, int] = {}
    for paper in papers:
        for author in {authorship.author.id: authorship.author for authorship in paper.authorships}.values():
            if author.id != person:
                people[author.id] = author
                counts[author.id] += 1
                last_years[author.id] = max(last_years.get(author.id, 0), paper.year or 0)
    order = sorted(people, key=lambda key: (-counts[key], -last_years[key], key))
    return [Coauthor(people[key], counts[key], last_years[key] or None) for key in order]


def topics(papers: Sequence[Paper], most: int) -> list[Theme]:
    """The topics that these papers are labelled with, the most frequent first."""
    counts = Counter(topic for paper in papers for topic in set(paper.topics))
    best = sorted(counts, key=lambda topic: (-counts[topic], topic))[:most]
    return [_theme(topic, [paper for paper in papers if topic in paper.topics]) for topic in best]


def terms(papers: Sequence[Paper], rarity: Rarity, most: int) -> list[Theme]:
    """The words and phrases that mark these papers: in several of them, and rare elsewhere.

    A term weighs √(papers that have it) times the mean rarity of its words; titles and abstracts are read alike. A
    phrase of two words replaces a word that is hardly ever without it.
    """
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    terms_of_papers: list[tuple[Paper, set[str]]] = []
    for paper in papers:
        stems: set[str] = set()
        texts = (zip(*read_words(text), strict=True) for text in (paper.title, paper.abstract))
        words = [pair for text in texts for pair in (*text, ("", ""))]
        for (word, stem), (after, next_stem) in pairwise(words):
            if stem:
                stems.add(stem)
                spelled[stem][word.lower()] += 1
                if next_stem:
                    key = f"{stem} {next_stem}"
                    stems.add(key)
                    spelled[key][f"{word} {after}".lower()] += 1
        terms_of_papers.append((paper, stems))
    counts = Counter(key for _, stems in terms_of_papers for key in stems)
    least = 2 if len(papers) > 2 else 1
    weights = {
        key: math.sqrt(times) * sum(rarity[stem] for stem in key.split()) / len(key.split())
        for key, times in counts.items()
        if times >= least
    }
    for key in [key for key in weights if " " in key]:  # a phrase
        for stem in key.split():
            if counts[key] >= 0.7 * counts[stem]:
                weights.pop(stem, None)
    best = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    names = {key: min(spelled[key], key=lambda form: (-spelled[key][form], form)) for key in best}
    return [_theme(names[key], [paper for paper, stems in terms_of_papers if key in stems]) for key in best]


def _theme(name: str, papers: Sequence[Paper]) -> Theme:
    return Theme(name, len(papers), by_year(papers))


def by_year(papers: Iterable[Paper]) -> tuple[YearCount, ...]:
    """How many of these papers are of each year, the earliest first."""
    years = Counter(paper.year for paper in papers if paper.year is not None)
    return tuple(YearCount(year, count) for year, count in sorted(years.items()))
