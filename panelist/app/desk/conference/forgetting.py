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
from panelist.app.desk.conference.audit import content_digest
from panelist.app.desk.conference.changes import Change, Conferences
from panelist.app.desk.conference.contents import FILE_NAMES, FileRecord, load_constraints
from panelist.app.desk.conference.manual import BY_HAND, FORBIDDEN, ManualChanges, sum_changes
from panelist.app.desk.conference.state import Conference, Part
from panelist.app.desk.database import Desk
from panelist.corpus.identity import comparable
from panelist.spreadsheet import csv_text
from panelist.words import counted


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
        signed += sum(event.who in names for event in conference.events)
        changes += _forget_changes(conferences, conference, person)
        if files := _naming(conferences.get(conference.id), person):
            still.append(StillNamed(conference.id, conference.name, files))
    conferences.collect(new=True)
    desk.file.erase_log()
    return ForgottenChanges(changes, tuple(still), signed)


def _forget_changes(conferences: Conferences, conference: Conference, person: str) -> int:
    if not any(_erased(event.kind, event.detail, person) for event in conference.events):
        return 0
    words = "changes by hand about somebody who was forgotten hold no longer; what kept them from papers is in the file"
    erased: dict[str, str] = {}  # so that the seals of the history hold
    with conferences.change(conference.id, "forgot", {"words": words, "erased": erased}) as change:
        _keep_off(conferences, change, sum_changes(change.before.events), person)
        for event in change.before.events:
            left = _erased(event.kind, event.detail, person)
            if left is not None:
                text = orjson.dumps(left).decode()
                erased[str(event.key)] = content_digest(text)
                change.connection.execute("UPDATE conference_event SET detail = ? WHERE number = ?", (text, event.key))
    return len(erased)


def _keep_off(conferences: Conferences, change: Change, manual: ManualChanges, person: str) -> None:
    """Write what keeps a person from papers into the file of conflicts."""
    pairs = [pair for pair, value in manual.pairs.items() if pair[1] == person and value == FORBIDDEN]
    pairs += [pair for pair, conflict in manual.decisions.items() if pair[1] == person and conflict.confirmed]
    constraints = dict(load_constraints(change.before))
    if all(constraints.get(pair) == FORBIDDEN for pair in pairs):
        return
    for pair in pairs:  # to the end, in this order
        if constraints.get(pair) != FORBIDDEN:
            constraints.pop(pair, None)
            constraints[pair] = FORBIDDEN
    content = csv_text((*pair, value) for pair, value in constraints.items()).encode()
    summary = f"{counted(len(constraints), 'line')}, some kept here"
    file = FileRecord(FILE_NAMES["constraints"], datetime.now(UTC), len(content), "", summary)
    change.put("constraints", conferences.blobs.put(content, ".csv"), file)


def _erased(kind: str, detail: dict[str, Any], person: str) -> dict[str, Any] | None:
    """The detail of a change by hand with nobody in the place of a person; None where it does not name them."""
    if kind not in BY_HAND:
        return None
    left = {
        "pairs": [
            [paper, "" if reviewer == person else reviewer, value] for paper, reviewer, value in detail.get("pairs", ())
        ],
        "quotas": {"" if reviewer == person else reviewer: most for reviewer, most in detail.get("quotas", {}).items()},
        "decisions": [decision for decision in detail.get("decisions", ()) if decision["reviewer"] != person],
    }
    left["curation"] = [choice for choice in detail.get("curation", ()) if choice["reviewer"] != person]
    key = comparable(person)
    left["others"] = [
        other for other in detail.get("others", ()) if key not in map(comparable, (other["person"], *other["judge"]))
    ]
    left = {name: value for name, value in left.items() if value != detail.get(name, value)}
    if not left and person not in str(detail.get("words", "")):  # desks of 1.0.0rc1 have words
        return None
    return {name: left.get(name, value) for name, value in detail.items() if name != "words"}


def _naming(conference: Conference, person: str) -> tuple[str, ...]:
    """What of a conference names this id, as a whole."""
    pattern = re.compile(rb"(?<![\w~])" + re.escape(person.encode()) + rb"(?!\w)")
    named = (name for name, part in conference.parts.items() if _names(conference, part, pattern))
    return tuple(sorted(FILE_NAMES.get(name, name) for name in named))


def _names(conference: Conference, part: Part, pattern: re.Pattern[bytes]) -> bool:
    if pattern.search(part.record.encode()):
        return True
    if not part.blob or not conference.blobs.path(part.blob).stat().st_size:
        return False
    path = conference.blobs.path(part.blob)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return pattern.search(content) is not None
