"""A conference as a decision sees it: its record, conflicts, changes by hand, and what papers and people are called."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from msgspec import Struct

from panelist.app.desk.conference.contents import (
    PROFILES,
    ROSTER,
    load_committee,
    load_members,
    load_profiles,
    load_submissions,
)
from panelist.app.desk.conference.manual import ManualChanges
from panelist.app.desk.conference.scores import scored_ids
from panelist.app.desk.conference.state import Conference, remembered
from panelist.corpus.names import openreview_name
from panelist.corpus.store import CorpusStore
from panelist.records import Conflict
from panelist.words import Labels
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Decision

Row = TypeVar("Row")


def labels_of(conference: Conference, corpus: CorpusStore) -> Labels:
    """What the papers and people of a conference are called; read once for each state of its files."""
    titles, names, unnamed = _own_labels(conference)
    authors = corpus.authors(unnamed) if unnamed else {}
    return Labels(titles, names | {person: author.name for person, author in authors.items() if author.name != person})


@remembered("submissions", PROFILES, ROSTER, "reviewers", "committee", "scores")
def _own_labels(conference: Conference) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Titles, names, and people without a name, by the conference's own files."""
    titles = {submission.id: submission.title for submission in load_submissions(conference) if submission.title}
    names: dict[str, str] = {}
    if profiles := load_profiles(conference):
        names |= {person: name for person, name in profiles.names.items() if name != person}
    names |= {person: member.name for person, member in load_members(conference).items() if member.name}
    ids = dict.fromkeys([*load_committee(conference), *scored_ids(conference)[1]])
    unnamed = tuple(person for person in ids if person not in names and not person.startswith("~"))
    names |= {person: openreview_name(person) for person in ids if person not in names and person.startswith("~")}
    return titles, names, unnamed


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """Some rows of a list, and how many there are in all."""

    total: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Look:
    """Which rows of a list to show: those that contain a text, some of them, in an order that the list knows."""

    search: str = ""
    offset: int = 0
    limit: int = 50
    sort: str = ""

    def select(self, every: Iterable[Row], texts: Callable[[Row], Iterable[str]]) -> Slice[Row]:
        """Of all rows, in their order, those to show."""
        text = self.search.casefold().strip()
        rows = [row for row in every if not text or any(text in words.casefold() for words in texts(row))]
        return Slice(len(rows), rows[self.offset : self.offset + self.limit])


class ShownConflict(Struct, frozen=True):
    """A conflict as pages and programs get it: with what follows from its reasons and from what was decided."""

    submission: str
    reviewer: str
    certain: bool  # a reason is certain, or somebody confirmed it
    possible: bool  # neither certain nor dismissed
    evidence: str
    reasons: tuple[Conflict, ...]
    decision: Decision | None

    @classmethod
    def of(cls, pair: ConflictPair) -> Self:
        """A pair of the table, to be shown."""
        return cls(*(getattr(pair, name) for name in cls.__struct_fields__))


@dataclass(frozen=True, slots=True)
class ConferenceView:
    """A conference at one revision."""

    stored: Conference  # as it is seen
    conflicts: ConflictTable  # as they are now, with what people decided
    manual: ManualChanges  # what was changed by hand
    labels: Labels  # titles and names

    def conflict(self, paper: str, reviewer: str) -> ShownConflict | None:
        """The conflict of a pair, dismissed or not; None where there is none."""
        pair = self.conflicts.of(paper, reviewer)
        return None if pair is None else ShownConflict.of(pair)
