"""Affinity of submissions to reviewers of the corpus, by the models of `retriever.affinity`, freed of conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.app.web.requests import AffinityRequest
from panelist.errors import InputError
from panelist.progress import Progress
from panelist.records import Conflict, Paper
from retriever.affinity.conference import score_conference
from retriever.affinity.conflicts import find_conflicts
from retriever.affinity.model import affinity_model, with_index
from retriever.affinity.profiles import most_recent
from retriever.affinity.reviewers import Reviewers
from retriever.affinity.sparse import SparseScores
from retriever.conference.conflicts.rules import ConflictRules
from retriever.finder import Finder

_AT_ONCE = 500
"""Reviewers whose papers are read together."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The pairs that were kept, their near papers, how many papers each reviewer has, and all conflicts."""

    scores: SparseScores
    near_papers: NDArray[np.uint8] | None
    papers: tuple[int, ...]
    conflicts: tuple[Conflict, ...]


def score(finder: Finder, request: AffinityRequest, progress: Progress) -> Scored:
    """All scores, the best of each line kept.

    Raises:
        InputError: a reviewer is not in the corpus.
    """
    submissions = [submission.record() for submission in request.submissions]
    people = Reviewers(tuple(request.reviewers), _profiles(finder, request.reviewers, request.profile, progress))
    rules = ConflictRules(coauthor_years=request.coauthor_years, institution_years=request.institution_years)
    conflicts = []
    if request.conflicts != "ignore":
        indexed = (finder.index, finder.corpus)
        conflicts = find_conflicts(submissions, people, rules, indexed=indexed, progress=progress)
    model = affinity_model(request.model, **with_index(request.model, finder.index, {}))
    closed = conflicts if request.conflicts == "hide" else []
    scored = score_conference(
        submissions, people, model, closed, sparse=request.keep, near_papers=True, progress=progress
    )
    return Scored(scored.scores, scored.near_papers, tuple(map(len, people.profiles)), tuple(conflicts))


def _profiles(finder: Finder, reviewers: Sequence[str], size: int, progress: Progress) -> tuple[tuple[Paper, ...], ...]:
    profiles: list[tuple[Paper, ...]] = []
    for first in range(0, len(reviewers), _AT_ONCE):
        progress("reading the reviewers", first, len(reviewers))
        chosen = reviewers[first : first + _AT_ONCE]
        written = finder.corpus.papers_of(chosen)
        for reviewer in chosen:
            if reviewer not in written:
                raise InputError(
                    f"reviewer '{reviewer}' is not in the corpus: give ids as 'POST /reviewers' shows them"
                )
        papers = finder.corpus.papers(list({key for own in written.values() for key in own}))
        profiles += [most_recent((papers[key] for key in written[one] if key in papers), size) for one in chosen]
    return tuple(profiles)
