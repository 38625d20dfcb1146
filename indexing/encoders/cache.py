"""A content-addressed cache of embeddings: the same text is never encoded twice, whichever index asks for it.

The key of a vector is the sha256 of the encoder's name and revision (which the way a text is rendered is part of), of
its precision unless that is float32, and of the text. All processes of a user share one file, and may use it at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder, load_encoder
from indexing.text import Text
from panelist.config import cache_dir
from panelist.keyed_file import KeyedFile, key_of

_CHUNK = 2048  # texts encoded between two writes: what a crash can cost


class CachedEncoder:
    """An encoder that looks into the cache first, by default the user's; itself an encoder."""

    def __init__(self, encoder: Encoder, path: Path | None = None) -> None:
        self.name = encoder.name
        self.revision = encoder.revision
        self.dimension = encoder.dimension
        self.device = getattr(encoder, "device", "cpu")
        self.precision = getattr(encoder, "precision", "float32")
        self._encoder = encoder
        path = path or cache_dir() / "embeddings" / "embeddings.sqlite"
        remedy = "if it is damaged, delete it: it only saves time and will be filled again"
        self._file = KeyedFile(path, "embedding", "vector BLOB", "embedding cache", remedy)

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """As the encoder does it; what was encoded before counts as done at once."""
        exact = [key_of(self.name, self.revision, *text) for text in texts]
        cached = self._stored(list(dict.fromkeys(exact)))
        keys = exact
        if self.precision != "float32":  # exact vectors serve here too, not the other way round
            inexact = [key_of(self.name, f"{self.revision} {self.precision}", *text) for text in texts]
            keys = [key if key in cached else inexact_key for key, inexact_key in zip(exact, inexact, strict=True)]
            cached |= self._stored([key for key in dict.fromkeys(keys) if key not in cached])
        vectors = np.empty((len(texts), self.dimension), np.float32)
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
            chunk = unknown[start : start + _CHUNK]
            fresh = self._encoder.encode([texts[missing[key][0]] for key in chunk], progress)
            self._file.put((key, vector.tobytes()) for key, vector in zip(chunk, fresh.astype("<f4"), strict=True))
            for key, vector in zip(chunk, fresh, strict=True):
                vectors[missing[key]] = vector
        return vectors

    def _stored(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are in the cache, each of the right dimension."""
        stored = self._file.get(keys)
        return {key: np.frombuffer(data, "<f4") for key, data in stored.items() if len(data) == 4 * self.dimension}


@dataclass(frozen=True, slots=True)
class EncoderLoader:
    """Loads encoders by name for a device, in a precision; other processes know it again, for equal ones are equal."""

    device: str = "cpu"
    precision: str = "auto"
    cached: bool = False  # behind the user's cache of embeddings: no text is encoded twice

    def __call__(self, name: str) -> Encoder:
        """The encoder of this name."""
        encoder = load_encoder(name, device=self.device, precision=self.precision)
        return CachedEncoder(encoder) if self.cached else encoder


load_for_queries = EncoderLoader(precision="float32")
"""Loads encoders that answer soon: to prepare a faster precision takes longer than to encode a query."""

load_cached = EncoderLoader(cached=True)
"""Loads encoders for papers."""
