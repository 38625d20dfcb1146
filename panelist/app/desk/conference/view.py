"""A conference as a decision sees it: its record, its conflicts, changes by hand, and what everything is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from panelist.app.desk.conference.assignment.manual import ManualChanges
from panelist.app.desk.conference.labels import Labels
from panelist.app.desk.conference.store import StoredConference
from retriever.conference.conflicts.table import ConflictTable

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """Some rows of a list, and how many there are in all."""

    total: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class ConferenceView:
    """A conference at one revision.

    Attributes:
        stored: its record; its files lie at `stored.path`.
        conflicts: as they are now, with what people decided.
        manual: what was changed by hand.
        labels: titles and names.
    """

    stored: StoredConference
    conflicts: ConflictTable
    manual: ManualChanges
    labels: Labels
