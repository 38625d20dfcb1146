"""Values by key in one SQLite file, which all threads and processes of a user share: what was paid for once.

Readers never wait, writers take turns, and a killed process leaves a whole file behind (write-ahead log).
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from panelist.errors import ModelError

_WAIT_SECONDS = 60  # how long a writer waits for its turn
_LOOK_UP = 500  # keys in one query


def key_of(*parts: str) -> bytes:
    """Identifies some texts. Lengths keep ('ab', 'c') and ('a', 'bc') apart."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


class KeyedFile:
    """A table of keys and values.

    Args:
        path: the file, made when it is first used.
        table: its name.
        value: the name and the type of the values, as SQL.
        noun: what messages call the file.
        remedy: what to do with a file that cannot be used.
    """

    def __init__(self, path: Path, table: str, value: str, noun: str, remedy: str) -> None:
        self.path = path
        self._table, self._value, self._noun, self._remedy = table, value, noun, remedy

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The values that are there."""
        found: dict[bytes, Any] = {}
        with self._open() as database:
            for start in range(0, len(keys), _LOOK_UP):
                part = keys[start : start + _LOOK_UP]
                marks = ",".join("?" * len(part))
                found.update(database.execute(f"SELECT * FROM {self._table} WHERE key IN ({marks})", part))
        return found

    def put(self, rows: Iterable[tuple[bytes, Any]]) -> None:
        """Keep values, all or none."""
        with self._open() as database, database:
            database.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call: nothing to close, and nothing that would not survive a fork."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                columns = f"key BLOB PRIMARY KEY, {self._value} NOT NULL"
                database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} ({columns})")
                yield database
        except (sqlite3.Error, OSError) as error:
            raise ModelError(f"cannot use the {self._noun} '{self.path}': {error}; {self._remedy}") from error
