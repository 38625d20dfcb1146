"""A content-addressed cache of embeddings: the same text is never encoded twice, whichever index asks for it.

The key of a vector is the sha256 of the encoder's name and revision and of the text. All processes of a user share one
SQLite file (write-ahead log: readers never wait, writers take turns, a killed process leaves a whole file behind).
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder, load_encoder
from indexing.text import Text
from panelist.config import cache_dir
from panelist.errors import ModelError

_WAIT_SECONDS = 60  # how long a writer waits for its turn
_LOOK_UP = 500  # keys in one query
_CHUNK = 2048  # texts encoded between two writes: what a crash can cost


class EmbeddingCache:
    """Vectors by key, in one file; any number of processes may use it at once."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_dir() / "embeddings" / "embeddings.sqlite"

    def get(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, each of this dimension."""
        found: dict[bytes, NDArray[np.float32]] = {}
        with self._open() as database:
            for start in range(0, len(keys), _LOOK_UP):
                part = keys[start : start + _LOOK_UP]
                query = f"SELECT key, vector FROM embedding WHERE key IN ({','.join('?' * len(part))})"
                rows = database.execute(f"{query} AND length(vector) = ?", [*part, 4 * dimension])
                found.update((key, np.frombuffer(vector, "<f4")) for key, vector in rows)
        return found

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors, all or none."""
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors.astype("<f4"), strict=True)]
        with self._open() as database, database:
            database.executemany("INSERT OR REPLACE INTO embedding VALUES (?, ?)", rows)

    def count(self) -> int:
        """How many vectors there are."""
        with self._open() as database:
            return int(database.execute("SELECT count(*) FROM embedding").fetchone()[0])

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call: nothing to close, and nothing that would not survive a fork."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute("CREATE TABLE IF NOT EXISTS embedding (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
                yield database
        except (sqlite3.Error, OSError) as error:
            raise ModelError(
                f"cannot use the embedding cache '{self.path}': {error}; if it is damaged, delete it: "
                "it only saves time and will be filled again"
            ) from error


class CachedEncoder:
    """An encoder that looks into the cache first; itself an encoder."""

    def __init__(self, encoder: Encoder, cache: EmbeddingCache | None = None) -> None:
        self.name = encoder.name
        self.revision = encoder.revision
        self.dimension = encoder.dimension
        self._encoder = encoder
        self._cache = cache or EmbeddingCache()

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """As the encoder does it; what was encoded before counts as done at once."""
        keys = [self._key(text) for text in texts]
        vectors = np.empty((len(texts), self.dimension), np.float32)
        known = self._cache.get(list(dict.fromkeys(keys)), self.dimension)
        missing: dict[bytes, list[int]] = {}
        for row, key in enumerate(keys):
            if key in known:
                vectors[row] = known[key]
            else:
                missing.setdefault(key, []).append(row)
        if progress is not None and len(missing) < len(texts):
            progress(len(texts) - len(missing))  # known ones, and copies of those that are about to be encoded
        unknown = list(missing)
        for start in range(0, len(unknown), _CHUNK):
            part = unknown[start : start + _CHUNK]
            fresh = self._encoder.encode([texts[missing[key][0]] for key in part], progress)
            self._cache.put(part, fresh)
            for key, vector in zip(part, fresh, strict=True):
                vectors[missing[key]] = vector
        return vectors

    def _key(self, text: Text) -> bytes:
        # Lengths keep ('ab', 'c') and ('a', 'bc') apart. The way the text is rendered is part of the revision.
        parts = [self.name, self.revision, *text]
        digest = hashlib.sha256()
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.digest()


def load_cached(name: str) -> Encoder:
    """The encoder of this name behind the user's embedding cache: no text is encoded twice."""
    return CachedEncoder(load_encoder(name))
