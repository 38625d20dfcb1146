"""Scores as a chair looks at them: able reviewers, pairs, conflicts, and why a reviewer fits a submission.

A reviewer is *able* to review a submission if they fit it at least fairly (`retriever.fit`), so that nobody who is able
is a weak match, or if their score is at least a threshold that the chair gives. Where the fit is not known that is by
default the score which a typical submission's tenth best reviewer has: the median over submissions; of fewer than
thirty scores, the last of the best third. Lists come in slices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexing.text import Text
from panelist.app.desk.conference.contents import (
    all_papers,
    load_committee,
    load_reviewers,
    load_submissions,
    scores_are_old,
)
from panelist.app.desk.conference.scores import load_scores, score_record
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice
from panelist.app.desk.conference.views.profile import counting_papers
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.reference_keys import paper_link
from panelist.errors import InputError
from panelist.records import Confidence, Paper, Submission
from retriever.affinity.model import affinity_model, with_index
from retriever.finder import Finder
from retriever.fit import grade, shipped
from retriever.terms import Rarity, best_sentence, shared_terms, word_weights

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TYPICAL = 10  # which reviewer of a typical submission is just able, by default
FEW = 3  # a submission with fewer able reviewers than this is thin
SHOWN = 5  # papers of a reviewer
_WITHOUT_MODEL = "bm25"  # what compares papers where the scores were computed elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """A pair with its rank among the reviewers of its submission, and its conflict, if there is one."""

    paper: str
    title: str
    reviewer: str
    name: str
    score: float
    rank: int
    confidence: Confidence | None
    conflict: ShownConflict | None


class _Sorted:
    """Scores by paper and by reviewer, best first; they depend on what is scored and on nothing else."""

    def __init__(self, conference: Conference) -> None:
        table, fits = load_scores(conference)
        self.table, self.papers = table, tuple(dict.fromkeys([*table.papers, *all_papers(conference)]))
        self.reviewers = tuple(dict.fromkeys([*table.reviewers, *load_committee(conference)]))
        self.paper_at, self.reviewer_at = (
            {key: position for position, key in enumerate(keys)} for keys in (self.papers, self.reviewers)
        )
        # Numbers of `table` are those of `papers` and `reviewers`.
        order = np.lexsort((table.reviewer, -table.score, table.paper))
        self.paper, self.reviewer, self.score = table.paper[order], table.reviewer[order], table.score[order]
        self.fit = None if fits is None else fits[order]
        self.starts = np.searchsorted(self.paper, np.arange(len(self.papers) + 1))
        self.by_reviewer = np.lexsort((self.paper, -self.score, self.reviewer))
        self.reviewer_starts = np.searchsorted(self.reviewer[self.by_reviewer], np.arange(len(self.reviewers) + 1))
        # The median, over submissions, of the score of the tenth best reviewer; see above.
        lengths = np.diff(self.starts)
        scored = np.flatnonzero(lengths)
        last = self.starts[scored] + np.minimum(TYPICAL, -(-lengths[scored] // 3)) - 1
        self.threshold = float(np.median(self.score[last]))
        self.able = self.score >= self.threshold if self.fit is None else self.fit.astype(np.float64) >= shipped().fair
        if self.fit is not None and self.able.any():  # as many pairs are above it as are able
            self.threshold = float(np.sort(self.score)[::-1][np.count_nonzero(self.able) - 1])


_sorted = remembered("scores", "submissions", "committee")(_Sorted)


class ScoreView:
    """The scores of a conference as it is."""

    def __init__(self, view: ConferenceView) -> None:
        self.conference, self.view, self.conflicts = view.stored, view, view.conflicts
        self._sorted = _sorted(view.stored)
        self.table, self.threshold = self._sorted.table, self._sorted.threshold
        self.papers, self.reviewers = self._sorted.papers, self._sorted.reviewers
        self.record = score_record(view.stored)
        self.stale = scores_are_old(view.stored)

    def able(self, threshold: float | None = None) -> Ints:
        """(papers) how many reviewers are able: by their fit, or from this score on."""
        able = self._sorted.able if threshold is None else self._sorted.score >= threshold
        return np.bincount(self._sorted.paper[able], minlength=len(self.papers))

    def wanted(self, threshold: float | None = None) -> Ints:
        """(reviewers) for how many submissions each is able."""
        able = self._sorted.able if threshold is None else self._sorted.score >= threshold
        return np.bincount(self._sorted.reviewer[able], minlength=len(self.reviewers))

    def nth(self, position: int) -> Floats:
        """(papers) the score of the n-th best reviewer, counted from 0; nan where there is none."""
        rows = self._sorted.starts[:-1] + position
        has_row = rows < self._sorted.starts[1:]
        return np.where(has_row, self._sorted.score[np.where(has_row, rows, 0)], np.nan)

    def able_by_paper(self) -> dict[str, int]:
        """How many reviewers are able, by paper."""
        return dict(zip(self.papers, self.able().tolist(), strict=True))

    def best_by_reviewer(self) -> dict[str, float]:
        """The best score of each reviewer who has one."""
        scores, starts = self._sorted.score[self._sorted.by_reviewer], self._sorted.reviewer_starts.tolist()
        ends = zip(self.reviewers, starts[:-1], starts[1:], strict=True)
        return {reviewer: float(scores[start]) for reviewer, start, stop in ends if start < stop}

    def pairs_of_paper(self, paper: str, look: Look) -> Slice[PairRow]:
        """The pairs of a submission, best first."""
        row = self._number(self._sorted.paper_at, paper, "submission")
        return self._slice(np.arange(self._sorted.starts[row], self._sorted.starts[row + 1]), look)

    def fitting_pairs(self, paper: str) -> list[PairRow]:
        """The pairs of a submission whose reviewers are able, best first; all of them where the fit is not known."""
        row = self._number(self._sorted.paper_at, paper, "submission")
        pairs = np.arange(self._sorted.starts[row], self._sorted.starts[row + 1])
        return [self._pair(pair) for pair in pairs.tolist() if self._sorted.fit is None or self._sorted.able[pair]]

    def pairs_of_reviewer(self, reviewer: str, look: Look) -> Slice[PairRow]:
        """The pairs of a reviewer, best first."""
        column = self._number(self._sorted.reviewer_at, reviewer, "reviewer")
        start, stop = self._sorted.reviewer_starts[column : column + 2]
        return self._slice(self._sorted.by_reviewer[start:stop], look)

    def pair(self, paper: str, reviewer: str) -> PairRow | None:
        """One pair; None where it has no score."""
        row = self._number(self._sorted.paper_at, paper, "submission")
        column = self._number(self._sorted.reviewer_at, reviewer, "reviewer")
        start, stop = self._sorted.starts[row : row + 2]
        positions = np.flatnonzero(self._sorted.reviewer[start:stop] == column)
        return self._pair(int(start + positions[0])) if len(positions) else None

    def _slice(self, pairs: Ints, look: Look) -> Slice[PairRow]:
        if not look.search:  # only the rows that are shown are made
            shown = pairs[look.offset : look.offset + look.limit]
            return Slice(len(pairs), [self._pair(pair) for pair in shown.tolist()])
        return look.select(map(self._pair, pairs.tolist()), lambda row: (row.paper, row.title, row.reviewer, row.name))

    def _pair(self, pair: int) -> PairRow:
        row, column = int(self._sorted.paper[pair]), int(self._sorted.reviewer[pair])
        return PairRow(
            paper=self.papers[row],
            title=self.view.labels.titles.get(self.papers[row], ""),
            reviewer=self.reviewers[column],
            name=self.view.labels.names.get(self.reviewers[column], ""),
            score=float(self._sorted.score[pair]),
            rank=pair - int(self._sorted.starts[row]) + 1,
            confidence=None if self._sorted.fit is None else grade(float(self._sorted.fit[pair])),
            conflict=self.view.conflict(self.papers[row], self.reviewers[column]),
        )

    @staticmethod
    def _number(rows: Mapping[str, int], key: str, noun: str) -> int:
        if key not in rows:
            raise NotFoundError(f"there is no {noun} '{key}' in this conference")
        return rows[key]


class MatchingPaper(Struct, frozen=True):
    """A paper of the reviewer: how well it matches alone, the terms it shares, its best sentence."""

    id: str
    title: str
    year: int | None
    venue: str | None
    url: str | None
    match: float
    terms: tuple[str, ...]
    sentence: str | None


class Why(Struct, frozen=True):
    """A pair, explained by `papers` of a profile of this size; `note` says why there are none, where there are none."""

    score: float | None
    rank: int | None
    confidence: Confidence | None
    conflict: ShownConflict | None
    profile: int
    papers: list[MatchingPaper]
    note: str
    history: tuple[str, ...] = ()  # what they reviewed and edited before, in words: for the desk's editors only


def explain_score(
    view: ScoreView, finder: Finder, paper: str, reviewer: str, excluded: Sequence[str] | None = None
) -> Why:
    """Explain one pair of a conference, with the history but for what is excluded; None: nothing of it may be seen."""
    pair = view.pair(paper, reviewer)
    submissions = load_submissions(view.conference)
    submission = next((submitted for submitted in submissions if submitted.id == paper), None)
    profile = counting_papers(view.conference, finder.corpus, reviewer)
    note = ""
    if submission is None:
        note = "The conference has scores only: add the submissions to see which papers match."
    elif not profile:
        note = "No papers of this reviewer are known here."
    matching = _matching(view, finder, submission, profile) if submission and profile else []
    score, rank, sure = (pair.score, pair.rank, pair.confidence) if pair else (None,) * 3
    history: tuple[str, ...] = ()
    if excluded is not None and submission and (view.record is None or view.record.settings.history == "auto"):
        committee = load_reviewers(view.conference, finder.corpus, only=(reviewer,))
        history = finder.done_before(submission, committee.author(reviewer), excluded)
    return Why(score, rank, sure, view.view.conflict(paper, reviewer), len(profile), matching, note, history)


def _matching(
    view: ScoreView, finder: Finder, submission: Submission, profile: tuple[Paper, ...]
) -> list[MatchingPaper]:
    """The papers that match best, each scored as if it were the whole profile."""
    name = _WITHOUT_MODEL if view.record is None else view.record.settings.model
    try:
        model = affinity_model(name, **with_index(name, finder.index, {}))
    except InputError:  # a model of another Panelist
        model = affinity_model(_WITHOUT_MODEL)
    matches = model.score([submission], [(paper,) for paper in profile])[0]
    best = sorted(range(len(profile)), key=lambda number: (-matches[number], profile[number].id))[:SHOWN]
    texts = [Text.of(profile[number]).plain() for number in best]
    rarity = Rarity(Text.of(submitted).plain() for submitted in load_submissions(view.conference))
    terms = shared_terms(Text.of(submission), texts, rarity)
    weights = word_weights(Text.of(submission), rarity)
    matching = []
    for number, shared in zip(best, terms, strict=True):
        paper, match = profile[number], float(matches[number])
        details = (paper.id, paper.title, paper.year, paper.venue, paper_link(paper))
        matching.append(MatchingPaper(*details, match, shared, best_sentence(weights, paper.abstract)))
    return matching
