"""The desks' SQLite file beside the corpus: one versioned schema for both desks."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from panelist.app.access.roles import Role, User
from panelist.app.access.users import Users
from panelist.app.desk.blobs import Blobs
from panelist.errors import DeskError
from panelist.sqlite_file import Schema, SqliteFile
from panelist.workspace import Workspace

_TABLES = """
CREATE TABLE kept_submission (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT NOT NULL, changed TEXT NOT NULL,
    revision INTEGER NOT NULL, request TEXT NOT NULL
);
CREATE INDEX kept_submission_changed ON kept_submission (changed);
CREATE TABLE kept_reviewer (
    submission TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
    added TEXT NOT NULL, invited TEXT, answered TEXT, due TEXT, reminder TEXT,
    revision INTEGER NOT NULL, PRIMARY KEY (submission, person)
) WITHOUT ROWID;
CREATE INDEX kept_reviewer_person ON kept_reviewer (person);
CREATE TABLE note (
    person TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, changed TEXT NOT NULL, revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE conference (id TEXT PRIMARY KEY, name TEXT NOT NULL, created TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE conference_event (
    number INTEGER PRIMARY KEY, conference TEXT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL,
    kind TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX conference_event_of ON conference_event (conference, number)
"""
_ADDRESSES = """
CREATE TABLE address (
    person TEXT PRIMARY KEY, email TEXT NOT NULL, editor TEXT NOT NULL, typed TEXT NOT NULL
) WITHOUT ROWID
"""
_PARTS = """
CREATE TABLE IF NOT EXISTS event_seal (number INTEGER PRIMARY KEY, content TEXT NOT NULL, seal TEXT NOT NULL);
CREATE TABLE conference_part (
    conference TEXT NOT NULL, name TEXT NOT NULL, blob TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (conference, name)
) WITHOUT ROWID;
CREATE INDEX conference_part_blob ON conference_part (blob)
"""
"""What a conference is made of, by name: a blob, a record as JSON, or both."""

SCHEMA = Schema(
    noun="desk",
    application_id=0x50414E44,  # "PAND"
    version=4,
    script=f"{_TABLES};{_ADDRESSES};{_PARTS}",
    error=DeskError,
    steps={
        1: "ALTER TABLE kept_reviewer ADD COLUMN due TEXT;ALTER TABLE kept_reviewer ADD COLUMN reminder TEXT",
        2: _ADDRESSES,
        3: _PARTS,  # the files of conferences are carried over when they are opened: see `archive.carry_over`
    },
    remedy="export it with the Panelist that wrote it ('panelist desk export'), then move the file away",
    erasing=True,
)


def desk_path(workspace: Workspace) -> Path:
    """Where the file of the desks is, whether it is there or not."""
    return workspace.path / "desk.sqlite"


class Desk:
    """The desk of a server, opened when first used: who only looks for reviewers needs no file that can be written."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self.home = workspace, workspace.path
        self.blobs = Blobs(workspace.path / "blobs")
        self._opened: SqliteFile | None = None
        self._lock = threading.Lock()

    @property
    def file(self) -> SqliteFile:
        """Open the file of the desk, creating it where there is none."""
        with self._lock:
            if self._opened is None:
                path = desk_path(self._workspace)
                path.parent.mkdir(parents=True, exist_ok=True)  # the corpus may be on a server
                if not path.exists():
                    path.touch(mode=0o600)  # manuscripts and notes about people: for the owner's eyes
                self._opened = SqliteFile(path, SCHEMA)
            return self._opened

    def sees(self, submission: str) -> bool:
        """Whether a saved submission may be seen: all of them here, fewer on the desk of one editor."""
        return True

    def keeps(self, submission: str) -> None:
        """Learn of a submission that is about to be saved."""

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads, in which `seen(id)` is whether a saved submission may be seen."""
        with self.file.reading() as connection:
            connection.create_function("seen", 1, self.sees)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Like `reading`, a connection whose changes are saved all together."""
        with self.file.writing() as connection:
            connection.create_function("seen", 1, self.sees)
            yield connection

    def close(self) -> None:
        """Close the file, if it was opened."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()


class SeenDesk(Desk):
    """The editor's desk as one user sees it: what they save or what is shared with them; all, as an administrator.

    Notes about people belong to the whole desk.
    """

    def __init__(self, desk: Desk, viewer: User, users: Users) -> None:
        self._desk, self._viewer, self._users, self.home = desk, viewer, users, desk.home
        self.blobs = desk.blobs
        self._own = {submission for submission, roles in viewer.roles.items() if Role.EDITOR in roles}
        self._all = Role.ADMINISTRATOR in viewer.roles_in(None)

    @property
    def file(self) -> SqliteFile:
        """The database that rows are read from and written to."""
        return self._desk.file

    def sees(self, submission: str) -> bool:
        """Whether the user may see this submission."""
        return self._all or submission in self._own

    def keeps(self, submission: str) -> None:
        """Make the user who saves a submission its editor."""
        self._users.grant(self._viewer.name, Role.EDITOR, submission)
        self._own.add(submission)
