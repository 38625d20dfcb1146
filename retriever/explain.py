"""Explanation: the papers that make a reviewer an expert, what they share with the submission, and who found them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.ownership import gather_rows
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import MatchedPaper, Paper, Submission
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.terms import Query, Rarity

SAMPLE = 1000
"""Papers from which the rarity of words is learned: evenly spaced over the index, so always the same."""


class Explainer:
    """Puts into words why somebody was found."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    @cached_property
    def _rarity(self) -> Rarity:
        live = np.flatnonzero(self._index.live)
        sample = live[:: max(1, len(live) // SAMPLE)]
        papers = self._corpus.papers(self._index.units.paper_ids(sample))
        return Rarity(Text(paper.title, paper.abstract).plain() for paper in papers.values())

    def explain(
        self,
        submission: Submission,
        candidates: Candidates,
        ranked: RankedAuthors,
        places: Sequence[int],
        *,
        papers: int,
        sentences: bool,
    ) -> list[tuple[MatchedPaper, ...]]:
        """The `papers` best matching papers of each reviewer.

        Args:
            submission: what was searched for.
            candidates: what was found.
            ranked: whose it is.
            places: places of the reviewers in `ranked`.
            papers: how many papers each.
            sentences: quote the best matching sentence of each paper too.
        """
        votes = [ranked.vote_starts[place] + np.arange(_count(ranked, place, papers)) for place in places]
        shown = ranked.votes[np.concatenate(votes)] if votes else np.zeros(0, np.int64)
        ids = self._index.units.paper_ids(candidates.units[shown])
        found = self._corpus.papers(list(dict.fromkeys(ids)))
        known = dict(zip(shown.tolist(), ids, strict=True))
        query = Query(Text(submission.title, submission.abstract), self._rarity)
        texts = {key: Text(paper.title, paper.abstract).plain() for key, paper in found.items()}
        terms = dict(zip(texts, query.shared_terms(list(texts.values())), strict=True))
        quotes = {key: query.best_sentence(text) for key, text in texts.items()} if sentences else {}
        stages = dict(zip(shown.tolist(), _stages(candidates, shown), strict=True))
        explained = []
        for place, own in zip(places, votes, strict=True):
            total = float(ranked.weights[ranked.vote_starts[place] : ranked.vote_starts[place + 1]].sum())
            matched = []
            for vote in own.tolist():
                candidate = int(ranked.votes[vote])
                paper = found.get(known[candidate]) or Paper(known[candidate], title=known[candidate])
                matched.append(
                    MatchedPaper(
                        paper=paper,
                        score=float(candidates.scores[candidate]),
                        share=float(ranked.weights[vote]) / total if total > 0 else 0.0,
                        found_by=stages[candidate],
                        terms=terms.get(paper.id, ()),
                        sentence=quotes.get(paper.id),
                    )
                )
            explained.append(tuple(matched))
        return explained


def _stages(candidates: Candidates, places: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Which of the searches found each of these candidates."""
    lexical, dense = ~np.isnan(candidates.lexical[places]), ~np.isnan(candidates.dense[places])
    names = {(True, True): ("lexical", "dense"), (True, False): ("lexical",), (False, True): ("dense",)}
    return [names[both] for both in zip(lexical.tolist(), dense.tolist(), strict=True)]


def found_by(candidates: Candidates, ranked: RankedAuthors, places: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Which of the searches found any paper of the reviewers at each of these places in `ranked`."""
    votes, lengths = gather_rows(ranked.vote_starts, places)
    papers, begins = ranked.votes[votes], np.cumsum(lengths) - lengths
    stages = (("lexical", candidates.lexical), ("dense", candidates.dense))
    found = [
        (name, np.logical_or.reduceat(~np.isnan(scores[papers]), begins).tolist() if len(places) else [])
        for name, scores in stages
    ]
    return [tuple(name for name, rows in found if rows[row]) for row in range(len(places))]


def _count(ranked: RankedAuthors, place: int, papers: int) -> int:
    return min(papers, int(ranked.vote_starts[place + 1] - ranked.vote_starts[place]))
