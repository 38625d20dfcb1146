"""A SQLite file of ours: its schema, its connections and transactions, and what can be wrong with it."""

import logging
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from panelist.errors import PanelistError

logger = logging.getLogger(__name__)

_FOREIGN = -1  # the version of a file that is not ours
_LOCK_SECONDS = 30.0  # how long a writer waits for its turn


@dataclass(frozen=True, slots=True)
class Schema:
    """What a file holds, and how to tell it from others."""

    noun: str  # what messages call the file, e.g. `corpus`
    application_id: int  # tells files of this schema from any other SQLite file
    version: int  # which form of the schema this Panelist reads and writes
    script: str  # the statements that create the tables, without a semicolon inside any of them
    error: type[PanelistError]  # what is raised where the file cannot be used
    remedy: str  # what to do with a file of an older version
    steps: Mapping[int, str] = field(default_factory=dict)  # statements from an older version to the next, by the older
    erasing: bool = False  # whether deleted rows are overwritten; slower, for files with personal data


def wrong_version(name: str, version: object, expected: int, remedy: str) -> str:
    """The message for what has another schema version than the expected one; `remedy` is for an older one."""
    if isinstance(version, int) and version > expected:
        remedy = "upgrade it: 'pip install --upgrade panelist'"
    return f"the {name} has schema version {version}, this Panelist reads version {expected}; {remedy}"


class SqliteFile:
    """Connections to one file, lent for a transaction each, to any thread."""

    def __init__(self, path: Path, schema: Schema) -> None:
        """Open the file at `path`, creating it where there is none; raises the error of the schema if it cannot."""
        self.path, self.schema = path, schema
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        try:
            self._prepare()
        except PanelistError:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the file, even if others write meanwhile."""
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

    def erase_log(self) -> None:
        """Empty the write-ahead log, which holds earlier states of the file; not while somebody else reads them.

        Copies that were made before an upgrade are deleted, too.
        """
        for copy in self.path.parent.glob(f"{self.path.name}.version*"):
            copy.unlink()
        with self._borrowed() as connection:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            logger.warning("the log of '%s' still holds what was erased, until its last reader closes it", self.path)

    def close(self) -> None:
        """Close all connections; one that is lent closes when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise self.schema.error(f"the {self.schema.noun} '{self.path}' is closed: open it again")
        try:
            connection = self._idle.pop() if self._idle else self._connect()
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.rollback()
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)
        except sqlite3.Error as error:
            raise self._error(error) from error

    def _connect(self) -> sqlite3.Connection:
        # One thread at a time uses a connection, though not always the same one.
        connection = sqlite3.connect(self.path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA secure_delete = {int(self.schema.erasing)}")
        return connection

    def _prepare(self) -> None:
        with self._borrowed() as connection:
            version = self._version(connection)
            if version is None:
                connection.execute("PRAGMA journal_mode = WAL")
        if version is None:
            with self.writing() as connection:
                if self._version(connection) is None:  # no other process was faster
                    for statement in self.schema.script.split(";"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {self.schema.application_id}")
                    connection.execute(f"PRAGMA user_version = {self.schema.version}")
                version = self._version(connection)
        if version == _FOREIGN:
            raise self.schema.error(f"'{self.path}' is another program's SQLite file: choose another workspace")
        if version is not None and version in self.schema.steps:
            version = self._upgrade(version)
        if version != self.schema.version:
            noun, expected = self.schema.noun, self.schema.version
            raise self.schema.error(wrong_version(f"{noun} '{self.path}'", version, expected, self.schema.remedy))

    def _upgrade(self, old_version: int) -> int:
        """Carry a file of an older version over to this one, all steps or none; the version that it has then.

        A copy of the file stays beside it, readable by its owner only.
        """
        copy = self.path.with_name(f"{self.path.name}.version{old_version}")
        copy.touch(mode=0o600)
        with self._borrowed() as connection, closing(sqlite3.connect(copy)) as target:
            connection.backup(target)
        with self.writing() as connection:
            version = self._version(connection) or old_version  # another process may have been faster
            while version in self.schema.steps:
                for statement in self.schema.steps[version].split(";"):
                    connection.execute(statement)
                version += 1
                connection.execute(f"PRAGMA user_version = {version}")
        logger.warning("the %s was carried over from version %d; as it was: '%s'", self.schema.noun, old_version, copy)
        return version

    def _version(self, connection: sqlite3.Connection) -> int | None:
        """The version of the schema, `_FOREIGN` where the file is not ours, None where it is empty."""
        if connection.execute("PRAGMA application_id").fetchone()[0] == self.schema.application_id:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
        return _FOREIGN if connection.execute("SELECT 1 FROM sqlite_schema").fetchone() else None

    def _error(self, error: sqlite3.Error) -> PanelistError:
        """One line for a user: what is wrong with the file and what to do."""
        noun, path = self.schema.noun, self.path
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the low byte is the kind, the rest its details
            case sqlite3.SQLITE_NOTADB:
                line = f"'{path}' is not a {noun} (no SQLite file): move it away, or choose another workspace directory"
            case sqlite3.SQLITE_CORRUPT:
                line = f"the {noun} '{path}' is damaged ({error}): restore it from a copy, or delete it and start again"
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                line = f"the {noun} '{path}' is being written by another process: try again when that has finished"
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                line = f"the {noun} '{path}' cannot be opened ({error}): its directory must exist and be writable"
            case sqlite3.SQLITE_FULL:
                line = f"no space is left for the {noun} '{path}': free some and run the same command again"
            case _:
                line = f"the {noun} '{path}' cannot be used: {error}"
        return self.schema.error(line)
