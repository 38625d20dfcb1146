"""What a chair has to know before the assignment: who cannot be scored or must not review, what lacks experts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import Conflict, ConflictKind, Submission
from retriever.affinity.model import Document, Panels
from retriever.affinity.profiles import text_of
from retriever.affinity.reviewers import Reviewers
from retriever.affinity.sparse import SparseScores
from retriever.conflicts import ConflictFinder, ConflictRules
from retriever.papers import papers_of

WANTED = 3
"""How many able reviewers a submission should have."""


@dataclass(frozen=True, slots=True)
class ThinSubmission:
    """A submission that lacks reviewers: how many score above the threshold, and the score of the third best."""

    submission: str
    able: int
    third_best: float | None


@dataclass(frozen=True, slots=True)
class OwnPaper:
    """A submission that is itself in a reviewer's profile, by id or by text: its author, or an earlier version."""

    submission: str
    reviewer: str


def own_papers(submissions: Sequence[Submission], reviewers: Reviewers) -> list[OwnPaper]:
    """Submissions that are in a profile, in the order of submissions and reviewers."""
    by_id: dict[str, list[str]] = {submission.id: [] for submission in submissions}
    by_text: dict[Text, list[str]] = {text_of(submission): [] for submission in submissions}
    for reviewer, profile in zip(reviewers.ids, reviewers.profiles, strict=True):
        for paper in profile:
            for holders in (by_id.get(paper.id), by_text.get(text_of(paper))):
                if holders is not None and reviewer not in holders[-1:]:
                    holders.append(reviewer)
    return [
        OwnPaper(submission.id, reviewer)
        for submission in submissions
        for reviewer in sorted({*by_id[submission.id], *by_text[text_of(submission)]})
    ]


def own_and_declared_conflicts(
    submissions: Iterable[Submission], reviewers: Reviewers, declared: Mapping[str, Sequence[str]]
) -> list[Conflict]:
    """Conflicts that need no index: reviewers among the submission's authors, by id, and what the user declared."""
    known = set(reviewers.ids)
    found = []
    for submission in submissions:
        authors = dict.fromkeys(author.id for author in submission.authors if author.id in known)
        found += [Conflict(submission.id, a, ConflictKind.AUTHOR, "author of the submission") for a in authors]
        others = [r for r in dict.fromkeys(declared.get(submission.id, ())) if r in known and r not in authors]
        found += [Conflict(submission.id, r, ConflictKind.DECLARED, "declared by the user") for r in others]
    return found


def indexed_conflicts(
    index: Index,
    corpus: CorpusStore,
    submissions: Iterable[Submission],
    reviewers: Reviewers,
    rules: ConflictRules,
    declared: Mapping[str, Sequence[str]],
) -> list[Conflict]:
    """All certain conflicts of the look-up, among these reviewers: authors, co-authors, institutions, declared ones."""
    numbers = index.ownership.author_ids.find(reviewers.ids)
    ranked = numbers[numbers >= 0]
    finder = ConflictFinder(index, corpus)
    found = []
    for submission in submissions:
        named = declared.get(submission.id, ())
        conflicts = finder.find(submission, ranked, rules, named)
        sure = sorted(conflicts.certain.intersection(ranked.tolist()))
        explained = conflicts.explain(sure, papers_of(conflicts.written_together(sure), index, corpus))
        found += [reasons[0] for reasons in explained.values()]  # the certain ones come first
    return found


class OpenPairs:
    """Panels in which a pair that must not be chosen scores -inf: conflicts, and reviewers without any paper."""

    def __init__(
        self,
        panels: Panels,
        submissions: Sequence[Document],
        reviewers: Reviewers,
        conflicts: Iterable[Conflict],
    ) -> None:
        self.submissions, self.reviewers = panels.submissions, panels.reviewers
        self._panels = panels
        self._empty = np.array([not profile for profile in reviewers.profiles], dtype=np.bool_)
        row = {reviewer: number for number, reviewer in enumerate(reviewers.ids)}
        column = {submission.id: number for number, submission in enumerate(submissions)}
        pairs = sorted({(row[one.reviewer], column[one.submission]) for one in conflicts})
        self._rows, self._columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    def panel(self, start: int, stop: int) -> NDArray[np.float32]:
        """See `Panels`."""
        panel = self._panels.panel(start, stop)
        panel[self._empty[start:stop]] = -np.inf
        inside = slice(*np.searchsorted(self._rows, [start, stop]))
        panel[self._rows[inside] - start, self._columns[inside]] = -np.inf
        return panel


class Coverage:
    """Counts able reviewers while the panels go by; give `watch` to `sparse_scores`.

    Args:
        submissions: how many there are.
        threshold: a reviewer is able whose score is above; None: everybody who can be scored is.
    """

    def __init__(self, submissions: int, threshold: float | None = None) -> None:
        self.threshold = -np.inf if threshold is None else threshold
        self._able = np.zeros(submissions, dtype=np.int64)

    def watch(self, start: int, panel: NDArray[np.float32]) -> None:
        """Take note of a panel."""
        self._able += np.count_nonzero(panel > self.threshold, axis=0)

    def thin(self, scores: SparseScores) -> list[ThinSubmission]:
        """Submissions with fewer than three able reviewers: fewest first, then by the score of the third best."""
        found = []
        for able, (submission, _, values) in zip(self._able.tolist(), scores.rows(), strict=True):
            if able < WANTED:
                third = float(values[WANTED - 1]) if len(values) >= WANTED else None
                found.append(ThinSubmission(submission, able, third))
        return sorted(found, key=lambda thin: (thin.able, -math.inf if thin.third_best is None else thin.third_best))
