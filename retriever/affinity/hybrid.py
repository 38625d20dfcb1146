"""The default: dense and lexical similarity of every paper added up, then pooled.

    score(paper, submission) = (1 − w) · cosine of vectors + w · cosine of TF-IDF

Both are cosines, so they are added as they are: nothing is normalised over the job, and scores can be compared between
runs. The vectors know that two texts mean the same, the terms that they name the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from panelist.errors import InputError
from retriever.affinity.dense import DenseModel, DenseSimilarity
from retriever.affinity.lexical import LexicalSimilarity
from retriever.affinity.model import Document, PanelModel, Panels, Report, silent
from retriever.affinity.panels import PooledPanels, Writer
from retriever.affinity.profiles import Profiles, text_of
from retriever.affinity.tfidf import tfidf_similarity

if TYPE_CHECKING:
    from indexing.index import Index


class HybridSimilarity:
    """The sum of both; see `panels.Similarity`."""

    def __init__(self, dense: DenseSimilarity, lexical: LexicalSimilarity) -> None:
        self._dense, self._lexical = dense, lexical

    def of(self, papers: NDArray[np.int64]) -> Writer:
        """See `panels.Similarity`."""
        write, add = self._dense.of(papers), self._lexical.added(papers)

        def write_sum(first: int, block: NDArray[np.float32]) -> None:
            write(first, block)
            add(first, block)

        return write_sum


class HybridModel(PanelModel):
    """Dense and lexical similarity, added and pooled.

    Args:
        encoder: which model makes the vectors, see `indexing.encoders`.
        pooling: how the papers of a profile become one score.
        breadth: how much having many of them counts, 0 to 1; see `pooling`.
        weight: the share of the lexical part, 0 to 1.
        full_text: file of full texts, for the dense part; see `dense`.
        passages: how many passages of a full text are read.
        index: where vectors of papers may be found ready.
        load: loads an encoder by name.
    """

    def __init__(
        self,
        encoder: str = DEFAULT_ENCODER,
        pooling: str = "discounted",
        breadth: float = 0.5,
        weight: float = 0.5,
        full_text: str | None = None,
        passages: int = 16,
        index: Index | None = None,
        load: Callable[[str], Encoder] = load_encoder,
    ) -> None:
        if not 0 <= weight <= 1:
            raise InputError(f"the weight of the lexical part is from 0 to 1, received {weight}")
        self.weight = weight
        self._dense = DenseModel(encoder, pooling, breadth, full_text, passages, index, load)

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], report: Report = silent
    ) -> Panels:
        """Encode what has not been encoded before, count and weigh the terms."""
        collected = Profiles.of(profiles)
        dense = self._dense.similarity(collected, submissions, report, 1 - self.weight)
        texts = [text_of(paper) for paper in collected.papers]
        lexical = tfidf_similarity(texts, map(text_of, submissions), self.weight)
        return PooledPanels(HybridSimilarity(dense, lexical), collected, len(submissions), self._dense.pooling)
