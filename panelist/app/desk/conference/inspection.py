"""Scores as a chair looks at them: submissions with few able reviewers, reviewers wanted by nobody, pairs, conflicts.

A reviewer is *able* to review a submission if their score is at least a threshold. By default that is the score which
a typical submission's tenth best reviewer has: the median over submissions; of fewer than thirty scores, the last of
the best third. Lists come in slices.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelist.app.desk.conference.files import (
    ProfileIndex,
    has_profiles,
    load_committee,
    load_submissions,
    profiles_path,
)
from panelist.app.desk.conference.scores import load_near, load_table
from panelist.app.desk.conference.scoring import ScoreRecord, inputs_of, read_score_record
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView, Slice
from panelist.app.desk.errors import NotKeptError
from panelist.records import Confidence, Submission
from retriever.conference.conflicts.table import ConflictPair
from retriever.confidence import confidence

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TYPICAL = 10
"""Which reviewer of a typical submission is just able, by default."""
FEW = 3
"""A submission with fewer able reviewers than this is thin."""
_VIEWS = 4
"""Conferences that are held in memory."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A submission: how many reviewers are able, and the scores of its best and third best."""

    id: str
    title: str
    able: int
    best: float | None
    third: float | None


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """A reviewer: for how many submissions they are able, their best score, and how many papers it rests on."""

    id: str
    name: str
    wanted: int
    best: float | None
    papers: int | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair with its rank among the reviewers of its submission, and its conflict, if there is one.

    `near_papers` of the reviewer are among the nearest to the submission, at most three; None where it is not known.
    """

    paper: str
    title: str
    reviewer: str
    name: str
    score: float
    rank: int
    near_papers: int | None
    conflict: ConflictPair | None

    @property
    def confidence(self) -> Confidence | None:
        """How sure the score is."""
        return None if self.near_papers is None else confidence(self.near_papers)


class ScoreView:
    """The scores of one revision of a conference."""

    def __init__(self, view: ConferenceView) -> None:
        self.conference = conference = view.stored
        self.conflicts = view.conflicts
        self.table = load_table(conference)
        self.record: ScoreRecord | None = read_score_record(conference)
        self.stale = self.record is not None and self.record.inputs != inputs_of(conference)
        self.submissions: dict[str, Submission] = {one.id: one for one in load_submissions(conference)}
        self.profiles = ProfileIndex(profiles_path(conference)) if has_profiles(conference) else None
        self.papers = tuple(dict.fromkeys([*self.table.papers, *self.submissions]))
        self.reviewers = tuple(dict.fromkeys([*self.table.reviewers, *load_committee(conference)]))
        self.titles = [view.labels.titles.get(one, "") for one in self.papers]
        self.names = [view.labels.names.get(one, "") for one in self.reviewers]
        self._paper_at = {one: at for at, one in enumerate(self.papers)}
        self._reviewer_at = {one: at for at, one in enumerate(self.reviewers)}
        # Pairs by submission and by reviewer, best first; numbers of `table` are those of `papers` and `reviewers`.
        order = np.lexsort((self.table.reviewer, -self.table.score, self.table.paper))
        self._paper, self._reviewer = self.table.paper[order], self.table.reviewer[order]
        self._score = self.table.score[order]
        near = load_near(conference)
        self._near = None if near is None else near[order]
        self._starts = np.searchsorted(self._paper, np.arange(len(self.papers) + 1))
        self._by_reviewer = np.lexsort((self._paper, -self._score, self._reviewer))
        self._reviewer_starts = np.searchsorted(self._reviewer[self._by_reviewer], np.arange(len(self.reviewers) + 1))
        self.threshold = self._typical()

    def _typical(self) -> float:
        """The median, over submissions, of the score of the tenth best reviewer; see above."""
        lengths = np.diff(self._starts)
        scored = np.flatnonzero(lengths)
        last = self._starts[scored] + np.minimum(TYPICAL, -(-lengths[scored] // 3)) - 1
        return float(np.median(self._score[last]))

    def able(self, threshold: float) -> Ints:
        """(papers) how many reviewers are able."""
        return np.bincount(self._paper[self._score >= threshold], minlength=len(self.papers))

    def wanted(self, threshold: float) -> Ints:
        """(reviewers) for how many submissions each is able."""
        return np.bincount(self._reviewer[self._score >= threshold], minlength=len(self.reviewers))

    def nth(self, position: int) -> Floats:
        """(papers) the score of the n-th best reviewer, counted from 0; nan where there is none."""
        at = self._starts[:-1] + position
        there = at < self._starts[1:]
        return np.where(there, self._score[np.where(there, at, 0)], np.nan)

    def best_of_reviewers(self) -> Floats:
        """(reviewers) the best score of each; nan where there is none."""
        starts = self._reviewer_starts
        there = starts[:-1] < starts[1:]
        return np.where(there, self._score[self._by_reviewer[np.where(there, starts[:-1], 0)]], np.nan)

    def able_by_paper(self) -> dict[str, int]:
        """How many reviewers are able, by paper."""
        return dict(zip(self.papers, self.able(self.threshold).tolist(), strict=True))

    def best_by_reviewer(self) -> dict[str, float]:
        """The best score of each reviewer who has one."""
        best = self.best_of_reviewers()
        return {who: float(value) for who, value in zip(self.reviewers, best, strict=True) if not np.isnan(value)}

    def paper_rows(self, sort: str, search: str, threshold: float, offset: int, limit: int) -> Slice[PaperRow]:
        """Submissions: those with the fewest able reviewers first, by score, or by id."""
        able, best, third = self.able(threshold), self.nth(0), self.nth(FEW - 1)
        keys = {"able": (third, able), "third": (third,), "best": (-best,), "id": (np.arange(len(able)),)}[sort]
        order = np.lexsort(keys)
        chosen = order[_holding(search, order, self.papers, self.titles)]
        rows = [
            PaperRow(self.papers[at], self.titles[at], int(able[at]), _real(best[at]), _real(third[at]))
            for at in chosen[offset : offset + limit].tolist()
        ]
        return Slice(len(chosen), rows)

    def reviewer_rows(self, sort: str, search: str, threshold: float, offset: int, limit: int) -> Slice[ReviewerRow]:
        """Reviewers: those whom the fewest submissions want first, by best score, or by id."""
        wanted, best = self.wanted(threshold), self.best_of_reviewers()
        keys = {"wanted": (best, wanted), "best": (-best,), "id": (np.arange(len(wanted)),)}[sort]
        order = np.lexsort(keys)
        chosen = order[_holding(search, order, self.reviewers, self.names)]
        sizes = {} if self.record is None else self.record.papers
        rows = [
            ReviewerRow(who, self.names[at], int(wanted[at]), _real(best[at]), sizes.get(who))
            for at in chosen[offset : offset + limit].tolist()
            for who in (self.reviewers[at],)
        ]
        return Slice(len(chosen), rows)

    def pairs_of_paper(self, paper: str, search: str, offset: int, limit: int) -> Slice[PairRow]:
        """The pairs of a submission, best first.

        Raises:
            NotKeptError: there is no such submission.
        """
        at = self._at(self._paper_at, paper, "submission")
        pairs = np.arange(self._starts[at], self._starts[at + 1])
        found = pairs[_holding(search, self._reviewer[pairs], self.reviewers, self.names)]
        return self._slice(found, offset, limit)

    def pairs_of_reviewer(self, reviewer: str, search: str, offset: int, limit: int) -> Slice[PairRow]:
        """The pairs of a reviewer, best first.

        Raises:
            NotKeptError: there is no such reviewer.
        """
        at = self._at(self._reviewer_at, reviewer, "reviewer")
        pairs = self._by_reviewer[self._reviewer_starts[at] : self._reviewer_starts[at + 1]]
        found = pairs[_holding(search, self._paper[pairs], self.papers, self.titles)]
        return self._slice(found, offset, limit)

    def pair(self, paper: str, reviewer: str) -> PairRow | None:
        """One pair; None where it has no score.

        Raises:
            NotKeptError: there is no such submission or reviewer.
        """
        row = self._at(self._paper_at, paper, "submission")
        column = self._at(self._reviewer_at, reviewer, "reviewer")
        inside = np.flatnonzero(self._reviewer[self._starts[row] : self._starts[row + 1]] == column)
        return self._pair(int(self._starts[row] + inside[0])) if len(inside) else None

    def name_of(self, reviewer: str) -> str:
        """A reviewer's name, empty where it is not known."""
        return self.names[self._reviewer_at[reviewer]] if reviewer in self._reviewer_at else ""

    def _slice(self, pairs: Ints, offset: int, limit: int) -> Slice[PairRow]:
        return Slice(len(pairs), [self._pair(one) for one in pairs[offset : offset + limit].tolist()])

    def _pair(self, pair: int) -> PairRow:
        row, column = int(self._paper[pair]), int(self._reviewer[pair])
        paper, who = self.papers[row], self.reviewers[column]
        rank = pair - int(self._starts[row]) + 1
        score, conflict = float(self._score[pair]), self.conflicts.of(paper, who)
        near = None if self._near is None else int(self._near[pair])
        return PairRow(paper, self.titles[row], who, self.names[column], score, rank, near, conflict)

    @staticmethod
    def _at(rows: Mapping[str, int], key: str, what: str) -> int:
        if key not in rows:
            raise NotKeptError(f"there is no {what} '{key}' in this conference")
        return rows[key]


class ScoreViews:
    """The views of the conferences that were looked at last. Safe to share between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[StoredConference, str], ScoreView] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, view: ConferenceView) -> ScoreView:
        """The scores of a conference as it is.

        Raises:
            NotKeptError: it has no scores yet.
        """
        with self._lock:  # whoever comes second waits for the view of the first instead of making another
            state = (view.stored, view.conflicts.header.digest)
            scores = self._kept.pop(state, None) or ScoreView(view)
            self._kept[state] = scores
            while len(self._kept) > _VIEWS:
                self._kept.popitem(last=False)
            return scores


def _holding(search: str, rows: Ints, ids: Sequence[str], names: Sequence[str]) -> NDArray[np.bool_]:
    """Whether the id or the name of each of these rows contains a text."""
    text = search.casefold()
    if not text:
        return np.ones(len(rows), dtype=np.bool_)
    found = [text in ids[at].casefold() or text in names[at].casefold() for at in rows.tolist()]
    return np.array(found, dtype=np.bool_)


def _real(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
