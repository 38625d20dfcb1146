"""The file behind the embedded store: its schema, its connections and transactions, and what can be wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from panelist.corpus.documents import DIGEST_BYTES
from panelist.corpus.store import version_error
from panelist.errors import CorpusError

SCHEMA_VERSION = 2
_APPLICATION_ID = 0x50414E4C  # "PANL": tells our files from anybody else's SQLite
_FOREIGN = -1

# Papers and authors have integer keys, so that an authorship is a few bytes. The payload is the paper's last column:
# queries that do not want it never read its pages.
_SCHEMA = """
CREATE TABLE paper (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    year INTEGER,
    has_abstract INTEGER NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX paper_without_abstract ON paper (has_abstract) WHERE has_abstract = 0;
CREATE TABLE author (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    orcid TEXT,
    normal_name TEXT NOT NULL
);
CREATE INDEX author_normal_name ON author (normal_name);
CREATE INDEX author_orcid ON author (orcid) WHERE orcid IS NOT NULL;
CREATE TABLE authorship (
    paper INTEGER NOT NULL,
    author INTEGER NOT NULL,
    PRIMARY KEY (paper, author)
) WITHOUT ROWID;
CREATE INDEX authorship_author ON authorship (author);
CREATE TABLE state (fingerprint BLOB NOT NULL);
"""


class SqliteFile:
    """Connections to one corpus file, lent for a transaction each, to any thread."""

    def __init__(self, path: Path, *, lock_timeout: float) -> None:
        """Open the file at `path`, creating it where there is none.

        Raises:
            CorpusError: the file cannot be opened, is not a corpus, or has another schema version.
        """
        self.path = path
        self._lock_timeout = lock_timeout
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        try:
            self._prepare()
        except CorpusError:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the corpus, even if others write meanwhile."""
        with self._borrowed() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept all together, or not at all where the body raises."""
        with self._borrowed() as connection:
            # Writing touches the same pages of the indexes over and over: keep them, and copy them home seldom.
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close all connections; one that is lent closes when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise CorpusError(f"the corpus '{self.path}' is closed: open it again")
        try:
            connection = self._idle.pop() if self._idle else self._connect()
        except sqlite3.Error as error:
            raise CorpusError(_explain(self.path, error)) from error
        try:
            yield connection
        except sqlite3.Error as error:
            raise CorpusError(_explain(self.path, error)) from error
        finally:
            if connection.in_transaction:
                connection.rollback()
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        # One thread at a time uses a connection, though not always the same one.
        connection = sqlite3.connect(
            self.path, timeout=self._lock_timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _prepare(self) -> None:
        with self._borrowed() as connection:
            version = _version(connection)
            if version is None:
                connection.execute("PRAGMA journal_mode = WAL")
        if version is None:
            with self.writing() as connection:
                if _version(connection) is None:  # no other process was faster
                    for statement in _SCHEMA.split(";"):
                        connection.execute(statement)
                    connection.execute("INSERT INTO state VALUES (?)", (bytes(DIGEST_BYTES),))
                    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                version = _version(connection)
        if version == _FOREIGN:
            raise CorpusError(f"'{self.path}' is another program's SQLite file: choose another workspace directory")
        if version != SCHEMA_VERSION:
            raise version_error(f"'{self.path}'", version, SCHEMA_VERSION)


def _version(connection: sqlite3.Connection) -> int | None:
    """The schema version, `_FOREIGN` where the file is not ours, None where it is empty."""
    if connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION_ID:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    return _FOREIGN if connection.execute("SELECT 1 FROM sqlite_schema").fetchone() else None


def _explain(path: Path, error: sqlite3.Error) -> str:
    """One line for a user: what is wrong with the file and what to do."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the low byte is the kind, the rest its details
        case sqlite3.SQLITE_NOTADB:
            return f"'{path}' is not a corpus (no SQLite file): move it away, or choose another workspace directory"
        case sqlite3.SQLITE_CORRUPT:
            return f"the corpus '{path}' is damaged ({error}): restore it from a copy, or delete it and import again"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"the corpus '{path}' is being written by another process: try again when that has finished"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"the corpus '{path}' cannot be opened ({error}): its directory must exist and be writable"
        case sqlite3.SQLITE_FULL:
            return f"no space is left for the corpus '{path}': free some and run the same command again"
    return f"the corpus '{path}' cannot be used: {error}"
