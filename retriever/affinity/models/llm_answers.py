"""Answers of language models, kept on disk: nobody pays twice for the same question."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from panelist.config import cache_dir
from panelist.errors import ModelError

_LOOK_UP = 500  # keys in one query
_WAIT_SECONDS = 60  # how long a writer waits for its turn


def answer_key(*parts: str) -> bytes:
    """Identifies a question: endpoint, model and texts. Lengths keep ('ab', 'c') and ('a', 'bc') apart."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


class AnswerCache:
    """Scores by key in one SQLite file, shared by threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_dir() / "llm" / "answers.sqlite"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """The answers that are there."""
        found: dict[bytes, int] = {}
        with self._open() as database:
            for start in range(0, len(keys), _LOOK_UP):
                part = keys[start : start + _LOOK_UP]
                marks = ",".join("?" * len(part))
                found.update(database.execute(f"SELECT key, score FROM answer WHERE key IN ({marks})", part))
        return found

    def put(self, key: bytes, score: int) -> None:
        """Keep an answer."""
        with self._open() as database, database:
            database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", (key, score))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("CREATE TABLE IF NOT EXISTS answer (key BLOB PRIMARY KEY, score INTEGER NOT NULL)")
                yield database
        except (sqlite3.Error, OSError) as error:
            raise ModelError(f"cannot use the file of answers '{self.path}': {error}; name another one") from error
