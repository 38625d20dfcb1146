"""The TF-IDF part of the Toronto Paper Matching System (Charlin & Zemel 2013), as the gold standard's authors ran it.

Their predictions come from the open implementation of Xu et al. (2019), which this reproduces: words of two letters or
more without stop words, stemmed (Porter); of a document with counts c_t, log-normalised in the sense of being damped,

    weight_t = (½ + ½ c_t / max c) · ln(n / d_t)

where a document is a submission or *all* papers of a reviewer joined, n is the number of documents and d_t of them have
term t; the score is the cosine. It depends on the other submissions of the job through n and d_t.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panelist.progress import Progress, silent
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.model import BlockModel, Blocks, Document
from retriever.affinity.models.full_texts import FullTexts
from retriever.affinity.models.term_counts import document_frequencies, normalise, row_of
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles, text_of
from retriever.affinity.similarity import LexicalSimilarity

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORD = re.compile(r"[a-z]{2,}")
_STOP = -1


class TpmsModel(BlockModel):
    """Cosine of TF-IDF between a submission and a whole profile.

    Args:
        full_text: file of full texts, or of their word counts; what is not in it is represented by title and abstract.
    """

    def __init__(self, full_text: str | None = None) -> None:
        self.full_text = full_text

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """Count and weigh the terms."""
        from scipy.sparse import csr_array, vstack

        collected = Profiles.of(profiles)
        terms = _Terms()
        papers = terms.count(_words(paper, self._full_texts) for paper in collected.papers)
        queries = terms.count(_words(submission, self._full_texts) for submission in submissions)
        papers = csr_array((papers.data, papers.indices, papers.indptr), shape=(papers.shape[0], queries.shape[1]))
        ones = np.ones(len(collected.members), dtype=np.float32)
        membership = csr_array((ones, collected.members, collected.starts), shape=(len(profiles), papers.shape[0]))
        weights = _weigh(vstack([queries, membership @ papers], format="csr"))
        similarity = LexicalSimilarity(weights[len(submissions) :], weights[: len(submissions)])
        return PooledBlocks(similarity, collected.joined(), len(submissions), ProfilePooling.parse("max"))

    @cached_property
    def _full_texts(self) -> FullTexts:
        return FullTexts({}, {}) if self.full_text is None else FullTexts.read(Path(self.full_text))


def _words(document: Document, full: FullTexts) -> Mapping[str, int]:
    """How often each word occurs."""
    counts = full.word_counts(document.id)
    return Counter(_WORD.findall(text_of(document).plain().lower())) if counts is None else counts


class _Terms:
    """Numbers for stemmed words; what became of each word as written is remembered."""

    def __init__(self) -> None:
        self._stop, self._stem = _analysis()
        self._seen: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def count(self, documents: Iterable[Mapping[str, int]]) -> csr_array:
        """(documents, terms): as wide as the terms are by then."""
        from scipy.sparse import csr_array

        terms: list[int] = []
        counts: list[int] = []
        starts = [0]
        for words in documents:
            for word, count in words.items():
                number = self._seen.get(word)
                if number is None:
                    number = self._seen[word] = self._number(word)
                if number != _STOP:
                    terms.append(number)
                    counts.append(count)
            starts.append(len(terms))
        shape = (len(starts) - 1, len(self._numbers))
        matrix = csr_array((np.array(counts, np.float32), np.array(terms, np.int32), np.array(starts)), shape=shape)
        matrix.sum_duplicates()
        return matrix

    def _number(self, word: str) -> int:
        return _STOP if word in self._stop else self._numbers.setdefault(self._stem(word), len(self._numbers))


@lru_cache(maxsize=1)
def _analysis() -> tuple[frozenset[str], Any]:
    import Stemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS, Stemmer.Stemmer("porter").stemWord


def _weigh(counts: csr_array) -> csr_array:
    """TF-IDF of all documents, rows of length 1."""
    highest = np.ones(counts.shape[0])
    np.maximum.at(highest, row_of(counts), counts.data)
    frequencies = document_frequencies(counts, counts.shape[1])
    rarity = np.log(counts.shape[0] / np.maximum(frequencies, 1))
    counts.data = ((0.5 + 0.5 * counts.data / highest[row_of(counts)]) * rarity[counts.indices]).astype(np.float32)
    normalise(counts)
    return counts
