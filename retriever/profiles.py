"""What a person writes about: their topics over the years, their co-authors, and the words that mark their papers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from panelist.records import Author, Paper
from retriever.terms import Rarity, read

LONGEST = 500
"""Papers of a person that are looked at, the latest ones."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A topic or a term: in how many papers it is, and in how many of each year."""

    name: str
    papers: int
    years: tuple[tuple[int, int], ...]


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
    last: dict[str, int] = {}
    for paper in papers:
        for author in {one.author.id: one.author for one in paper.authorships}.values():
            if author.id != person:
                people[author.id] = author
                counts[author.id] += 1
                last[author.id] = max(last.get(author.id, 0), paper.year or 0)
    order = sorted(people, key=lambda key: (-counts[key], -last[key], key))
    return [Coauthor(people[key], counts[key], last[key] or None) for key in order]


def topics(papers: Sequence[Paper], most: int) -> list[Theme]:
    """The topics that these papers are labelled with, the most frequent first."""
    return _themes(((paper, set(paper.topics)) for paper in papers), {}, most)


def terms(papers: Sequence[Paper], rarity: Rarity, most: int) -> list[Theme]:
    """The words and phrases that mark these papers: in several of them, and rare elsewhere.

    A term weighs √(papers that have it) times the mean rarity of its words; titles and abstracts are read alike. A
    phrase of two words replaces a word that is hardly ever without it.
    """
    spelled: dict[str, Counter[str]] = {}
    found: list[tuple[Paper, set[str]]] = []
    for paper in papers:
        own: set[str] = set()
        words = [*read(paper.title), ("", ""), *read(paper.abstract)]
        for (word, stem), (after, next_stem) in zip(words, [*words[1:], ("", "")], strict=True):
            if stem:
                own.add(stem)
                spelled.setdefault(stem, Counter())[word.lower()] += 1
                if next_stem:
                    key = f"{stem} {next_stem}"
                    own.add(key)
                    spelled.setdefault(key, Counter())[f"{word} {after}".lower()] += 1
        found.append((paper, own))
    counts = Counter(key for _, own in found for key in own)
    least = 2 if len(papers) > 2 else 1
    weights = {
        key: math.sqrt(times) * sum(rarity[stem] for stem in key.split()) / len(key.split())
        for key, times in counts.items()
        if times >= least
    }
    for key in [key for key in weights if " " in key]:
        for stem in key.split():
            if counts[key] >= 0.7 * counts[stem]:
                weights.pop(stem, None)
    kept = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    names = {key: min(spelled[key], key=lambda form: (-spelled[key][form], form)) for key in kept}
    listed = _themes(((paper, own & names.keys()) for paper, own in found), names, most)
    order = {names[key]: position for position, key in enumerate(kept)}
    return sorted(listed, key=lambda theme: order[theme.name])


def _themes(labelled: Iterable[tuple[Paper, set[str]]], names: dict[str, str], most: int) -> list[Theme]:
    counts: Counter[str] = Counter()
    years: dict[str, Counter[int]] = {}
    for paper, labels in labelled:
        for label in labels:
            counts[label] += 1
            if paper.year is not None:
                years.setdefault(label, Counter())[paper.year] += 1
    best = sorted(counts, key=lambda label: (-counts[label], label))[:most]
    return [Theme(names.get(one, one), counts[one], tuple(sorted(years.get(one, {}).items()))) for one in best]
