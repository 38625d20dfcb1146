"""Dense similarity: the cosine between the vectors of papers and submissions, pooled. Any encoder can be used.

Several encoders, `a+b`, make one vector: those of each, side by side, scaled so that an inner product is the mean of
the cosines. So nothing else has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from indexing.encoders.cache import CachedEncoder
from indexing.tables.nearness import RECORDED, Nearness
from indexing.tables.units import text_digests
from indexing.text import Text
from panelist.errors import InputError, ModelError
from panelist.progress import Progress, counting, silent
from retriever.affinity.blocks import pooled_blocks
from retriever.affinity.model import BlockModel, Blocks
from retriever.affinity.models.full_texts import FullTexts
from retriever.affinity.pooling import FILL, ProfilePooling
from retriever.affinity.profiles import Documents, Profiles
from retriever.affinity.similarity import DenseSimilarity, Similarity

if TYPE_CHECKING:
    from indexing.index import Index

Loader = Callable[[str], Encoder]

PASSAGE_WORDS = 180
"""Words of one passage of a full text: what an encoder of 256 tokens reads."""


@dataclass(eq=False)
class DenseModel(BlockModel):
    """Cosine of vectors, pooled."""

    encoder: str = DEFAULT_ENCODER  # which model makes the vectors; `a+b` takes the mean of both cosines
    pooling: str = "discounted"  # how the papers of a profile become one score
    breadth: float = 0.0  # how much having many of them counts, 0 to 1; see `pooling`
    fill: int = FILL  # how many papers a profile is filled up to; see `pooling`
    full_text: str | None = None  # file of full texts; a paper is then as near as the nearest of its passages
    passages: int = 16  # how many passages of a full text are read
    index: Index | None = None  # where vectors of papers may be found ready
    load: Loader = load_encoder  # loads an encoder by name

    def __post_init__(self) -> None:
        self._pooling = ProfilePooling.parse(self.pooling, self.breadth, self.fill)
        names = [self.encoder] if Path(self.encoder).exists() else self.encoder.split("+")
        if not all(names) or len(set(names)) < len(names):
            raise InputError(f"encoders are written a+b, each once, received '{self.encoder}'")
        self._sources = [VectorSource(name, self.load, self.index) for name in names]

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Encode what has not been encoded before, and whatever else the similarity needs."""
        collected = Profiles.of(profiles)
        return pooled_blocks(
            lambda documents: self.similarity(collected, documents, progress),
            *(submissions, collected, self._pooling, self._nearness()),
        )

    def similarity(self, profiles: Profiles, submissions: Documents, progress: Progress = silent) -> Similarity:
        """How near papers are to submissions: the cosine of their vectors."""
        return self._cosine(profiles, submissions, progress)

    def _cosine(
        self, profiles: Profiles, submissions: Documents, progress: Progress, weight: float = 1.0
    ) -> DenseSimilarity:
        """`weight` times the cosine of all papers and submissions."""
        sources = self._sources
        queries = _joined([source.vectors(submissions, "encoding submissions", progress) for source in sources])
        queries *= np.float32(weight)
        if self._full_texts is None:
            papers = _joined([source.vectors(profiles.papers, "encoding papers", progress) for source in sources])
            return DenseSimilarity(papers, queries)
        texts, starts = [], [0]
        for paper in profiles.papers:
            text, passages = Text.of(paper), self._full_texts.passages(paper.id, PASSAGE_WORDS, self.passages)
            texts += [text, *(Text(text.title, passage) for passage in passages)]
            starts.append(len(texts))
        vectors = _joined([source.encode(texts, "encoding passages", progress) for source in sources])
        return DenseSimilarity(vectors, queries, np.array(starts))

    def _nearness(self) -> Nearness | None:
        """What near means where one encoder is used: recorded for it, or as the index knows; None: to be measured."""
        if self.index is not None and self.index.manifest.encoder.name == self.encoder:
            return self.index.nearness
        return RECORDED.get(self.encoder)

    @cached_property
    def _full_texts(self) -> FullTexts | None:
        return None if self.full_text is None else FullTexts.read(Path(self.full_text))


def _joined(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The vectors of all encoders side by side, so that inner products are means."""
    return vectors[0] if len(vectors) == 1 else np.hstack(vectors) / np.float32(np.sqrt(len(vectors)))


class VectorSource:
    """Vectors of length 1 by one encoder; zeros for a text that is empty."""

    def __init__(self, name: str, load: Loader = load_encoder, index: Index | None = None) -> None:
        fits = index is not None and index.manifest.encoder.name == name
        self._name, self._load, self._index = name, load, index if fits else None

    def vectors(self, papers: Documents, stage: str, progress: Progress) -> NDArray[np.float32]:
        """Of papers or submissions: those that the index has under the same id and text are taken from there."""
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
        """Of texts; each is encoded once."""
        encoder = self._encoder
        vectors = np.zeros((len(texts), encoder.dimension), dtype=np.float32)
        full = [row for row, text in enumerate(texts) if any(text)]
        encoded = encoder.encode([texts[row] for row in full], counting(progress, stage, len(full)))
        if encoded.shape != (len(full), vectors.shape[1]) or not np.isfinite(encoded).all():
            raise ModelError(
                f"encoder '{self._name}' returned {encoded.shape} numbers, some perhaps not finite, for {len(full)} "
                f"texts of dimension {vectors.shape[1]}: choose another one"
            )
        vectors[full] = encoded
        return vectors

    @cached_property
    def _encoder(self) -> Encoder:
        return CachedEncoder(self._index.encoder() if self._index else self._load(self._name))
