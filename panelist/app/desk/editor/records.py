"""What the editor's desk keeps, as frozen records."""

import secrets
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class State(StrEnum):
    """Where a person stands with a submission; the editor sets it by hand."""

    SHORTLISTED = "shortlisted"
    INVITED = "invited"
    ACCEPTED = "accepted"
    DONE = "done"
    DECLINED = "declined"
    EXCLUDED = "excluded"


def new_revision() -> int:
    """A number that no earlier form of a thing had, even one that was erased; 0 is for what is not there."""
    return 1 + secrets.randbelow(1 << 50)  # which JavaScript reads exactly


ON_PANEL = frozenset({State.SHORTLISTED, State.INVITED, State.ACCEPTED, State.DONE})
"""The states of those who are, or may become, reviewers of the submission."""

WITH_DEADLINE = frozenset({State.INVITED, State.ACCEPTED})  # the states of those whose report is waited for


@dataclass(frozen=True, slots=True)
class SavedReviewer:
    """A person in the list of one submission; the four days are as the editor gave them.

    `answered` is the day of the answer, and once the report is in, that of the report.
    """

    person: str
    name: str
    state: State
    added: str
    invited: str | None
    answered: str | None
    due: str | None
    reminder: str | None
    revision: int


@dataclass(frozen=True, slots=True)
class SavedSubmission:
    """A submission as it was looked up: `request` is the look-up as JSON (`{"submission": …, "options": …}`)."""

    id: str
    title: str
    created: str
    changed: str
    revision: int
    request: str
    reviewers: tuple[SavedReviewer, ...]


@dataclass(frozen=True, slots=True)
class SavedSummary:
    """A submission in a list, with the number of people in each state."""

    id: str
    title: str
    created: str
    changed: str
    counts: dict[State, int]


@dataclass(frozen=True, slots=True)
class Note:
    """The one note about a person; revision 0 where there is none yet."""

    person: str
    name: str
    text: str
    changed: str | None
    revision: int


@dataclass(frozen=True, slots=True)
class Address:
    """An e-mail address that an editor typed, and on which day; the name is empty on a desk without users."""

    person: str
    email: str
    editor: str
    typed: str


@dataclass(frozen=True, slots=True)
class Involvement:
    """A submission in whose list a person is."""

    submission: str
    title: str
    state: State
    invited: str | None
    answered: str | None


@dataclass(frozen=True, slots=True)
class Load:
    """How often a person was asked in a year, over all kept submissions, and how that ended so far.

    `accepted` counts reports that are in, too. Whatever the year, `open` reviews are waited for, `recent` are these
    and the reports of the last 12 months, `last` is the day of the last report, and `refused` how many of the latest
    answers in a row were refusals.
    """

    invited: int = 0
    accepted: int = 0
    declined: int = 0
    open: int = 0
    recent: int = 0
    last: str | None = None
    refused: int = 0

    def rests(self, rest: int, at_most: int | None, today: date) -> bool:
        """Whether they reviewed in the last `rest` days, have a review open, or `at_most` or more in 12 months."""
        soon = rest > 0 and (self.open > 0 or (self.last or "") > (today - timedelta(days=rest)).isoformat())
        return soon or (at_most is not None and self.recent >= at_most)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased of a person, and the kept submissions that still name them as an author."""

    notes: int
    lists: int
    authored: tuple[str, ...]
