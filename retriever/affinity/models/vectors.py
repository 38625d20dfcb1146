"""Vectors of papers and submissions: from an index where it has them, else encoded, by one encoder or by several.

Several encoders, `a+b`, make one vector: those of each, side by side, scaled so that an inner product is the mean of
the cosines. So nothing else has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder
from indexing.encoders.cache import CachedEncoder
from indexing.tables.units import text_digests
from indexing.text import Text
from panelist.errors import InputError, ModelError
from panelist.progress import Progress, counting
from retriever.affinity.model import Document

if TYPE_CHECKING:
    from indexing.index import Index

Loader = Callable[[str], Encoder]


class Vectors:
    """Vectors of length 1 by one encoder or by several; zeros for a text that is empty.

    Args:
        encoder: its name, or several names with `+` between them.
        load: loads an encoder by name.
        index: where vectors of papers may be found ready, if it was made by one of the encoders.
    """

    def __init__(self, encoder: str, load: Loader, index: Index | None) -> None:
        names = [encoder] if Path(encoder).exists() else encoder.split("+")
        if not all(names) or len(set(names)) < len(names):
            raise InputError(f"encoders are written a+b, each once, received '{encoder}'")
        self._sources = [_Source(name, load, index) for name in names]

    def of(self, papers: Sequence[Document], stage: str, progress: Progress) -> NDArray[np.float32]:
        """Of papers or submissions: those that the index has under the same id and text are taken from there."""
        return _joined([source.of(papers, stage, progress) for source in self._sources])

    def encode(self, texts: Sequence[Text], stage: str, progress: Progress) -> NDArray[np.float32]:
        """Of texts."""
        return _joined([source.encode(texts, stage, progress) for source in self._sources])


def _joined(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Side by side, so that inner products are means."""
    return vectors[0] if len(vectors) == 1 else np.hstack(vectors) / np.float32(np.sqrt(len(vectors)))


class _Source:
    """The vectors of one encoder."""

    def __init__(self, name: str, load: Loader, index: Index | None) -> None:
        fits = index is not None and index.manifest.encoder.name == name
        self._name, self._load, self._index = name, load, index if fits else None

    def of(self, papers: Sequence[Document], stage: str, progress: Progress) -> NDArray[np.float32]:
        texts = [Text.of(paper) for paper in papers]
        if self._index is None:
            return self.encode(texts, stage, progress)
        units = self._index.units.find_same([paper.id for paper in papers], text_digests(texts))
        vectors = np.empty((len(papers), self._index.manifest.encoder.dimension), dtype=np.float32)
        vectors[units >= 0] = self._index.vectors[units[units >= 0]]
        missing = np.flatnonzero(units < 0).tolist()
        vectors[missing] = self.encode([texts[row] for row in missing], stage, progress)
        return vectors

    def encode(self, texts: Sequence[Text], stage: str, progress: Progress) -> NDArray[np.float32]:
        encoder = self._encoder
        vectors = np.zeros((len(texts), encoder.dimension), dtype=np.float32)
        full = [row for row, text in enumerate(texts) if any(text)]
        made = encoder.encode([texts[row] for row in full], counting(progress, stage, len(full)))
        if made.shape != (len(full), vectors.shape[1]) or not np.isfinite(made).all():
            raise ModelError(
                f"encoder '{self._name}' returned {made.shape} numbers, some perhaps not finite, for {len(full)} "
                f"texts of dimension {vectors.shape[1]}: choose another one"
            )
        vectors[full] = made
        return vectors

    @cached_property
    def _encoder(self) -> Encoder:
        return CachedEncoder(self._index.encoder() if self._index else self._load(self._name))
