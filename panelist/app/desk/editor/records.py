"""What the editor's desk keeps, as frozen records."""

import secrets
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a person stands with a submission; the editor sets it by hand."""

    SHORTLISTED = "shortlisted"
    INVITED = "invited"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    EXCLUDED = "excluded"


def new_revision() -> int:
    """A number that no earlier form of a thing had, even one that was erased; 0 is for what is not there."""
    return 1 + secrets.randbelow(1 << 50)  # which JavaScript reads exactly


ON_PANEL = frozenset({State.SHORTLISTED, State.INVITED, State.ACCEPTED})
"""The states of those who are, or may become, reviewers of the submission."""

WITH_DEADLINE = frozenset({State.INVITED, State.ACCEPTED})  # the states of those whose report is waited for


@dataclass(frozen=True, slots=True)
class SavedReviewer:
    """A person in the list of one submission; the four days are as the editor gave them."""

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
class Involvement:
    """A submission in whose list a person is."""

    submission: str
    title: str
    state: State
    invited: str | None
    answered: str | None


@dataclass(frozen=True, slots=True)
class Load:
    """How often a person was asked in a year, over all kept submissions, and how that ended so far."""

    invited: int = 0
    accepted: int = 0
    declined: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased of a person, and the kept submissions that still name them as an author."""

    notes: int
    lists: int
    authored: tuple[str, ...]
