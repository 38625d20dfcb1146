"""The TF-IDF part of the Toronto Paper Matching System (Charlin & Zemel 2013), as the gold standard's authors ran it.

Their predictions come from the open implementation of Xu et al. (2019), which this reproduces: words of two letters or
more without stop words, stemmed (Porter). In a document with counts c_t,

    weight_t = (½ + ½ c_t / max c) · ln(n / d_t)

where a document is a submission or *all* papers of a reviewer joined, n is the number of documents and d_t of them have
term t; the score is the cosine. It depends on the other submissions of the job through n and d_t.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexing.text import Text
from panelist.progress import Progress, silent
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.model import BlockModel, Blocks
from retriever.affinity.models.full_texts import FullTexts, count_words
from retriever.affinity.models.term_counts import document_frequencies, normalise, row_of
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Document, Documents, Profiles
from retriever.affinity.similarity import LexicalSimilarity

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TpmsModel(BlockModel):
    """Cosine of TF-IDF between a submission and a whole profile.

    What is not in the file of full texts, or of their word counts, is represented by title and abstract.
    """

    def __init__(self, full_text: str | None = None) -> None:
        self.full_text = full_text

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Count and weigh the terms."""
        from scipy.sparse import csr_array, vstack

        collected = Profiles.of(profiles)
        counts = _count_terms(_words(document, self._full_texts) for document in (*collected.papers, *submissions))
        papers, queries = counts[: len(collected.papers)], counts[len(collected.papers) :]
        ones = np.ones(len(collected.members), dtype=np.float32)
        membership = csr_array((ones, collected.members, collected.starts), shape=(len(profiles), papers.shape[0]))
        weights = _weigh(vstack([queries, membership @ papers], format="csr"))
        similarity = LexicalSimilarity(weights[len(submissions) :], weights[: len(submissions)])
        return PooledBlocks(similarity, collected.joined(), len(submissions), ProfilePooling.parse("max").plan)

    @cached_property
    def _full_texts(self) -> FullTexts:
        return FullTexts({}, {}) if self.full_text is None else FullTexts.read(Path(self.full_text))


def _words(document: Document, full: FullTexts) -> Mapping[str, int]:
    """How often each word occurs."""
    counts = full.word_counts(document.id)
    return count_words(Text.of(document).plain()) if counts is None else counts


def _count_terms(documents: Iterable[Mapping[str, int]]) -> csr_array:
    """(documents, terms) how often each stem occurs, given how often each word does; stop words are left out."""
    import Stemmer
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    stem = cache(Stemmer.Stemmer("porter").stemWord)
    numbers: dict[str, int] = {}
    terms: list[int] = []
    counts: list[int] = []
    starts = [0]
    for words in documents:
        for word, count in words.items():
            if word not in ENGLISH_STOP_WORDS:
                terms.append(numbers.setdefault(stem(word), len(numbers)))
                counts.append(count)
        starts.append(len(terms))
    shape = (len(starts) - 1, len(numbers))
    matrix = csr_array((np.array(counts, np.float32), np.array(terms, np.int32), np.array(starts)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _weigh(counts: csr_array) -> csr_array:
    """TF-IDF of all documents, rows of length 1."""
    highest = np.ones(counts.shape[0])
    np.maximum.at(highest, row_of(counts), counts.data)
    frequencies = document_frequencies(counts, counts.shape[1])
    rarity = np.log(counts.shape[0] / np.maximum(frequencies, 1))
    counts.data = ((0.5 + 0.5 * counts.data / highest[row_of(counts)]) * rarity[counts.indices]).astype(np.float32)
    normalise(counts)
    return counts
