"""TF-IDF vectors of papers and submissions, with rarity learned from the reviewers' papers alone.

A term that occurs t times weighs (1 + ln t) · (ln((1 + n) / (1 + d)) + 1), where d of the n different papers of all
profiles have it; vectors have length 1. Since submissions do not enter n and d, the score of a submission does not
depend on what else was submitted: two runs against the same reviewers can be compared. A submission's terms that no
reviewer ever used count in its length, so that what is foreign to everybody scores low with everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexing.text import Text
from retriever.affinity.lexical import LexicalSimilarity, TermCounter, document_frequencies, normalise

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def tfidf_similarity(papers: Sequence[Text], submissions: Iterable[Text], weight: float = 1.0) -> LexicalSimilarity:
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
