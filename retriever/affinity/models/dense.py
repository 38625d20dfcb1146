"""Dense similarity: the cosine between the vectors of papers and submissions, pooled. Any encoder can be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexing.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from indexing.text import Text
from panelist.progress import Progress, silent
from retriever.affinity.blocks import pooled_blocks
from retriever.affinity.model import BlockModel, Blocks, Document
from retriever.affinity.models.full_texts import FullTexts
from retriever.affinity.models.vectors import Vectors
from retriever.affinity.pooling import FILL, ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import DenseSimilarity, Similarity

if TYPE_CHECKING:
    from indexing.index import Index

PASSAGE_WORDS = 180
"""Words of one passage of a full text: what an encoder of 256 tokens reads."""


@dataclass(eq=False)
class DenseModel(BlockModel):
    """Cosine of vectors, pooled.

    Attributes:
        encoder: which model makes the vectors, see `indexing.encoders`; `a+b` takes the mean of both cosines.
        pooling: how the papers of a profile become one score.
        breadth: how much having many of them counts, 0 to 1; see `pooling`.
        fill: how many papers a profile is filled up to; see `pooling`.
        full_text: file of full texts; a paper is then as near as the nearest of its passages.
        passages: how many passages of a full text are read.
        index: where vectors of papers may be found ready.
        load: loads an encoder by name.
    """

    encoder: str = DEFAULT_ENCODER
    pooling: str = "discounted"
    breadth: float = 0.0
    fill: int = FILL
    full_text: str | None = None
    passages: int = 16
    index: Index | None = None
    load: Callable[[str], Encoder] = load_encoder

    def __post_init__(self) -> None:
        self._pooling = ProfilePooling.parse(self.pooling, self.breadth, self.fill)
        self._vectors = Vectors(self.encoder, self.load, self.index)

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """Encode what has not been encoded before, and whatever else the similarity needs."""
        collected = Profiles.of(profiles)
        return pooled_blocks(
            lambda documents: self.similarity(collected, documents, progress), submissions, collected, self._pooling
        )

    def similarity(
        self, profiles: Profiles, submissions: Sequence[Document], progress: Progress = silent
    ) -> Similarity:
        """How near papers are to submissions: the cosine of their vectors."""
        return self._cosine(profiles, submissions, progress)

    def _cosine(
        self, profiles: Profiles, submissions: Sequence[Document], progress: Progress, weight: float = 1.0
    ) -> DenseSimilarity:
        """`weight` times the cosine of all papers and submissions."""
        queries = self._vectors.of(submissions, "encoding submissions", progress)
        queries *= np.float32(weight)
        if self._full_texts is None:
            return DenseSimilarity(self._vectors.of(profiles.papers, "encoding papers", progress), queries)
        texts = [Text.of(paper) for paper in profiles.papers]
        found = (self._full_texts.passages(paper.id, PASSAGE_WORDS, self.passages) for paper in profiles.papers)
        rows = [
            [text, *(Text(text.title, passage) for passage in passages)]
            for text, passages in zip(texts, found, strict=True)
        ]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        vectors = self._vectors.encode([text for row in rows for text in row], "encoding passages", progress)
        return DenseSimilarity(vectors, queries, starts)

    @cached_property
    def _full_texts(self) -> FullTexts | None:
        return None if self.full_text is None else FullTexts.read(Path(self.full_text))
