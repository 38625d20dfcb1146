"""Explanation: the papers that make a reviewer an expert, what they share with the submission, and who found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import worthwhile
from indexing.index import Index
from indexing.tables.ownership import gather_rows
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import MatchedPaper, Paper, Submission
from retriever.aggregate import RankedAuthors
from retriever.candidates import SEARCHES, Candidates
from retriever.pooling import Pooling
from retriever.terms import Query, Rarity

if TYPE_CHECKING:
    from retriever.matching import Matcher

SAMPLE = 1000
"""Papers from which the rarity of words is learned: evenly spaced over the index, so always the same."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The best matching papers of some reviewers, one reviewer's after the other's.

    Attributes:
        counts: how many are of each reviewer.
        units: their units.
        scores: their fused scores.
        shares: what share each has in the reviewer's score, that is in the votes that make it up.
        found_by: which of the searches found each.
    """

    counts: list[int]
    units: list[int]
    scores: list[float]
    shares: list[float]
    found_by: list[tuple[str, ...]]

    @classmethod
    def of(
        cls, candidates: Candidates, ranked: RankedAuthors, places: NDArray[np.int64], pooling: Pooling, most: int
    ) -> Evidence:
        """Up to `most` papers of each of the reviewers at these places in `ranked`, whose votes were pooled so."""
        votes, counts = gather_rows(ranked.vote_starts, places, most)
        shown = ranked.votes[votes]
        return cls(
            counts.tolist(),
            candidates.units[shown].tolist(),
            candidates.scores[shown].tolist(),
            _shares(ranked, places, votes, counts, pooling.counted()).tolist(),
            [SEARCHES[one] for one in candidates.found_by[shown].tolist()],
        )


class Explainer:
    """Puts into words why somebody was found. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    def explain(
        self, submission: Submission, evidence: Evidence, papers: Mapping[int, Paper], *, sentences: bool
    ) -> list[tuple[MatchedPaper, ...]]:
        """The matching papers of each reviewer.

        Args:
            submission: what was searched for.
            evidence: what was found.
            papers: by unit, those of the evidence.
            sentences: quote the best matching sentence of each paper too.
        """
        distinct = list(dict.fromkeys(evidence.units))
        texts = [Text(papers[unit].title, papers[unit].abstract).plain() for unit in distinct]
        text = Text(submission.title, submission.abstract)
        terms = dict(zip(distinct, self._shared_terms(text, texts), strict=True))
        quotes: dict[int, str | None] = {}
        if sentences:
            query = Query(text, self._rarity)
            quotes = {unit: query.best_sentence(one) for unit, one in zip(distinct, texts, strict=True)}
        matched = (
            MatchedPaper(papers[unit], score, share, stages, terms[unit], quotes.get(unit))
            for unit, score, share, stages in zip(
                evidence.units, evidence.scores, evidence.shares, evidence.found_by, strict=True
            )
        )
        return [tuple(islice(matched, count)) for count in evidence.counts]

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
    most: int | None,
) -> NDArray[np.float64]:
    """What share each of `votes`, so many for each reviewer, has in those that make up the score, the best `most`."""
    if len(votes) == 0:
        return np.zeros(0)
    counted, lengths = gather_rows(ranked.vote_starts, places, most)
    totals = np.add.reduceat(ranked.weights[counted].astype(np.float64), np.cumsum(lengths) - lengths)
    turns = np.arange(len(votes)) - np.repeat(np.cumsum(counts) - counts, counts)
    weights = np.where(turns < np.repeat(lengths, counts), ranked.weights[votes], 0.0)
    shares: NDArray[np.float64] = weights / np.repeat(np.where(totals > 0, totals, 1.0), counts)
    return shares


def found_by(candidates: Candidates, ranked: RankedAuthors, places: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Which of the searches found any paper of the reviewers at each of these places in `ranked`."""
    votes, lengths = gather_rows(ranked.vote_starts, places)
    stages = candidates.found_by[ranked.votes[votes]]
    if len(places):
        stages = np.bitwise_or.reduceat(stages, np.cumsum(lengths) - lengths)
    return [SEARCHES[one] for one in stages.tolist()]
