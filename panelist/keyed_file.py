"""Values by key in one SQLite file, which all threads and processes of a user share: what was paid for once.

Readers never wait, writers take turns, and a killed process leaves a whole file behind (write-ahead log).
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panelist.errors import ModelError

_WAIT_SECONDS = 60  # how long a writer waits for its turn
_LOOK_UP = 500  # keys in one query


def key_of(*texts: str) -> bytes:
    """Identifies some texts. Lengths keep ('ab', 'c') and ('a', 'bc') apart."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


@dataclass(frozen=True)
class KeyedFile:
    """A table of keys and values."""

    path: Path  # made when it is first used
    table: str  # its name
    value: str  # the name and the type of the values, as SQL
    noun: str  # what messages call the file
    remedy: str  # what to do with a file that cannot be used

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The values that are there."""
        values: dict[bytes, Any] = {}
        with self._open() as database:
            for start in range(0, len(keys), _LOOK_UP):
                batch = keys[start : start + _LOOK_UP]
                marks = ",".join("?" * len(batch))
                values.update(database.execute(f"SELECT * FROM {self.table} WHERE key IN ({marks})", batch))
        return values

    def put(self, rows: Iterable[tuple[bytes, Any]]) -> None:
        """Store values, all or none."""
        with self._open() as database, database:
            database.executemany(f"INSERT OR REPLACE INTO {self.table} VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call: nothing to close, and nothing that would not survive a fork."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                columns = f"key BLOB PRIMARY KEY, {self.value} NOT NULL"
                database.execute(f"CREATE TABLE IF NOT EXISTS {self.table} ({columns})")
                yield database
        except (sqlite3.Error, OSError) as error:
            raise ModelError(f"cannot use the {self.noun} '{self.path}': {error}; {self.remedy}") from error
