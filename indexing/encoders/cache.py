"""A content-addressed cache of embeddings: the same text is never encoded twice, whichever index asks for it.

The key of a vector is the sha256 of the encoder's name and revision and of the text. All processes of a user share one
file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder, load_encoder
from indexing.text import Text
from panelist.config import cache_dir
from panelist.keyed_file import KeyedFile, key_of

_CHUNK = 2048  # texts encoded between two writes: what a crash can cost


class EmbeddingCache:
    """Vectors by key, in one file; any number of processes may use it at once."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_dir() / "embeddings" / "embeddings.sqlite"
        remedy = "if it is damaged, delete it: it only saves time and will be filled again"
        self._file = KeyedFile(self.path, "embedding", "vector BLOB", "embedding cache", remedy)

    def get(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, each of this dimension."""
        stored = self._file.get(keys)
        return {key: np.frombuffer(data, "<f4") for key, data in stored.items() if len(data) == 4 * dimension}

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors, all or none."""
        self._file.put((key, vector.tobytes()) for key, vector in zip(keys, vectors.astype("<f4"), strict=True))


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
        cached = self._cache.get(list(dict.fromkeys(keys)), self.dimension)
        missing: dict[bytes, list[int]] = {}
        for row, key in enumerate(keys):
            if key in cached:
                vectors[row] = cached[key]
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
        return key_of(self.name, self.revision, *text)  # the way the text is rendered is part of the revision


def load_cached(name: str) -> Encoder:
    """The encoder of this name behind the user's embedding cache: no text is encoded twice."""
    return CachedEncoder(load_encoder(name))
