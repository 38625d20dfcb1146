"""The default: dense and lexical similarity of every paper added up, then pooled.

    score(paper, submission) = (1 − w) · cosine of vectors + w · cosine of TF-IDF

Both are cosines, so they are added as they are: nothing is normalised over the job, and scores can be compared between
runs. The vectors know that two texts mean the same, the terms that they name the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from panelist.progress import Progress, silent
from retriever.affinity.blocks import Similarity, Writer
from retriever.affinity.lexical import LexicalSimilarity
from retriever.affinity.model import Document
from retriever.affinity.models.dense import DenseModel, DenseSimilarity
from retriever.affinity.profiles import Profiles, text_of
from retriever.affinity.tfidf import tfidf_similarity


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


@dataclass(eq=False)
class HybridModel(DenseModel):
    """Dense and lexical similarity, added and pooled; full texts are for the dense part.

    Attributes:
        breadth: how much having many papers counts, 0 to 1; see `pooling`.
        weight: the share of the lexical part, 0 to 1.
    """

    breadth: float = 0.5
    weight: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.weight <= 1:
            raise InputError(f"the weight of the lexical part is from 0 to 1, received {self.weight}")

    def similarity(
        self, profiles: Profiles, submissions: Sequence[Document], progress: Progress = silent
    ) -> Similarity:
        """Both cosines, weighted and added."""
        dense = self._cosine(profiles, submissions, progress, 1 - self.weight)
        texts = [text_of(paper) for paper in profiles.papers]
        return HybridSimilarity(dense, tfidf_similarity(texts, map(text_of, submissions), self.weight))
