"""Forgetting a person in conferences: what was done by hand about them goes, and who asks is told what stays.

Committee, scores, assignments and reviews are the record of a conference: a person cannot be cut out of them without
making another assignment of it. So they stay, and are named. What keeps the person from a paper (a pair that was
forbidden, a conflict that was confirmed) moves from the history into the file of conflicts: without it, the next
solution could assign the pair.
"""

import mmap
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from panelist.app.access.users import Users
from panelist.app.desk.conference.assignment.manual import ACTIONS, FORBIDDEN, UNDO, ManualChanges, put_together
from panelist.app.desk.conference.audit import content_digest, read_events
from panelist.app.desk.conference.files import RECORDS, FileRecord, read_records, write_records
from panelist.app.desk.conference.staging import Stage
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.database import Desk
from panelist.spreadsheet import csv_text
from panelist.words import counted
from retriever.assignment.reading.tables import read_constraints

CONSTRAINTS = "constraints.csv"
_SOMEBODY = "somebody who was forgotten"


@dataclass(frozen=True, slots=True)
class StillNamed:
    """A conference whose files name a person."""

    conference: str
    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForgottenChanges:
    """How many changes by hand about a person were erased, which conferences name them, and entries they signed."""

    changes: int
    still: tuple[StillNamed, ...]
    signed: int


def forget_in_conferences(desk: Desk, conferences: Conferences, person: str, users: Users) -> ForgottenChanges:
    """Erase the changes by hand that name a person; the events stay in the history, without them."""
    changes, still, signed = 0, [], 0  # entries that they signed keep the name: these say who is responsible
    names = {user.name for user in users.list() if person in user.people}
    for conference in conferences.list():
        signed += sum(event.who in names for event in conferences.events(conference.id))
        changes += _forget_changes(conferences, conference, person)
        if files := _naming(conference, person):
            still.append(StillNamed(conference.id, conference.name, files))
    desk.file.erase_log()
    return ForgottenChanges(changes, tuple(still), signed)


def _forget_changes(conferences: Conferences, conference: StoredConference, person: str) -> int:
    if not any(_without(event.kind, event.detail, person) for event in conferences.events(conference.id)):
        return 0
    words = "changes by hand about somebody who was forgotten hold no longer; what kept them from papers is in the file"
    erased: dict[str, str] = {}  # so that the seals of the history hold
    detail = {"words": words, "erased": erased}
    with conferences.change(conference.id, "forgot", detail) as (connection, before, stage):
        _keep_off(before, stage, put_together(read_events(connection, conference.id)), person)
        for event in read_events(connection, conference.id):
            left = _without(event.kind, event.detail, person)
            if left is not None:
                text = orjson.dumps(left).decode()
                erased[str(event.number)] = content_digest(text)
                connection.execute("UPDATE conference_event SET detail = ? WHERE number = ?", (text, event.number))
    return len(erased)


def _keep_off(conference: StoredConference, stage: Stage, manual: ManualChanges, person: str) -> None:
    """Write what keeps a person from papers into the file of conflicts."""
    pairs = [pair for pair, value in manual.pairs.items() if pair[1] == person and value == FORBIDDEN]
    pairs += [pair for pair, conflict in manual.decisions.items() if pair[1] == person and conflict.confirmed]
    path = conference.path / CONSTRAINTS
    constraints = read_constraints(path) if path.exists() else {}
    if all(constraints.get(pair) == FORBIDDEN for pair in pairs):
        return
    for pair in pairs:  # to the end, in this order
        if constraints.get(pair) != FORBIDDEN:
            constraints.pop(pair, None)
            constraints[pair] = FORBIDDEN
    content = csv_text((*pair, value) for pair, value in constraints.items()).encode()
    stage.file(CONSTRAINTS).write_bytes(content)
    summary = f"{counted(len(constraints), 'line')}, some kept here"
    file = FileRecord(CONSTRAINTS, datetime.now(UTC), len(content), "", summary)
    write_records(stage.file(RECORDS), read_records(conference) | {"constraints": file})


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
        "decisions": [conflict for conflict in detail.get("decisions", ()) if conflict["reviewer"] != person],
    }
    return detail | {name: value for name, value in left.items() if name in detail} | {"words": words}


def _naming(conference: StoredConference, person: str) -> tuple[str, ...]:
    """The files of a conference in which this id stands, as a whole."""
    pattern = re.compile(rb"(?<![\w~])" + re.escape(person.encode()) + rb"(?!\w)")
    files = []
    for path in sorted(conference.path.rglob("*")):
        inside = path.relative_to(conference.path)
        if path.is_file() and path.stat().st_size and not inside.parts[0].startswith("."):
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                if pattern.search(content):
                    files.append(str(inside))
    return tuple(files)
