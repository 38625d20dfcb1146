"""The default: dense and lexical similarity of every paper added up, then pooled.

    score(paper, submission) = (1 − w) · cosine of vectors + w · cosine of TF-IDF

Both are cosines, so they are added as they are: nothing is normalised over the job, and scores can be compared between
runs. Vectors show that two texts mean the same, terms that they name the same thing.

Of TF-IDF, a term that occurs t times weighs (1 + ln t) · (ln((1 + n) / (1 + d)) + 1), where d of the n different papers
of all profiles have it; vectors have length 1. Submissions do not enter n and d, so the score of a submission does not
depend on what else was submitted. A submission's terms that no reviewer ever used count in its length, so that what is
foreign to everybody scores low with everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.text import Text
from panelist.errors import InputError
from panelist.progress import Progress, silent
from retriever.affinity.model import Document
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.term_counts import TermCounter, document_frequencies, normalise
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import DenseSimilarity, LexicalSimilarity, Similarity, Writer

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class HybridSimilarity:
    """The sum of both; see `Similarity`."""

    def __init__(self, dense: DenseSimilarity, lexical: LexicalSimilarity) -> None:
        self._dense, self._lexical = dense, lexical

    def of(self, papers: NDArray[np.int64]) -> Writer:
        """See `Similarity`."""
        write, add = self._dense.of(papers), self._lexical.adding(papers)

        def write_sum(first: int, out: NDArray[np.float32]) -> None:
            write(first, out)
            add(first, out)

        return write_sum


@dataclass(eq=False)
class HybridModel(DenseModel):
    """Dense and lexical similarity, added and pooled; full texts are for the dense part.

    Attributes:
        weight: the share of the lexical part, 0 to 1.
    """

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
        texts = [Text.of(paper) for paper in profiles.papers]
        return HybridSimilarity(dense, _tfidf_similarity(texts, map(Text.of, submissions), self.weight))


def _tfidf_similarity(papers: Sequence[Text], submissions: Iterable[Text], weight: float) -> LexicalSimilarity:
    """`weight` times the cosine between papers (rows) and submissions (columns)."""
    counter = TermCounter()
    of_papers = counter.count(papers)
    of_submissions = counter.count(submissions)
    frequencies = document_frequencies(of_papers, len(counter))
    rarity = np.log((1 + len(papers)) / (1 + frequencies)) + 1

    def weigh(counts: csr_array) -> csr_array:
        counts.data = ((1 + np.log(counts.data)) * rarity[counts.indices]).astype(np.float32)
        normalise(counts)
        return counts

    weighted = weigh(of_papers)
    weighted.data *= np.float32(weight)
    return LexicalSimilarity(weighted, weigh(of_submissions))
