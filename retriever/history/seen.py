"""What a history says on one day about one submission: how near somebody's reviews are, how many, and how long ago.

The day is the horizon. Of what was published, or handed in, on that day or later nothing is seen, and nothing of the
submission itself: a history contains the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from indexing.tables.nearness import Nearness
from panelist.records import Submission
from retriever.history.table import EDITED, NEVER, REVIEWED, UNDATED, History

NEAREST = 1.5
"""Nearer than this counts as this: on the scale of few papers nobody knows what near is."""
YEAR = 365
"""Days in which reviews count as recent."""


class Served(NamedTuple):
    """The papers that people served as evidence says, person after person."""

    papers: NDArray[np.int64]  # rows of `history.vectors`
    starts: NDArray[np.int64]  # where those of each person begin
    people: NDArray[np.int64]  # positions in `history.authors`: whose they are

    @classmethod
    def of(cls, history: History, events: NDArray[np.bool_]) -> Self:
        """The papers of these events."""
        persons = history.persons[events]  # ascending
        starts = np.flatnonzero(np.diff(persons, prepend=-1))
        return cls(history.papers[events], starts, persons[starts])

    def nearest(self, near: NDArray[np.float64], history: History) -> NDArray[np.float64]:
        """(people) of everybody with a history how near the nearest of these papers is."""
        nearest = np.zeros(len(history.authors))
        if len(self.papers):
            nearest[self.people] = np.maximum.reduceat(near[self.papers], self.starts)
        return nearest


@dataclass(frozen=True, eq=False)
class Seen:
    """A history as one day saw it, for one submission; arrays are beside `history.authors` unless said otherwise."""

    history: History
    day: int  # the horizon
    seen: NDArray[np.bool_]  # (events) which of them are evidence
    reviewing: Served  # as a reviewer
    editing: Served  # as an editor
    near: NDArray[np.float64]  # (papers) how near they are, from 0 for random ones to 1 for a nearest neighbour
    reviewed: NDArray[np.float64]  # how near the nearest paper is that they reviewed
    edited: NDArray[np.float64]  # how near the nearest paper is that they edited
    reviews: NDArray[np.int64]  # how many papers they reviewed
    editorships: NDArray[np.int64]  # how many they edited
    total: NDArray[np.int64]  # the same with those that they oversaw as senior editors
    last: NDArray[np.int64]  # the day of the latest of all; 0 for none
    recent: NDArray[np.int64]  # how many reviews in the year before, those with them that are open
    rested: NDArray[np.int64]  # the day of their latest review; 0 for none, the horizon where one is open
    open: NDArray[np.int64]  # how many reviews they have now

    @classmethod
    def of(
        cls,
        history: History,
        submission: Submission,
        vector: NDArray[np.float32] | None,
        nearness: Nearness,
        excluded: Sequence[str] = (),
    ) -> Seen:
        """What is known on the day of the submission, or today; without a vector nothing is near.

        What was done for the submission itself, or for papers that are excluded, does not count.
        """
        day = (submission.received or date.today()).toordinal()
        left_out = tuple(row for paper in (submission.id, *excluded) if (row := history.rows.get(paper)) is not None)
        seen = _numbers(history, day, left_out, submission.received is None)
        if vector is None:
            return seen
        # In one thread: a product by BLAS takes the core of what reads the references meanwhile.
        near = np.clip(nearness.scaled(np.einsum("ij,j->i", history.vectors, vector)), 0, NEAREST)
        reviewed, edited = (served.nearest(near, history) for served in (seen.reviewing, seen.editing))
        return replace(seen, near=near, reviewed=reviewed, edited=edited)

    def served(self, authors: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Whether each of these authors reviewed or edited anything."""
        return self.of_authors(self.total, authors) > 0

    def new(self, authors: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Who did neither."""
        return ~self.served(authors)

    def tired(self, authors: NDArray[np.integer[Any]], rest: int, at_most: int | None) -> NDArray[np.bool_]:
        """Who reviewed in the last `rest` days, or at least `at_most` times in a year."""
        if rest == 0 and at_most is None:
            return np.zeros(len(authors), np.bool_)
        last = self.of_authors(self.rested, authors)
        tired: NDArray[np.bool_] = (last > 0) & (self.day - last < rest)
        return tired if at_most is None else tired | (self.of_authors(self.recent, authors) >= at_most)

    def evidence(self) -> dict[str, NDArray[np.float64]]:
        """(people) what everybody with a history did before; see `retriever.fit`."""
        return {
            "reviewed": np.maximum(self.reviewed, self.edited),
            "reviews": np.log1p(self.reviews + self.editorships),
        }

    def busy(self, authors: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """How many reviews each of these authors had in twelve months, those that are open counted twice."""
        return self.of_authors(self.recent + self.open, authors)

    def of_authors(self, values: NDArray[Any], authors: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The values of these authors, 0 for those without a history."""
        return np.append(values, values.dtype.type(0))[self.history.find(authors)]


@lru_cache(maxsize=4)  # most submissions of a day see the same
def _numbers(history: History, day: int, left_out: tuple[int, ...], undated: bool) -> Seen:
    """What a day saw without these papers, `undated` events too where no day was asked for; nothing is near."""
    counted = ~np.isin(history.papers, left_out)
    seen = counted & np.where(history.since == UNDATED, undated, history.since < day)
    review, edit = history.kinds == REVIEWED, history.kinds == EDITED
    ended = history.ended
    now = _sum(counted & review & (history.begun < day) & (ended >= day), history)
    over = counted & review & (history.since != NEVER) & (ended < day)
    nothing = np.zeros(len(history.authors))
    return Seen(
        history,
        day,
        seen,
        Served.of(history, seen & review),
        Served.of(history, seen & edit),
        np.zeros(len(history.vectors)),
        nothing,
        nothing,
        _sum(seen & review, history),
        _sum(seen & edit, history),
        _sum(seen, history),
        _most(np.where(seen & (history.since != UNDATED), history.since, 0), history),
        _sum(over & (ended >= day - YEAR), history) + now,
        np.where(now > 0, day, _most(np.where(over, ended, 0), history)),
        now,
    )


def _most(values: NDArray[Any], history: History) -> NDArray[Any]:
    """(people) the largest of the values of their events."""
    most: NDArray[Any] = np.maximum.reduceat(values, history.starts) if len(values) else values
    return most


def _sum(mask: NDArray[np.bool_], history: History) -> NDArray[np.int64]:
    return np.bincount(history.persons[mask], minlength=len(history.authors))
