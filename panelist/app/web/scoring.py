"""Affinity of submissions to reviewers of the corpus, freed of conflicts."""

from __future__ import annotations

from dataclasses import dataclass

from panelist.app.web.requests import AffinityRequest
from panelist.progress import Progress
from retriever.affinity.scoring import ScoredConference
from retriever.conference.committee import check_known, from_corpus
from retriever.conference.conference import Conference
from retriever.conference.conflicts.table import ConflictTable
from retriever.finder import Finder


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores, how many papers each reviewer has, and all conflicts."""

    scored: ScoredConference
    papers: tuple[int, ...]
    table: ConflictTable


def score(finder: Finder, request: AffinityRequest, progress: Progress) -> Scored:
    """All scores, the best of each line kept.

    Raises:
        InputError: a reviewer is not in the corpus.
    """
    options = request.score_options()
    progress("reading the reviewers", 0, len(request.reviewers))
    committee = from_corpus(finder.corpus, request.reviewers, options.profile)
    check_known(committee)
    conference = Conference(
        [submission.record() for submission in request.submissions], committee, (finder.index, finder.corpus)
    )
    table = ConflictTable() if options.conflicts == "ignore" else conference.conflicts(options.rules, progress=progress)
    scored = conference.score(options, table, progress=progress)
    return Scored(scored, tuple(map(len, committee.profiles)), table)
