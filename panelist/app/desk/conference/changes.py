"""The conferences of a desk, and every change of them: rows, event and seal in one transaction, or nothing.

A change holds the desk's write lock from the check of the revision to its end, so of two changes that began from the
same revision the second one is refused. Blobs are written before: keep the work inside a change short.
"""

import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict, Unpack

import msgspec

from panelist.app.desk.blobs import Blobs
from panelist.app.desk.conference.audit import Event, erase, record, verify_history, write_events
from panelist.app.desk.conference.state import Conference, Part, load_conference
from panelist.app.desk.database import Desk
from panelist.app.desk.errors import RevisionConflictError
from panelist.errors import DeskError, InputError
from panelist.words import encoded

LONGEST_NAME = 200


class By(TypedDict, total=False):
    """From which revision a change began (None changes whatever is there), and the name that the chair gave."""

    revision: int | None
    actor: str


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is being made: the transaction, the conference before it, and the rows that it sets or removes."""

    connection: sqlite3.Connection
    before: Conference
    parts: dict[str, Part | None] = field(default_factory=dict)

    def put(self, name: str, blob: str = "", record: object = None) -> None:
        """Set a row: the name of a blob that was written before, and a record."""
        self.parts[name] = Part(blob, "" if record is None else encoded(record).decode())

    def remove(self, name: str) -> None:
        """Remove a row, and all below it."""
        self.parts.update({row: None for row in self.before.parts if f"{row}/".startswith(f"{name}/")})


class Conferences:
    """The conferences of a desk. Safe to share between threads and processes."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.blobs = desk, desk.blobs

    def create(self, name: str, *, actor: str = "") -> Conference:
        """Make a new, empty conference."""
        key, name = secrets.token_urlsafe(9), _checked(name)
        with self.desk.file.writing() as connection:
            _insert(connection, key, name, datetime.now(UTC))
            record(connection, key, "created", {"name": name}, actor)
        return self.get(key)

    def list(self) -> tuple[Conference, ...]:
        """All conferences, the newest first."""
        with self.desk.file.reading() as connection:
            rows = connection.execute("SELECT id FROM conference ORDER BY created DESC, id").fetchall()
            return tuple(load_conference(connection, self.blobs, key) for (key,) in rows)

    def get(self, conference: str) -> Conference:
        """Read one conference by its id."""
        with self.desk.file.reading() as connection:
            return load_conference(connection, self.blobs, conference)

    def rename(self, conference: str, name: str, **by: Unpack[By]) -> None:
        """Give it another name."""
        name = _checked(name)
        with self.change(conference, "renamed", {"name": name}, **by) as change:
            change.connection.execute("UPDATE conference SET name = ? WHERE id = ?", (name, conference))

    @contextmanager
    def change(
        self, conference: str, kind: str, detail: dict[str, Any], *, revision: int | None = None, actor: str = ""
    ) -> Iterator[Change]:
        """Change a conference: what the body puts and removes and the event are kept together, or not at all.

        The detail of the event is read at the end, so the body may add to it.
        """
        with self._writing(conference) as change:
            if revision is not None and revision != change.before.revision:
                raise changed(change.before, change.before.events[0])
            yield change
            record(change.connection, conference, kind, detail, actor)

    @contextmanager
    def note(self, conference: str) -> Iterator[Change]:
        """Keep what is no decision of anybody: what was computed, and which job computes it. It is no event."""
        with self._writing(conference) as change:
            yield change

    @contextmanager
    def _writing(self, conference: str) -> Iterator[Change]:
        with self.desk.file.writing() as connection:
            change = Change(connection, load_conference(connection, self.blobs, conference))
            yield change
            _write(connection, self.blobs, conference, change.parts)
        if gone := {change.before.part(name).blob for name in change.parts} - {""}:
            self.blobs.retire(gone)
            self.collect()

    def delete(self, conference: str) -> None:
        """Forget a conference: its rows, its history, and at once all blobs that no other one has."""
        with self.desk.file.writing() as connection:
            load_conference(connection, self.blobs, conference)
            erase(connection, conference)
            for table, column in (("conference_part", "conference"), ("conference", "id")):
                connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (conference,))
        self.collect(new=True)
        shutil.rmtree(self.work_directory(conference), ignore_errors=True)
        self.desk.file.erase_log()

    def bring_in(self, key: str, name: str, created: datetime, events: Sequence[Event], parts: dict[str, Part]) -> None:
        """Keep a conference that was exported; events get other numbers where theirs are taken here."""
        with self.desk.file.writing() as connection:
            if connection.execute("SELECT 1 FROM conference WHERE id = ?", (key,)).fetchone():
                raise InputError(f"the conference '{key}' is here already: forget it first")
            _insert(connection, key, _checked(name), created)
            keys = write_events(connection, key, events)
            for solution in [name for name in parts if name.startswith("solution/") and name.count("/") == 1]:
                values = msgspec.json.decode(parts[solution].record, type=dict[str, Any])
                last = max((new for old, new in keys.items() if old <= values.get("event", 0)), default=0)
                text = msgspec.json.encode(values | {"event": last}).decode()
                parts[solution] = parts[solution]._replace(record=text)
            _write(connection, self.blobs, key, parts)

    def work_directory(self, conference: str) -> Path:
        """Where a job of a conference keeps what it has computed so far, so that it can go on after a kill."""
        return self.desk.home / "work" / conference

    def verify(self) -> dict[str, tuple[str, Sequence[str]]]:
        """The last seal of each conference's history, and where it was broken, in words."""
        with self.desk.file.reading() as connection:
            keys = [key for (key,) in connection.execute("SELECT id FROM conference ORDER BY created DESC, id")]
            return {key: verify_history(connection, key) for key in keys}

    def check(self) -> Sequence[str]:
        """What is wrong with the desk, in words: the database itself, blobs that are not there or were changed."""
        with self.desk.file.reading() as connection:
            words = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
            return [*words, *self.blobs.damaged(_used(connection))]

    def collect(self, *, new: bool = False) -> Sequence[Path]:
        """Delete blobs that nobody uses, if they are old, or `new` ones too; what nobody uses and is left."""
        with self.desk.file.writing() as connection:
            used = _used(connection)
            self.blobs.collect(used, new=new)
            return self.blobs.unused(used)


def _used(connection: sqlite3.Connection) -> set[str]:
    return {blob for (blob,) in connection.execute("SELECT DISTINCT blob FROM conference_part WHERE blob <> ''")}


def _insert(connection: sqlite3.Connection, key: str, name: str, created: datetime) -> None:
    row = (key, name, created.isoformat(), 1)
    connection.execute("INSERT INTO conference (id, name, created, revision) VALUES (?, ?, ?, ?)", row)


def _write(connection: sqlite3.Connection, blobs: Blobs, conference: str, parts: Mapping[str, Part | None]) -> None:
    for name, part in parts.items():
        if part is None:
            connection.execute("DELETE FROM conference_part WHERE conference = ? AND name = ?", (conference, name))
            continue
        if part.blob and not blobs.path(part.blob).exists():  # collected, as the same content was forgotten elsewhere
            raise DeskError("a file of this change was deleted meanwhile; nothing was kept: try again")
        row = (conference, name, part.blob, part.record)
        connection.execute("INSERT OR REPLACE INTO conference_part VALUES (?, ?, ?, ?)", row)


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"give the conference a name of 1 to {LONGEST_NAME} printable characters")
    return name


def changed(conference: Conference, last: Event) -> RevisionConflictError:
    """What is said to who changes a conference that somebody else has changed meanwhile."""
    return RevisionConflictError(
        f"conference '{conference.name}' was changed meanwhile: {last.kind} by {last.who or 'somebody'}; "
        "nothing of yours was kept: look at it again, then repeat your change"
    )
