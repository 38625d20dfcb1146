"""BM25 (Robertson & Zaragoza 2009), paper by paper, then pooled.

For a submission with q_t occurrences of term t and a paper with f_t of them,

    Σ_t q_t · idf_t · f_t / (f_t + k₁ (1 − b + b · length / mean length))   divided by   Σ_t q_t · idf_t

with idf_t = ln(1 + (n − d_t + ½) / (d_t + ½)), n, d_t and the mean length taken from the reviewers' papers. The
denominator is what a paper could reach at most: it puts long and short submissions on one scale, 0 to 1, so that the
papers of one reviewer can be ranked as well as the reviewers of one paper.
"""

from collections.abc import Sequence

import numpy as np

from indexing.lexical import K1, B
from indexing.lexical.tokens import Vocabulary
from panelist.errors import InputError
from panelist.progress import Progress, silent
from retriever.affinity.blocks import pooled_blocks
from retriever.affinity.model import BlockModel, Blocks
from retriever.affinity.models.term_counts import count_terms, document_frequencies, row_of, scale_rows
from retriever.affinity.pooling import FILL, ProfilePooling
from retriever.affinity.profiles import Documents, Profiles
from retriever.affinity.similarity import LexicalSimilarity


class Bm25Model(BlockModel):
    """BM25 of every paper of a profile, pooled."""

    def __init__(
        self,
        pooling: str = "discounted",  # how the papers of a profile become one score
        breadth: float = 0.0,  # how much having many of them counts, 0 to 1; see `pooling`
        fill: int = FILL,  # how many papers a profile is filled up to; see `pooling`
        k1: float = K1,  # how soon repetitions of a term saturate, at least 0
        b: float = B,  # how much longer papers are held back, 0 to 1
    ) -> None:
        if k1 < 0 or not 0 <= b <= 1:
            raise InputError(f"BM25 needs k1 of at least 0 and b from 0 to 1, received k1 = {k1} and b = {b}")
        self.pooling, self.k1, self.b = ProfilePooling.parse(pooling, breadth, fill), k1, b

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Count and weigh the terms."""
        collected = Profiles.of(profiles)
        return pooled_blocks(
            lambda documents: self._similarity(collected, documents), submissions, collected, self.pooling
        )

    def _similarity(self, profiles: Profiles, documents: Documents) -> LexicalSimilarity:
        """BM25 of all papers of the profiles for these documents as queries."""
        vocabulary = Vocabulary()
        papers, queries = count_terms(profiles.papers, vocabulary), count_terms(documents, vocabulary)
        frequencies = document_frequencies(papers, len(vocabulary.numbers))
        rarity = np.log1p((len(profiles.papers) - frequencies + 0.5) / (frequencies + 0.5))
        lengths = papers.sum(axis=1)
        damping = self.k1 * (1 - self.b + self.b * lengths / max(float(lengths.mean()) if len(lengths) else 0.0, 1.0))
        damped = papers.data / (papers.data + damping[row_of(papers)])
        papers.data = (damped * rarity[papers.indices]).astype(np.float32)
        ideal = np.bincount(row_of(queries), queries.data * rarity[queries.indices], minlength=len(documents))
        scale_rows(queries, 1 / np.where(ideal > 0, ideal, 1))
        return LexicalSimilarity(papers, queries)
