"""Conferences: a row in the desk's file and a directory of whole files each. Every change raises the revision.

A change holds the desk's write lock from the check of the revision to its end, so of two changes that began from the
same revision the second one is refused. Keep the work inside it short: read and compute first, then stage files.
"""

import re
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypedDict, Unpack
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
import orjson

from panelist.app.desk.conference.audit import Event, erase, read_events, record, verify, write_events
from panelist.app.desk.conference.intake.unpack import unzip
from panelist.app.desk.conference.staging import LAST_SOLUTION, Stage, is_decided, jobs_of, settle
from panelist.app.desk.database import Desk
from panelist.app.desk.errors import RevisionConflictError, no_such_conference
from panelist.errors import DeskError, InputError

LONGEST_NAME = 200
_COLUMNS = "id, name, created, revision"
_GOING = ".forgotten-"
_ID = re.compile(r"[\w-]{8,40}", re.ASCII)


class _Exported(msgspec.Struct):
    id: str
    name: str
    created: datetime
    history: list[Event]


@dataclass(frozen=True, slots=True)
class StoredConference:
    """One conference as it was at a revision; its files lie at `path`."""

    id: str
    name: str
    created: datetime
    revision: int
    path: Path


class By(TypedDict, total=False):
    """From which revision a change began (None changes whatever is there), and the name that the chair gave."""

    revision: int | None
    who: str


class Changing(NamedTuple):
    """A change that is being made: the transaction, the conference before it, and what it writes."""

    connection: sqlite3.Connection
    conference: StoredConference
    stage: Stage


class Conferences:
    """The conferences of a desk, their history and their files. Safe to share between threads."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._directory = desk, desk.home / "conferences"

    def create(self, name: str, *, who: str = "") -> StoredConference:
        """Make a new, empty conference."""
        key, name = secrets.token_urlsafe(9), _checked(name)
        with self._desk.file.writing() as connection:
            (self._directory / key).mkdir(mode=0o700, parents=True)
            row = (key, name, datetime.now(UTC).isoformat(), 1)
            connection.execute(f"INSERT INTO conference ({_COLUMNS}) VALUES (?, ?, ?, ?)", row)
            record(connection, key, "created", {"name": name}, who)
        return self.get(key)

    def list(self) -> tuple[StoredConference, ...]:
        """All conferences, the newest first."""
        with self._desk.file.reading() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM conference ORDER BY created DESC, id")
            return tuple(self._conference(row) for row in rows)

    def get(self, conference: str) -> StoredConference:
        """Read one conference by its id."""
        with self._desk.file.reading() as connection:
            stored = self._read(connection, conference)
        if is_decided(stored.path):  # between the commit of a change and its last file
            self._settle(conference)
        return stored

    def rename(self, conference: str, name: str, **by: Unpack[By]) -> StoredConference:
        """Give it another name."""
        name = _checked(name)
        with self.change(conference, "renamed", {"name": name}, **by) as (connection, *_):
            connection.execute("UPDATE conference SET name = ? WHERE id = ?", (name, conference))
        return self.get(conference)

    @contextmanager
    def change(
        self, conference: str, kind: str, detail: dict[str, Any], *, revision: int | None = None, who: str = ""
    ) -> Iterator[Changing]:
        """Change a conference: what the body stages, the event and the new revision are kept together, or not at all.

        The detail of the event is read at the end, so the body may add to it.
        """
        with self._desk.file.writing() as connection:
            stored = self._read(connection, conference)
            settle(stored.path, stored.revision)
            if revision is not None and revision != stored.revision:
                raise changed(stored, self.events(conference)[0])
            stage = Stage(stored.path)
            try:
                yield Changing(connection, stored, stage)
                connection.execute("UPDATE conference SET revision = revision + 1 WHERE id = ?", (conference,))
                record(connection, conference, kind, detail, who)
                staged = stage.decide(stored.revision + 1)
            except BaseException:
                stage.drop()
                raise
        if staged:
            self._settle(conference)

    def delete(self, conference: str) -> None:
        """Forget a conference: its files, its row, its history, and the records of its jobs."""
        try:
            with self._desk.file.writing() as connection:
                stored = self._read(connection, conference)
                jobs = tuple(jobs_of(stored.path))
                erase(connection, conference)
                connection.execute("DELETE FROM conference WHERE id = ?", (conference,))
                if stored.path.exists():
                    # Under another name, so that no job goes on writing into it, and a killed process leaves a sign.
                    stored.path.rename(stored.path.with_name(_GOING + conference))
        finally:
            self._finish_deleting()
        for job in jobs:
            shutil.rmtree(self._desk.home / "jobs" / job, ignore_errors=True)
        self._desk.file.erase_log()

    def recover(self) -> None:
        """Finish what a killed process had begun: changes of files that were decided, and forgetting."""
        if self._directory.exists():
            for conference in self.list():
                self._settle(conference.id)
            self._finish_deleting()

    def _settle(self, conference: str) -> None:
        with self._desk.file.writing() as connection:
            stored = self._read(connection, conference)
            settle(stored.path, stored.revision)

    def _finish_deleting(self) -> None:
        """Delete the files of conferences that are forgotten, also by a process that was killed meanwhile."""
        for directory in self._directory.glob(f"{_GOING}*"):
            conference = directory.name.removeprefix(_GOING)
            with self._desk.file.writing() as connection:
                row = connection.execute("SELECT 1 FROM conference WHERE id = ?", (conference,)).fetchone()
                if row and directory.exists():
                    directory.rename(directory.with_name(conference))  # it was not forgotten in the end
            shutil.rmtree(directory, ignore_errors=True)
            if directory.exists():
                raise DeskError(f"the files of a forgotten conference cannot be deleted: delete '{directory}' yourself")

    def export(self, conference: str, target: BinaryIO) -> None:
        """Write everything that is kept of a conference as a zip file: its files as they are, and its history."""
        stored, history = self.get(conference), msgspec.to_builtins(self.events(conference))
        about = {"id": stored.id, "name": stored.name, "created": stored.created, "history": history}
        with ZipFile(target, "w", ZIP_DEFLATED) as archive:
            archive.writestr("conference.json", orjson.dumps(about, option=orjson.OPT_INDENT_2))
            for file in sorted(stored.path.rglob("*")):
                inside = file.relative_to(stored.path)
                if file.is_file() and not any(part.startswith(".") for part in inside.parts):  # work in progress
                    archive.write(file, inside)

    def bring_back(self, archive: Path) -> StoredConference:
        """Make a conference again of the file that `export` wrote, with its id, its history and its files.

        Where numbers of its events are taken here, they get others, in their order, also where they are named.
        """
        unpacked = self._directory / f"{_GOING}{secrets.token_hex(8)}"  # goes at the next start if we are killed
        unpacked.mkdir(mode=0o700, parents=True)
        try:
            unzip(archive, unpacked)
            about = msgspec.json.decode((unpacked / "conference.json").read_bytes(), type=_Exported)
            (unpacked / "conference.json").unlink()
            if not _ID.fullmatch(about.id) or (self._directory / about.id).exists():
                raise InputError(f"the conference '{about.id[:80]}' is here already: forget it first")
            with self._desk.file.writing() as connection:
                row = (about.id, _checked(about.name), about.created.isoformat(), 1)
                connection.execute(f"INSERT INTO conference ({_COLUMNS}) VALUES (?, ?, ?, ?)", row)
                _renumber_solutions(unpacked, write_events(connection, about.id, about.history))
                discarded = [event.detail.get("solution", 0) for event in about.history if event.kind == "discarded"]
                if last := max(map(int, discarded), default=0):  # no number of a solution comes twice
                    (unpacked / "assignments").mkdir(exist_ok=True)
                    (unpacked / "assignments" / LAST_SOLUTION).write_text(str(last), encoding="utf-8")
                unpacked.rename(self._directory / about.id)
        except (OSError, msgspec.MsgspecError, ValueError, TypeError, AttributeError) as error:  # edited by hand
            raise InputError(f"'{archive}' is not an export of a conference: {error}") from error
        finally:
            shutil.rmtree(unpacked, ignore_errors=True)
        return self.get(about.id)

    def events(self, conference: str) -> tuple[Event, ...]:
        """What was changed, the newest first."""
        with self._desk.file.reading() as connection:
            self._read(connection, conference)
            return read_events(connection, conference)

    def verify(self) -> dict[str, tuple[str, Sequence[str]]]:
        """The last seal of each conference's history, and where it was broken, in words."""
        with self._desk.file.writing() as connection:
            return {conference.id: verify(connection, conference.id) for conference in self.list()}

    def _read(self, connection: sqlite3.Connection, conference: str) -> StoredConference:
        row = connection.execute(f"SELECT {_COLUMNS} FROM conference WHERE id = ?", (conference,)).fetchone()
        if row is None:
            raise no_such_conference(conference)
        return self._conference(row)

    def _conference(self, row: tuple[str, str, str, int]) -> StoredConference:
        name, title, created, revision = row
        return StoredConference(name, title, datetime.fromisoformat(created), revision, self._directory / name)


def _renumber_solutions(path: Path, numbers: Mapping[int, int]) -> None:
    """Put the new numbers of events into solutions, each of which names the last event that it knows."""
    for file in path.glob("assignments/*/solution.json"):
        solution = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
        last = max((new for old, new in numbers.items() if old <= solution.get("event", 0)), default=0)
        file.write_bytes(msgspec.json.encode(solution | {"event": last}))


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"give the conference a name of 1 to {LONGEST_NAME} printable characters")
    return name


def changed(conference: StoredConference, last: Event) -> RevisionConflictError:
    """What is said to who changes a conference that somebody else has changed meanwhile."""
    return RevisionConflictError(
        f"conference '{conference.name}' was changed meanwhile: {last.kind} by {last.who or 'somebody'}; "
        "nothing of yours was kept: look at it again, then repeat your change"
    )
