"""Scores as a chair looks at them: able reviewers, pairs, conflicts, and why a reviewer fits a submission.

A reviewer is *able* to review a submission if their score is at least a threshold. By default that is the score which
a typical submission's tenth best reviewer has: the median over submissions; of fewer than thirty scores, the last of
the best third. Lists come in slices.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexing.text import Text
from panelist.app.desk.conference.files import (
    ProfileIndex,
    load_committee,
    load_near,
    load_submissions,
    load_table,
    profiles_path,
)
from panelist.app.desk.conference.scoring import inputs_of, read_score_record
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.reference_keys import paper_link
from panelist.errors import InputError
from panelist.records import Confidence, Paper, Submission
from retriever.affinity.model import affinity_model, with_index
from retriever.affinity.profiles import PROFILE_SIZE, most_recent
from retriever.confidence import confidence
from retriever.finder import Finder
from retriever.terms import Rarity, best_sentence, shared_terms, word_weights

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TYPICAL = 10  # which reviewer of a typical submission is just able, by default
FEW = 3  # a submission with fewer able reviewers than this is thin
_VIEWS = 4  # conferences that stay in memory
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
    near_papers: int | None  # of the reviewer, among the nearest to the submission, at most three; None: not known
    confidence: Confidence | None
    conflict: ShownConflict | None


class ScoreView:
    """The scores of one revision of a conference."""

    def __init__(self, view: ConferenceView) -> None:
        self.conference = conference = view.stored
        self.view, self.conflicts = view, view.conflicts
        self.table = load_table(conference)
        self.record = read_score_record(conference)
        self.stale = self.record is not None and self.record.inputs != inputs_of(conference)
        self.submissions = {submission.id: submission for submission in load_submissions(conference)}
        self.profiles = ProfileIndex(profiles_path(conference)) if profiles_path(conference).exists() else None
        self.papers = tuple(dict.fromkeys([*self.table.papers, *self.submissions]))
        self.reviewers = tuple(dict.fromkeys([*self.table.reviewers, *load_committee(conference)]))
        self.titles = [view.labels.titles.get(paper, "") for paper in self.papers]
        self.names = [view.labels.names.get(reviewer, "") for reviewer in self.reviewers]
        self._paper_at, self._reviewer_at = (
            {key: at for at, key in enumerate(keys)} for keys in (self.papers, self.reviewers)
        )
        # Pairs by submission and by reviewer, best first; numbers of `table` are those of `papers` and `reviewers`.
        order = np.lexsort((self.table.reviewer, -self.table.score, self.table.paper))
        self._paper, self._reviewer = self.table.paper[order], self.table.reviewer[order]
        self._score = self.table.score[order]
        near = load_near(conference)
        self._near = None if near is None else near[order]
        self._starts = np.searchsorted(self._paper, np.arange(len(self.papers) + 1))
        self._by_reviewer = np.lexsort((self._paper, -self._score, self._reviewer))
        self._reviewer_starts = np.searchsorted(self._reviewer[self._by_reviewer], np.arange(len(self.reviewers) + 1))
        # The median, over submissions, of the score of the tenth best reviewer; see above.
        lengths = np.diff(self._starts)
        scored = np.flatnonzero(lengths)
        last = self._starts[scored] + np.minimum(TYPICAL, -(-lengths[scored] // 3)) - 1
        self.threshold = float(np.median(self._score[last]))

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

    def able_by_paper(self) -> dict[str, int]:
        """How many reviewers are able, by paper."""
        return dict(zip(self.papers, self.able(self.threshold).tolist(), strict=True))

    def best_by_reviewer(self) -> dict[str, float]:
        """The best score of each reviewer who has one."""
        scores, starts = self._score[self._by_reviewer], self._reviewer_starts.tolist()
        ends = zip(self.reviewers, starts[:-1], starts[1:], strict=True)
        return {who: float(scores[start]) for who, start, stop in ends if start < stop}

    def pairs_of_paper(self, paper: str, look: Look) -> Slice[PairRow]:
        """The pairs of a submission, best first."""
        at = self._at(self._paper_at, paper, "submission")
        return self._slice(np.arange(self._starts[at], self._starts[at + 1]), look)

    def pairs_of_reviewer(self, reviewer: str, look: Look) -> Slice[PairRow]:
        """The pairs of a reviewer, best first."""
        at = self._at(self._reviewer_at, reviewer, "reviewer")
        return self._slice(self._by_reviewer[self._reviewer_starts[at] : self._reviewer_starts[at + 1]], look)

    def pair(self, paper: str, reviewer: str) -> PairRow | None:
        """One pair; None where it has no score."""
        row = self._at(self._paper_at, paper, "submission")
        column = self._at(self._reviewer_at, reviewer, "reviewer")
        inside = np.flatnonzero(self._reviewer[self._starts[row] : self._starts[row + 1]] == column)
        return self._pair(int(self._starts[row] + inside[0])) if len(inside) else None

    def _slice(self, pairs: Ints, look: Look) -> Slice[PairRow]:
        if not look.search:  # only the rows that are shown are made
            shown = pairs[look.offset : look.offset + look.limit]
            return Slice(len(pairs), [self._pair(pair) for pair in shown.tolist()])
        return look.at(map(self._pair, pairs.tolist()), lambda row: (row.paper, row.title, row.reviewer, row.name))

    def _pair(self, pair: int) -> PairRow:
        row, column = int(self._paper[pair]), int(self._reviewer[pair])
        near = None if self._near is None else int(self._near[pair])
        return PairRow(
            paper=self.papers[row],
            title=self.titles[row],
            reviewer=self.reviewers[column],
            name=self.names[column],
            score=float(self._score[pair]),
            rank=pair - int(self._starts[row]) + 1,
            near_papers=near,
            confidence=None if near is None else confidence(near),
            conflict=self.view.conflict(self.papers[row], self.reviewers[column]),
        )

    @staticmethod
    def _at(rows: Mapping[str, int], key: str, what: str) -> int:
        if key not in rows:
            raise NotFoundError(f"there is no {what} '{key}' in this conference")
        return rows[key]


class ScoreViews:
    """The views of the conferences that were looked at last. Safe to share between threads."""

    def __init__(self) -> None:
        self._views: OrderedDict[tuple[StoredConference, str], ScoreView] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, view: ConferenceView) -> ScoreView:
        """The scores of a conference as it is."""
        with self._lock:  # whoever comes second waits for the view of the first instead of making another
            state = (view.stored, view.conflicts.header.digest)
            scores = self._views.pop(state, None) or ScoreView(view)
            self._views[state] = scores
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
            return scores


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
    near_papers: int | None
    confidence: Confidence | None
    conflict: ShownConflict | None
    profile: int
    papers: list[MatchingPaper]
    note: str


def explain_pair(view: ScoreView, finder: Finder, paper: str, reviewer: str) -> Why:
    """Explain one pair of a conference."""
    pair = view.pair(paper, reviewer)
    submission = view.submissions.get(paper)
    size = PROFILE_SIZE if view.record is None else view.record.settings.profile
    if view.profiles is not None:
        papers: Iterable[Paper] = view.profiles.papers(reviewer)
    else:
        papers = finder.corpus.papers(list(finder.corpus.papers_of([reviewer]).get(reviewer, ()))).values()
    profile = most_recent(papers, size)
    note = ""
    if submission is None:
        note = "The conference has scores only: add the submissions to see which papers match."
    elif not profile:
        note = "No papers of this reviewer are known here."
    matching = _matching(view, finder, submission, profile) if submission and profile else []
    score, rank, near, sure = (pair.score, pair.rank, pair.near_papers, pair.confidence) if pair else (None,) * 4
    return Why(score, rank, near, sure, view.view.conflict(paper, reviewer), len(profile), matching, note)


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
    best = sorted(range(len(profile)), key=lambda at: (-matches[at], profile[at].id))[:SHOWN]
    texts = [Text.of(profile[at]).plain() for at in best]
    rarity = Rarity(Text.of(each).plain() for each in view.submissions.values())
    terms = shared_terms(Text.of(submission), texts, rarity)
    weights = word_weights(Text.of(submission), rarity)
    matching = []
    for at, shared in zip(best, terms, strict=True):
        paper, match = profile[at], float(matches[at])
        about = (paper.id, paper.title, paper.year, paper.venue, paper_link(paper))
        matching.append(MatchingPaper(*about, match, shared, best_sentence(weights, paper.abstract)))
    return matching
