"""Invented texts of reviews for the demo's conference: plain, varied, and with what a chair should notice.

Most fit their paper and their score. One reviewer wrote the same about two papers, and one sent the review of another
paper by mistake. Reviewers have habits: each of them never speaks about two of the aspects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from panelist.app.demo.generator import SEED, corpus
from panelist.app.demo.material import Theme, load, topics
from panelist.records import Paper

_GOOD, _BAD = 6.0, 5.0  # scores above and below which a review ends with a clear recommendation
_SENTENCES = 5
_LISTS = 0.4  # of the reviewers list strengths and weaknesses
_NEVER = 2  # aspects of which a reviewer does not speak


class Scored(NamedTuple):
    """A review of which only the score is known."""

    paper: str
    reviewer: str
    score: float


def write_texts(reviews: Sequence[Scored]) -> list[str]:
    """The text of each of these reviews, always the same."""
    papers = {paper.id: paper for paper in corpus()}
    random = Random(f"{SEED} review texts")
    reused, strayed = _twice(reviews, papers, same=True), _twice(reviews, papers, same=False)
    texts = []
    said: Counter[tuple[str, str]] = Counter()
    for number, one in enumerate(reviews):
        about = papers[reviews[strayed[1]].paper if number == strayed[0] else one.paper]
        writer = _Writer(about, one, random, said)
        texts.append(writer.copied() if number in reused else writer.text(detailed=number == strayed[0]))
    return texts


def _twice(reviews: Sequence[Scored], papers: dict[str, Paper], *, same: bool) -> tuple[int, int]:
    """Two reviews by one person, of papers of the same science or of different ones; these people are different."""
    found = [
        (first, second)
        for first, one in enumerate(reviews)
        for second, other in enumerate(reviews)
        if one.reviewer == other.reviewer
        and first < second
        and (papers[one.paper].topics[0] == papers[other.paper].topics[0]) == same
    ]
    return found[0] if same else found[-1]


class _Writer:
    """Writes one review: in which words depends on what others said about papers of the same theme."""

    def __init__(self, paper: Paper, review: Scored, random: Random, said: Counter[tuple[str, str]]) -> None:
        self._slots, self._theme = _slots(paper), paper.topics[-1]
        self._review, self._random, self._said = review, random, said
        self._silent = Random(f"{SEED} {review.reviewer}").sample(sorted(_material()["praise"]), _NEVER)

    def copied(self) -> str:
        """A text that would do for any paper."""
        return f"{self._say(_material()['opening'])} {' '.join(_material()['special']['copied'].split())}"

    def text(self, *, detailed: bool) -> str:
        """A text that fits paper and score; a detailed one is long enough to be compared with all papers."""
        material, score = _material(), self._review.score
        opening = self._say(material["opening"])
        praised = self._aspects("praise", round(_SENTENCES * min(1.0, max(0.0, (score - 2) / 7))))
        strengths = [self._say(material["praise"][name]) for name in praised]
        blamed = self._aspects("criticism", _SENTENCES - len(praised), but=praised)
        weaknesses = [self._say(material["criticism"][name]) for name in blamed]
        if detailed:
            weaknesses += [one.format(**self._slots) for one in material["special"]["detailed"]]
        closing = self._say(
            material["closing"]["praise" if score > _GOOD else "criticism" if score < _BAD else "middle"]
        )
        if Random(f"{SEED} {self._review.reviewer} form").random() > _LISTS:
            return " ".join([opening, *strengths, *weaknesses, closing])
        parts = [
            f"{name}:\n" + "\n".join(f"- {one}" for one in found)
            for name, found in (("Strengths", strengths), ("Weaknesses", weaknesses))
            if found
        ]
        return "\n\n".join([opening, *parts, closing])

    def _aspects(self, tone: str, count: int, but: Sequence[str] = ()) -> list[str]:
        known = [
            name
            for name, sentences in _material()[tone].items()
            if name not in (*self._silent, *but) and not all(self._said[self._theme, one] for one in sentences)
        ]
        return self._random.sample(known, min(count, len(known)))

    def _say(self, sentences: Sequence[str]) -> str:
        """One of these sentences about the paper, one that was said least."""
        least = min(self._said[self._theme, one] for one in sentences)
        chosen = self._random.choice([one for one in sentences if self._said[self._theme, one] == least])
        self._said[self._theme, chosen] += 1
        return chosen.format(**self._slots)


def _slots(paper: Paper) -> dict[str, str]:
    """What a review can name of a paper: phrases of its theme, those that it uses itself first."""
    text = f"{paper.title} {paper.abstract}".lower()
    theme = _theme(paper)

    def phrase(kind: str) -> str:
        plain = [one for one in theme.phrases[kind] if "{" not in one]
        return next((one for one in plain if one.lower() in text), plain[0])

    return {"title": paper.title, **{kind: phrase(kind) for kind in ("object", "aspect", "method")}}


def _theme(paper: Paper) -> Theme:
    topic, name = paper.topics
    return next(theme for one in topics() if one.name == topic for theme in one.themes if theme.name == name)


def _material() -> dict[str, Any]:
    return load("reviews.toml")
