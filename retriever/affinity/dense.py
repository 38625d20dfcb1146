"""Dense similarity: the cosine between the vectors of papers and submissions, pooled. Any encoder will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.embedding_cache import CachedEncoder
from indexing.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from indexing.text import Text
from panelist.errors import ModelError
from retriever.affinity.model import Document, PanelModel, Panels
from retriever.affinity.panels import PooledPanels, Writer
from retriever.affinity.profiles import Profiles, text_of
from retriever.pooling import Pooling


class DenseSimilarity:
    """Inner products of vectors; see `panels.Similarity`.

    Args:
        papers: (papers, dimension), perhaps memory-mapped: rows are read when they are needed.
        submissions: (submissions, dimension).
        rows: where the vector of each paper is, if not in their order.
    """

    def __init__(
        self, papers: NDArray[np.float32], submissions: NDArray[np.float32], rows: NDArray[np.int64] | None = None
    ) -> None:
        self._papers, self._submissions, self._rows = papers, submissions, rows

    def of(self, papers: NDArray[np.int64]) -> Writer:
        """See `panels.Similarity`."""
        vectors = self._papers[papers if self._rows is None else self._rows[papers]]

        def write(first: int, block: NDArray[np.float32]) -> None:
            np.matmul(vectors, self._submissions[first : first + block.shape[1]].T, out=block)

        return write


class DenseModel(PanelModel):
    """Cosine of vectors, pooled.

    Args:
        encoder: which model makes the vectors, see `indexing.encoders`.
        pooling: how the papers of a profile become one score.
        load: loads an encoder by name.
    """

    def __init__(
        self,
        encoder: str = DEFAULT_ENCODER,
        pooling: str = "discounted",
        load: Callable[[str], Encoder] = load_encoder,
    ) -> None:
        self.encoder, self.pooling = encoder, Pooling.parse(pooling)
        self._load = load
        self._loaded: Encoder | None = None

    def prepare(self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]) -> Panels:
        """Encode what has not been encoded before."""
        collected = Profiles.of(profiles)
        similarity = self.similarity(collected, submissions)
        return PooledPanels(similarity, collected, len(submissions), self.pooling)

    def similarity(self, profiles: Profiles, submissions: Sequence[Document], weight: float = 1.0) -> DenseSimilarity:
        """`weight` times the cosine of all papers and submissions."""
        papers = self._encode([text_of(paper) for paper in profiles.papers])
        queries = self._encode([text_of(submission) for submission in submissions])
        return DenseSimilarity(papers, queries * np.float32(weight))

    def _encode(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Vectors of length 1; zeros for a text that is empty."""
        if self._loaded is None:
            self._loaded = CachedEncoder(self._load(self.encoder))
        vectors = np.zeros((len(texts), self._loaded.dimension), dtype=np.float32)
        full = [row for row, text in enumerate(texts) if any(text)]
        made = self._loaded.encode([texts[row] for row in full])
        if made.shape != (len(full), vectors.shape[1]) or not np.isfinite(made).all():
            raise ModelError(
                f"encoder '{self.encoder}' returned {made.shape} numbers, some perhaps not finite, for {len(full)} texts "
                f"of dimension {vectors.shape[1]}: choose another one"
            )
        vectors[full] = made
        return vectors
