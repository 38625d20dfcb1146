"""The TF-IDF part of the Toronto Paper Matching System (Charlin & Zemel 2013), as the gold standard's authors ran it.

Their predictions come from the open implementation of Xu et al. (2019), which this reproduces: words of two letters or
more without stop words, stemmed (Porter); of a document with counts c_t, log-normalised in the sense of being damped,

    weight_t = (½ + ½ c_t / max c) · ln(n / d_t)

where a document is a submission or *all* papers of a reviewer joined, n is the number of documents and d_t of them have
term t; the score is the cosine. It depends on the other submissions of the job through n and d_t.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.affinity.lexical import LexicalSimilarity, count_matrix, document_frequencies, normalise, row_of
from retriever.affinity.model import Document, PanelModel, Panels
from retriever.affinity.panels import PooledPanels
from retriever.affinity.profiles import Profiles, text_of
from retriever.pooling import Pooling

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORD = re.compile(r"[a-z]{2,}")


class TpmsModel(PanelModel):
    """Cosine of TF-IDF between a submission and a whole profile."""

    def prepare(self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]) -> Panels:
        """Count and weigh the terms."""
        collected = Profiles.of(profiles)
        numbers: dict[str, int] = {}
        papers = [_numbers(paper, numbers) for paper in collected.papers]

        def rows() -> Iterator[list[int]]:
            yield from (_numbers(submission, numbers) for submission in submissions)
            for start, stop in zip(collected.starts[:-1], collected.starts[1:], strict=True):
                yield [term for paper in collected.members[start:stop] for term in papers[paper]]

        weights = _weigh(count_matrix(rows(), lambda: len(numbers)))
        similarity = LexicalSimilarity(weights[len(submissions) :], weights[: len(submissions)])
        return PooledPanels(similarity, collected.joined(), len(submissions), Pooling.parse("max"))


def _numbers(document: Document, numbers: dict[str, int]) -> list[int]:
    stop, stem = _analysis()
    words = [word for word in _WORD.findall(text_of(document).plain().lower()) if word not in stop]
    return [numbers.setdefault(word, len(numbers)) for word in stem(words)]


@lru_cache(maxsize=1)
def _analysis() -> tuple[frozenset[str], Any]:
    import Stemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS, Stemmer.Stemmer("porter").stemWords


def _weigh(counts: csr_array) -> csr_array:
    """TF-IDF of all documents, rows of length 1."""
    highest = np.ones(counts.shape[0])
    np.maximum.at(highest, row_of(counts), counts.data)
    frequencies = document_frequencies(counts, counts.shape[1])
    rarity = np.log(counts.shape[0] / np.maximum(frequencies, 1))
    counts.data = ((0.5 + 0.5 * counts.data / highest[row_of(counts)]) * rarity[counts.indices]).astype(np.float32)
    normalise(counts)
    return counts
