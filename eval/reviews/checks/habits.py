"""How a reviewer writes, against all reviews of the venue. For the chair only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.reviews.checks.content import ReviewContent

MEASURED = (
    "words", "aspects", "strengths", "weaknesses", "requests", "questions", "pointers", "polarity", "score",
)  # fmt: skip
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
    venue = {name: _values(usable, name) for name in MEASURED}
    return [
        _habits(reviewer, [content for content in usable if content.reviewer == reviewer], venue)
        for reviewer in sorted({content.reviewer for content in contents if content.reviewer})
    ]


def _values(contents: Sequence[ReviewContent], name: str) -> list[float]:
    """One figure of the reviews that have it; aspects and pointers are counted."""
    if name == "aspects":
        return [float(len(content.aspects)) for content in contents]
    if name == "pointers":
        return [float(sum(content.pointers.values())) for content in contents]
    return [float(value) for content in contents if (value := getattr(content, name)) is not None]


def _habits(reviewer: str, own: Sequence[ReviewContent], venue: dict[str, list[float]]) -> ReviewerHabits:
    if len(own) < 2:
        return ReviewerHabits(reviewer, len(own), note="one review shows no habit" if own else "no review to tag")
    rows = []
    for name, all_values in venue.items():
        values = _values(own, name)
        spread = float(np.std(all_values)) if all_values else 0.0
        if values and spread > 0:
            mean = float(np.mean(values))
            deviation = (mean - float(np.mean(all_values))) / (spread / np.sqrt(len(values)))
            rows.append(Habit(name, round(mean, 3), round(float(np.mean(all_values)), 3), round(float(deviation), 2)))
    notable = tuple(_said(habit) for habit in rows if abs(habit.deviation) >= _NOTABLE)
    return ReviewerHabits(reviewer, len(own), tuple(rows), notable)


def _said(habit: Habit) -> str:
    more, less = ("higher", "lower") if habit.name in ("polarity", "score") else ("more", "fewer")
    return f"{more if habit.deviation > 0 else less} {habit.name}: {habit.mean:g} against {habit.venue:g}"
