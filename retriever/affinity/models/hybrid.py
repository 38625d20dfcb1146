"""The default: dense and lexical similarity of every paper added up, then pooled.

    score(paper, submission) = (1 − w) · cosine of vectors + w · cosine of TF-IDF

Both are cosines, so they are added as they are: nothing is normalised over the job, and scores can be compared between
runs. Vectors show that two texts mean the same, terms that they name the same thing.

Of TF-IDF, a term that occurs t times weighs (1 + ln t) · (ln((1 + n) / (1 + d)) + 1), where d of the n different papers
of all profiles have it (or the share `rare` of n, where that is more: few words then matter less in an abstract);
vectors have length 1. Submissions do not enter n and d, so the score of a submission does not depend on what else was
submitted. A submission's terms that no reviewer ever used count in its length, so that what is foreign to everybody
scores low with everybody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indexing.lexical.tokens import Vocabulary
from panelist.errors import InputError
from panelist.progress import Progress, silent
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.term_counts import count_terms, document_frequencies, normalise
from retriever.affinity.profiles import Documents, Profiles
from retriever.affinity.similarity import LexicalSimilarity, Similarity


@dataclass(eq=False)
class HybridModel(DenseModel):
    """Dense and lexical similarity, added and pooled; full texts are for the dense part."""

    weight: float = 0.5  # the share of the lexical part, 0 to 1; 1 needs no encoder
    rare: float = 0.0  # a term counts as if at least this share of the papers had it, 0 to 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.weight <= 1:
            raise InputError(f"the weight of the lexical part is from 0 to 1, received {self.weight}")
        if not 0 <= self.rare <= 1:
            raise InputError(f"the share of papers of a rare term is from 0 to 1, received {self.rare}")

    def similarity(self, profiles: Profiles, submissions: Documents, progress: Progress = silent) -> Similarity:
        """Both cosines, weighted and added."""
        dense = None if self.weight == 1 else self._cosine(profiles, submissions, progress, 1 - self.weight)
        vocabulary = Vocabulary()
        of_papers, of_submissions = count_terms(profiles.papers, vocabulary), count_terms(submissions, vocabulary)
        frequencies = document_frequencies(of_papers, len(vocabulary.numbers))
        count = len(profiles.papers)
        rarity = np.log((1 + count) / (1 + np.maximum(frequencies, self.rare * count))) + 1
        for counts in (of_papers, of_submissions):
            counts.data = ((1 + np.log(counts.data)) * rarity[counts.indices]).astype(np.float32)
            normalise(counts)
        of_papers.data *= np.float32(self.weight)
        return LexicalSimilarity(of_papers, of_submissions, dense)
