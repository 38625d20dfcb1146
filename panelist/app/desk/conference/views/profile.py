"""The profile of a person: papers, what was decided about them and by whom, and what that did to the scores."""

import numpy as np
from msgspec import Struct

from panelist.app.desk.blobs import load_arrays
from panelist.app.desk.conference.contents import load_committee, load_profiles, load_reviewers, scores_are_old
from panelist.app.desk.conference.curation import curation_of
from panelist.app.desk.conference.scores import SCORED, score_record, scored_ids
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.identity import comparable
from panelist.corpus.reference_keys import paper_link
from panelist.corpus.store import CorpusStore
from panelist.records import Paper
from retriever.affinity.profiles import PROFILE_SIZE, WeightedPaper
from retriever.conference.committee import Committee
from retriever.conference.curation import Change, Choice, applicable, changes, curated


class ProfilePaper(Struct, frozen=True):
    """A paper of a person; `weight` is what it counts, None where it is too old or retracted and does not count."""

    id: str
    title: str
    year: int | None
    venue: str | None
    url: str | None
    weight: float | None
    choice: Choice | None


class Profile(Struct, frozen=True):
    """The papers of a person, the newest first, and what choices changed when the scores were computed."""

    reviewer: str
    size: int  # how many papers a profile has at most
    papers: list[ProfilePaper]
    change: Change | None  # as of the last scoring
    stale: bool  # whether the scores are of other files or choices


def committee_of_one(conference: Conference, corpus: CorpusStore, reviewer: str, size: int) -> Committee:
    """A committee of one member, with all papers."""
    if reviewer not in (*load_committee(conference), *scored_ids(conference)[1]):
        raise NotFoundError(f"there is no reviewer '{reviewer}' in this conference")
    if profiles := load_profiles(conference):
        return Committee.owning({reviewer: profiles.papers(reviewer)}, size)
    return load_reviewers(conference, corpus, size, (reviewer,))


def counting_papers(conference: Conference, corpus: CorpusStore, reviewer: str) -> tuple[Paper, ...]:
    """The papers by which somebody is scored, without those that were dropped."""
    size = _size(conference)
    owned = committee_of_one(conference, corpus, reviewer, size)
    papers = curated(owned, applicable(owned, curation_of(conference.events).values()), size).profiles[0]
    return tuple(paper for paper in papers if _weight(paper))


def profile(conference: Conference, corpus: CorpusStore, reviewer: str) -> Profile:
    """The profile of somebody on the committee."""
    size = _size(conference)
    owned = committee_of_one(conference, corpus, reviewer, size)
    choices = [
        choice
        for choice in curation_of(conference.events).values()
        if comparable(choice.reviewer) == comparable(reviewer)
    ]
    weights = {paper.id: _weight(paper) for paper in curated(owned, applicable(owned, choices), size).profiles[0]}
    by_paper = {choice.paper: choice for choice in choices}
    ordered = sorted(
        {paper.id: paper for paper in owned.papers[0]}.values(), key=lambda paper: (-(paper.year or 0), paper.id)
    )
    papers = [
        ProfilePaper(
            *(paper.id, paper.title, paper.year, paper.venue, paper_link(paper)),
            weight=weights.get(paper.id),
            choice=by_paper.get(paper.id),
        )
        for paper in ordered
    ]
    return Profile(reviewer, size, papers, _change(conference, reviewer, choices), scores_are_old(conference))


def _size(conference: Conference) -> int:
    record = score_record(conference)
    return PROFILE_SIZE if record is None else record.settings.profile


def _weight(paper: Paper) -> float:
    return paper.weight if isinstance(paper, WeightedPaper) else 1.0


def _change(conference: Conference, reviewer: str, choices: list[Choice]) -> Change | None:
    """What the choices that were scored changed, on papers that may be seen."""
    arrays = conference.content(SCORED, load_arrays)
    if arrays is None:
        return None
    shown = np.array([conference.sight.shows(paper) for paper in arrays["papers"].tolist()], dtype=np.bool_)
    rows = np.flatnonzero(arrays["reviewers"] == reviewer)
    if not (len(rows) and shown.any()):
        return None
    papers = arrays["papers"][shown].tolist()
    return changes(papers, choices, {reviewer: arrays["scores"][rows[0]][:, shown]})[0]
