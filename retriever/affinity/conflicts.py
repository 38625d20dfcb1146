"""Conflicts of interest among the reviewers of a conference, with an index and without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from indexing.index import Index
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import Conflict, ConflictKind, Submission
from retriever.affinity.profiles import text_of
from retriever.affinity.reviewers import Reviewers
from retriever.conflicts import ConflictFinder, ConflictRules
from retriever.explain import papers_of


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
