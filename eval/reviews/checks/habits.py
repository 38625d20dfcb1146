"""How a reviewer writes, against all reviews of the venue. For the chair only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eval.reviews.checks.content import ReviewContent

MEASURED: dict[str, Callable[[ReviewContent], float | None]] = {
    "words": lambda content: float(content.words),
    "aspects": lambda content: float(len(content.aspects)),
    "strengths": lambda content: float(content.strengths),
    "weaknesses": lambda content: float(content.weaknesses),
    "requests": lambda content: float(content.requests),
    "questions": lambda content: float(content.questions),
    "pointers": lambda content: float(sum(content.pointers.values())),
    "polarity": lambda content: content.polarity,
    "score": lambda content: content.score,
}
_NOTABLE = 2.0  # standard errors from the venue's mean


@dataclass(frozen=True, slots=True)
class Habit:
    """A reviewer's mean of one figure, the venue's, and how many standard errors lie between them."""

    name: str
    mean: float
    venue: float
    deviation: float


@dataclass(frozen=True, slots=True)
class ReviewerHabits:
    """One reviewer; `notable` lists what differs by two standard errors or more, `note` says why nothing is said."""

    reviewer: str
    reviews: int
    habits: tuple[Habit, ...] = ()
    notable: tuple[str, ...] = ()
    note: str = ""


def habits(contents: Sequence[ReviewContent]) -> list[ReviewerHabits]:
    """The habits of every reviewer that the file names, in order of name."""
    usable = [content for content in contents if content.sentences]
    venue = {name: _values(usable, measure) for name, measure in MEASURED.items()}
    return [
        _habits(reviewer, [content for content in usable if content.reviewer == reviewer], venue)
        for reviewer in sorted({content.reviewer for content in contents if content.reviewer})
    ]


def _values(contents: Sequence[ReviewContent], measure: Callable[[ReviewContent], float | None]) -> list[float]:
    return [value for content in contents if (value := measure(content)) is not None]


def _habits(reviewer: str, own: Sequence[ReviewContent], venue: dict[str, list[float]]) -> ReviewerHabits:
    if len(own) < 2:
        return ReviewerHabits(reviewer, len(own), note="one review shows no habit" if own else "no review to tag")
    found = []
    for name, measure in MEASURED.items():
        values, all_values = _values(own, measure), venue[name]
        spread = float(np.std(all_values)) if all_values else 0.0
        if values and spread > 0:
            mean = float(np.mean(values))
            deviation = (mean - float(np.mean(all_values))) / (spread / np.sqrt(len(values)))
            found.append(Habit(name, round(mean, 3), round(float(np.mean(all_values)), 3), round(float(deviation), 2)))
    notable = tuple(_said(habit) for habit in found if abs(habit.deviation) >= _NOTABLE)
    return ReviewerHabits(reviewer, len(own), tuple(found), notable)


def _said(habit: Habit) -> str:
    more, less = ("higher", "lower") if habit.name in ("polarity", "score") else ("more", "fewer")
    return f"{more if habit.deviation > 0 else less} {habit.name}: {habit.mean:g} against {habit.venue:g}"
