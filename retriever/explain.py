"""Explanation: the papers that make a reviewer an expert, and what they share with the submission."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice

import numpy as np

from indexing.index import Index
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import MatchedPaper, Paper, Submission
from retriever.stages import Evidence
from retriever.terms import Rarity, TermFinder, best_sentence, word_weights

SAMPLE = 1000
"""Papers from which the rarity of words is learned: evenly spaced over the index, so always the same."""


class Explainer:
    """Puts into words why somebody was found. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    def explain(
        self, submission: Submission, evidence: Evidence, papers: Mapping[int, Paper], *, sentences: bool
    ) -> list[tuple[MatchedPaper, ...]]:
        """The matching papers of each reviewer, with the best matching sentence of each if `sentences`.

        `papers` are those of the evidence, by unit.
        """
        distinct = list(dict.fromkeys(evidence.units))
        texts = [Text.of(papers[unit]).plain() for unit in distinct]
        text = Text.of(submission)
        terms = dict(zip(distinct, self._terms.shared_terms(text, texts), strict=True))
        quotes: dict[int, str | None] = {}
        if sentences:
            weights = word_weights(text, self.rarity)
            quotes = {unit: best_sentence(weights, *Text.of(papers[unit])) for unit in distinct}
        matched = (
            MatchedPaper(papers[unit], score, share, searches, terms[unit], quotes.get(unit))
            for unit, score, share, searches in zip(
                evidence.units, evidence.scores, evidence.shares, evidence.found_by, strict=True
            )
        )
        return [tuple(islice(matched, count)) for count in evidence.counts]

    @cached_property
    def rarity(self) -> Rarity:
        """How rare words are in this corpus."""
        live = np.flatnonzero(self._index.live)
        sample = live[:: max(1, len(live) // SAMPLE)]
        papers = self._corpus.papers(self._index.units.paper_ids(sample))
        return Rarity(Text.of(paper).plain() for paper in papers.values())

    @cached_property
    def _terms(self) -> TermFinder:
        return TermFinder(self.rarity)


def papers_of(units: Iterable[int], index: Index, corpus: CorpusStore) -> dict[int, Paper]:
    """The papers of these units; one that has left the corpus since it was indexed is its id alone."""
    distinct = list(dict.fromkeys(units))
    ids = index.units.paper_ids(distinct)
    found = corpus.papers(ids) if ids else {}
    return {unit: found.get(key) or Paper(key, title=key) for unit, key in zip(distinct, ids, strict=True)}
