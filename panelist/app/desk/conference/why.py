"""Why a reviewer fits a submission: the papers that match best, the words that they share, what speaks against it."""

from __future__ import annotations

from msgspec import Struct

from indexing.text import Text
from panelist.app.desk.conference.inspection import ScoreView
from panelist.app.desk.conference.view import ShownConflict
from panelist.corpus.dois import paper_link
from panelist.errors import InputError
from panelist.records import Confidence, Paper, Submission
from retriever.affinity.model import affinity_model, with_index
from retriever.affinity.profiles import PROFILE_SIZE, most_recent
from retriever.finder import Finder
from retriever.terms import Rarity, TermFinder, best_sentence, word_weights

SHOWN = 5
"""Papers that are shown of a reviewer."""
_WITHOUT_MODEL = "bm25"
"""What compares papers where the scores were computed elsewhere."""


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

    paper: str
    title: str
    abstract: str
    reviewer: str
    name: str
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
    profile = _profile(view, finder, reviewer, size)
    note = ""
    if submission is None:
        note = "The conference has scores only: add the submissions to see which papers match."
    elif not profile:
        note = "No papers of this reviewer are known here."
    return Why(
        paper=paper,
        title=submission.title if submission else "",
        abstract=submission.abstract if submission else "",
        reviewer=reviewer,
        name=view.name_of(reviewer),
        score=pair.score if pair else None,
        rank=pair.rank if pair else None,
        near_papers=pair.near_papers if pair else None,
        confidence=pair.confidence if pair else None,
        conflict=view.view.conflict(paper, reviewer),
        profile=len(profile),
        papers=_matching(view, finder, submission, profile) if submission and profile else [],
        note=note,
    )


def _profile(view: ScoreView, finder: Finder, reviewer: str, size: int) -> tuple[Paper, ...]:
    if view.profiles is not None:
        return most_recent(view.profiles.papers(reviewer), size)
    owned = finder.corpus.papers_of([reviewer]).get(reviewer, ())
    return most_recent(finder.corpus.papers(list(owned)).values(), size)


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
    rarity = Rarity(Text.of(one).plain() for one in view.submissions.values())
    terms = TermFinder(rarity).shared_terms(Text.of(submission), texts)
    weights = word_weights(Text.of(submission), rarity)
    return [
        MatchingPaper(
            paper.id,
            paper.title,
            paper.year,
            paper.venue,
            paper_link(paper),
            float(matches[at]),
            shared,
            best_sentence(weights, paper.abstract),
        )
        for at, shared in zip(best, terms, strict=True)
        for paper in (profile[at],)
    ]
