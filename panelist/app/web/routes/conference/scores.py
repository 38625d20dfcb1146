"""`/conferences/{conference}/scores`: look at the scores of a conference, in slices, and why a pair fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal, TypeVar

import numpy as np
from fastapi import Query

from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.inspection import FEW, ScoreView
from panelist.app.desk.conference.why import explain_pair
from panelist.app.web import limits
from panelist.app.web.responses import Answer, link
from panelist.app.web.routes.conference.change import ConferenceId, conference_router
from panelist.app.web.routes.conference.conflicts import TableRowOut
from panelist.app.web.routes.conference.score_answers import (
    PairRowsOut,
    PairWhyOut,
    PairWhyPaperOut,
    PaperRowsOut,
    PlotOut,
    ReviewerRowsOut,
    ScoresOut,
)
from panelist.app.web.routes.state import State, StateOf

router = conference_router()
Rows = TypeVar("Rows", bound=Answer)

Offset = Annotated[int, Query(ge=0, le=100_000_000)]
Limit = Annotated[int, Query(ge=1, le=200)]
Search = Annotated[str, Query(max_length=limits.NAME, description="In ids, titles and names.")]
Threshold = Annotated[
    float | None,
    Query(allow_inf_nan=False, description="From which score on a reviewer is able; else the typical one."),
]
Key = Annotated[str, Query(min_length=1, max_length=limits.ID)]


@router.get("/scores", summary="Scores in numbers")
async def scores(conference: ConferenceId, state: StateOf, threshold: Threshold = None) -> ScoresOut:
    """How many there are, which submissions lack reviewers, which reviewers nobody wants."""
    return await state.lookups.run(partial(_summary, state, conference, threshold))


@router.get("/scores/plot", summary="Scores to draw")
async def score_plot(conference: ConferenceId, state: StateOf) -> PlotOut:
    """Three scores of each submission."""
    return await state.lookups.run(partial(_plot, state, conference))


@router.get("/scores/papers", summary="Submissions by coverage")
async def score_papers(
    conference: ConferenceId,
    state: StateOf,
    sort: Literal["able", "third", "best", "id"] = "able",
    search: Search = "",
    threshold: Threshold = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> PaperRowsOut:
    """Those with the fewest able reviewers first, or in another order."""
    return await _rows(
        state,
        conference,
        PaperRowsOut,
        lambda view: view.paper_rows(sort, search, _or_typical(view, threshold), offset, limit),
    )


@router.get("/scores/reviewers", summary="Reviewers by demand")
async def score_reviewers(
    conference: ConferenceId,
    state: StateOf,
    sort: Literal["wanted", "best", "id"] = "wanted",
    search: Search = "",
    threshold: Threshold = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> ReviewerRowsOut:
    """Those whom the fewest submissions want first, or in another order."""
    return await _rows(
        state,
        conference,
        ReviewerRowsOut,
        lambda view: view.reviewer_rows(sort, search, _or_typical(view, threshold), offset, limit),
    )


@router.get("/scores/pairs", summary="Pairs of a submission or a reviewer")
async def score_pairs(
    conference: ConferenceId,
    state: StateOf,
    of: Annotated[Literal["paper", "reviewer"], Query(description="Whose pairs.")],
    key: Annotated[Key, Query(alias="id", description="Of the submission or the reviewer.")],
    search: Search = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> PairRowsOut:
    """Best first, with conflicts that have a score nevertheless."""

    def pairs(view: ScoreView) -> object:
        of_one = view.pairs_of_paper if of == "paper" else view.pairs_of_reviewer
        return of_one(key, search, offset, limit)

    return await _rows(state, conference, PairRowsOut, pairs)


@router.get("/scores/why", summary="Why a pair fits")
async def why(
    conference: ConferenceId,
    state: StateOf,
    paper: Annotated[Key, Query(description="The submission's id.")],
    reviewer: Annotated[Key, Query(description="The reviewer's id.")],
) -> PairWhyOut:
    """The reviewer's papers that match best, with the terms that they share with the submission."""
    return await state.lookups.run(partial(_why, state, conference, paper, reviewer))


async def _rows(state: State, conference: str, answer: type[Rows], of: Callable[[ScoreView], object]) -> Rows:
    return await state.lookups.run(lambda: answer.of(of(_view(state, conference))))


def _view(state: State, conference: str) -> ScoreView:
    return state.score_views.of(state.conflicts.view(conference))


def _or_typical(view: ScoreView, threshold: float | None) -> float:
    return view.threshold if threshold is None else threshold


def _summary(state: State, conference: str, wanted: float | None) -> ScoresOut:
    view = _view(state, conference)
    record = read_records(view.conference)["scores"]
    threshold = _or_typical(view, wanted)
    return ScoresOut(
        revision=view.conference.revision,
        summary=record.summary,
        at=record.at,
        computed=view.record is not None,
        stale=view.stale,
        papers=len(view.papers),
        reviewers=len(view.reviewers),
        pairs=len(view.table.score),
        lowest=float(view.table.score.min()),
        highest=float(view.table.score.max()),
        threshold=threshold,
        thin=int((view.able(threshold) < FEW).sum()),
        unwanted=int((view.wanted(threshold) == 0).sum()),
        conflicts=sum(one.certain for one in view.conflicts),
        possible_conflicts=sum(one.possible for one in view.conflicts),
        own_papers=[] if view.record is None else view.record.own_papers[:100],
    )


def _plot(state: State, conference: str) -> PlotOut:
    view = _view(state, conference)
    third = view.nth(2)
    order = np.argsort(-np.nan_to_num(third, nan=-np.inf), kind="stable")
    columns = {
        name: [None if np.isnan(value) else round(float(value), 5) for value in view.nth(position)[order]]
        for name, position in (("best", 0), ("third", 2), ("tenth", 9))
    }
    return PlotOut(papers=[view.papers[at] for at in order.tolist()], threshold=view.threshold, **columns)


def _why(state: State, conference: str, paper: str, reviewer: str) -> PairWhyOut:
    view = _view(state, conference)
    with state.service.finder() as finder:
        found = explain_pair(view, finder, paper, reviewer)
    return PairWhyOut(
        paper=paper,
        title=found.submission.title if found.submission else "",
        abstract=found.submission.abstract if found.submission else "",
        reviewer=reviewer,
        name=found.name,
        score=found.pair.score if found.pair else None,
        rank=found.pair.rank if found.pair else None,
        near_papers=found.pair.near_papers if found.pair else None,
        confidence=found.pair.confidence if found.pair else None,
        conflict=TableRowOut.of(found.conflict) if found.conflict else None,
        profile=found.profile,
        papers=[
            PairWhyPaperOut(
                id=one.paper.id,
                title=one.paper.title,
                year=one.paper.year,
                venue=one.paper.venue,
                url=link(one.paper),
                match=one.match,
                terms=list(one.terms),
                sentence=one.sentence,
            )
            for one in found.papers
        ],
        note=found.note,
    )
