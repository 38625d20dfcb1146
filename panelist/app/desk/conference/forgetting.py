"""Forgetting a person in conferences: what was done by hand about them goes, and who asks is told what stays.

Committee, scores, assignments and reviews are the record of a conference: a person cannot be cut out of them without
making another assignment of it. So they stay, and are named.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from typing import Any

import orjson

from panelist.app.desk.conference.assignment.hand import ACTIONS, UNDO
from panelist.app.desk.conference.audit import read_events
from panelist.app.desk.conference.store import Conference, Conferences
from panelist.app.desk.database import Desk

_SOMEBODY = "somebody who was forgotten"


@dataclass(frozen=True, slots=True)
class StillNamed:
    """A conference whose files name a person."""

    conference: str
    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForgottenChanges:
    """How many changes by hand about a person were erased, and which conferences still name them."""

    changes: int
    still: tuple[StillNamed, ...]


def forget_in_conferences(desk: Desk, conferences: Conferences, person: str) -> ForgottenChanges:
    """Erase the changes by hand that name a person; the events stay in the history, without them.

    Raises:
        DeskError: see `open_desk`.
    """
    changes, still = 0, []
    for conference in conferences.list():
        changes += _forget_changes(conferences, conference, person)
        if files := _naming(conference, person):
            still.append(StillNamed(conference.id, conference.name, files))
    desk.file.erase_log()
    return ForgottenChanges(changes, tuple(still))


def _forget_changes(conferences: Conferences, conference: Conference, person: str) -> int:
    if not any(_without(one.kind, one.detail, person) for one in conferences.events(conference.id)):
        return 0
    words = "changes by hand about somebody who was forgotten hold no longer"
    with conferences.change(conference.id, "forgot", {"words": words}) as (connection, *_):
        found = 0
        for event in read_events(connection, conference.id):
            detail = _without(event.kind, event.detail, person)
            if detail is not None:
                found += 1
                row = (orjson.dumps(detail).decode(), event.number)
                connection.execute("UPDATE conference_event SET detail = ? WHERE number = ?", row)
    return found


def _without(kind: str, detail: dict[str, Any], person: str) -> dict[str, Any] | None:
    """The detail of a change by hand without a person; None where it does not name them."""
    if kind not in (*ACTIONS, UNDO):
        return None
    words = re.sub(rf"(?<!\S){re.escape(person)}(?![^\s,:])", _SOMEBODY, detail["words"])
    if words == detail["words"]:
        return None
    left = {
        "pairs": [pair for pair in detail.get("pairs", ()) if pair[1] != person],
        "quotas": {who: most for who, most in detail.get("quotas", {}).items() if who != person},
    }
    return detail | {name: value for name, value in left.items() if name in detail} | {"words": words}


def _naming(conference: Conference, person: str) -> tuple[str, ...]:
    """The files of a conference in which this id stands, as a whole."""
    pattern = re.compile(rb"(?<![\w~])" + re.escape(person.encode()) + rb"(?!\w)")
    found = []
    for path in sorted(conference.path.rglob("*")):
        inside = path.relative_to(conference.path)
        if path.is_file() and path.stat().st_size and not inside.parts[0].startswith("."):
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                if pattern.search(content):
                    found.append(str(inside))
    return tuple(found)
