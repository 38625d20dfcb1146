"""Explanation: the papers that make a reviewer an expert, what they share with the submission, and who found them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import worthwhile
from indexing.index import Index
from indexing.ownership import gather_rows
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import MatchedPaper, Paper, Submission
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.pooling import Pooling
from retriever.terms import Query, Rarity

if TYPE_CHECKING:
    from retriever.matching import Matcher

SAMPLE = 1000
"""Papers from which the rarity of words is learned: evenly spaced over the index, so always the same."""


class Explainer:
    """Puts into words why somebody was found. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    def explain(
        self,
        submission: Submission,
        candidates: Candidates,
        ranked: RankedAuthors,
        places: NDArray[np.int64],
        pooling: Pooling,
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
            pooling: how their votes became a score: a paper's share of it is its share of the votes that count.
            papers: how many papers each.
            sentences: quote the best matching sentence of each paper too.
        """
        votes, counts = gather_rows(ranked.vote_starts, places, papers)
        shown = ranked.votes[votes]
        ids = self._index.units.paper_ids(candidates.units[shown])
        found = self._corpus.papers(list(dict.fromkeys(ids)))
        texts = {key: Text(paper.title, paper.abstract).plain() for key, paper in found.items()}
        text = Text(submission.title, submission.abstract)
        terms = dict(zip(texts, self._shared_terms(text, list(texts.values())), strict=True))
        quotes: dict[str, str | None] = {}
        if sentences:
            query = Query(text, self._rarity)
            quotes = {key: query.best_sentence(one) for key, one in texts.items()}
        matched = [
            MatchedPaper(
                found.get(key) or Paper(key, title=key), score, share, stages, terms.get(key, ()), quotes.get(key)
            )
            for key, score, share, stages in zip(
                ids,
                candidates.scores[shown].tolist(),
                _shares(ranked, places, votes, counts, pooling.counted()).tolist(),
                _stages(candidates, shown),
                strict=True,
            )
        ]
        ends = np.cumsum(counts).tolist()
        return [tuple(matched[end - count : end]) for end, count in zip(ends, counts.tolist(), strict=True)]

    def _shared_terms(self, submission: Text, texts: Sequence[str]) -> list[tuple[str, ...]]:
        if worthwhile():
            return self._matcher.shared_terms(submission, texts)
        return Query(submission, self._rarity).shared_terms(texts)

    @cached_property
    def _rarity(self) -> Rarity:
        live = np.flatnonzero(self._index.live)
        sample = live[:: max(1, len(live) // SAMPLE)]
        papers = self._corpus.papers(self._index.units.paper_ids(sample))
        return Rarity(Text(paper.title, paper.abstract).plain() for paper in papers.values())

    @cached_property
    def _matcher(self) -> Matcher:
        from retriever.matching import Matcher

        return Matcher(self._rarity)


def _shares(
    ranked: RankedAuthors,
    places: NDArray[np.int64],
    votes: NDArray[np.int64],
    counts: NDArray[np.int64],
    counted: int | None,
) -> NDArray[np.float64]:
    """What share each of these votes, `counts` of them for each reviewer, has in those that make up the score."""
    if len(votes) == 0:
        return np.zeros(0)
    all_counted, lengths = gather_rows(ranked.vote_starts, places, counted)
    totals = np.add.reduceat(ranked.weights[all_counted].astype(np.float64), np.cumsum(lengths) - lengths)
    turns = np.arange(len(votes)) - np.repeat(np.cumsum(counts) - counts, counts)
    weights = np.where(turns < np.repeat(lengths, counts), ranked.weights[votes], 0.0)
    shares: NDArray[np.float64] = weights / np.repeat(np.where(totals > 0, totals, 1.0), counts)
    return shares


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
