"""The desks' SQLite file beside the corpus: one versioned schema for both desks."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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

SCHEMA = Schema(
    noun="desk",
    application_id=0x50414E44,  # "PAND"
    version=2,
    script=_TABLES,
    error=DeskError,
    steps={1: "ALTER TABLE kept_reviewer ADD COLUMN due TEXT;ALTER TABLE kept_reviewer ADD COLUMN reminder TEXT"},
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
