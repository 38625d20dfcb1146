"""`/conferences/{conference}/scores`: look at the scores of a conference, in slices, and why a pair fits."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from fastapi import Query

from panelist.app import limits
from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.inspection import FEW, ScoreView
from panelist.app.desk.conference.why import explain_pair
from panelist.app.web.routes.conference.change import ConferenceId, Id, LookOf, conference_router
from panelist.app.web.routes.state import ServerState, StateOf

router = conference_router()

Key = Annotated[str, Query(min_length=1, max_length=limits.ID)]


@router.get("/scores", summary="Scores in numbers")
async def scores(
    conference: ConferenceId,
    state: StateOf,
    threshold: Annotated[
        float | None,
        Query(allow_inf_nan=False, description="From which score on a reviewer is able; else the typical one."),
    ] = None,
) -> Any:
    """How many there are; `thin` submissions lack able reviewers, `unwanted` reviewers are able for no submission."""
    return await state.lookups.run(partial(_summary, state, conference, threshold))


@router.get("/scores/plot", summary="Scores to draw")
async def plot(conference: ConferenceId, state: StateOf) -> Any:
    """The scores of each submission's best, third and tenth best reviewer; submissions by their third best."""
    return await state.lookups.run(partial(_plot, state, conference))


@router.get("/scores/pairs", summary="Pairs of a submission or a reviewer")
async def score_pairs(
    conference: ConferenceId,
    state: StateOf,
    of: Annotated[Literal["paper", "reviewer"], Query(description="Whose pairs.")],
    key: Id,
    look: LookOf,
) -> Any:
    """Best first, with conflicts that have a score nevertheless; `near_papers` 3 stands for three or more."""

    def work() -> Any:
        view = _view(state, conference)
        return msgspec.to_builtins((view.pairs_of_paper if of == "paper" else view.pairs_of_reviewer)(key, look))

    return await state.lookups.run(work)


@router.get("/scores/why", summary="Why a pair fits")
async def why(conference: ConferenceId, state: StateOf, paper: Key, reviewer: Key) -> Any:
    """The reviewer's papers that match best, with the terms that they share with the submission."""

    def work() -> Any:
        with state.service.finder() as finder:
            return msgspec.to_builtins(explain_pair(_view(state, conference), finder, paper, reviewer))

    return await state.lookups.run(work)


def _view(state: ServerState, conference: str) -> ScoreView:
    return state.score_views.of(state.conflicts.view(conference))


def _summary(state: ServerState, conference: str, wanted: float | None) -> dict[str, Any]:
    view = _view(state, conference)
    record = read_records(view.conference)["scores"]
    threshold = view.threshold if wanted is None else wanted
    return {
        "revision": view.conference.revision,
        "summary": record.summary,
        "at": record.at,
        "computed": view.record is not None,
        "stale": view.stale,
        "papers": len(view.papers),
        "reviewers": len(view.reviewers),
        "pairs": len(view.table.score),
        "lowest": float(view.table.score.min()),
        "highest": float(view.table.score.max()),
        "threshold": threshold,
        "thin": int((view.able(threshold) < FEW).sum()),
        "unwanted": int((view.wanted(threshold) == 0).sum()),
        "conflicts": sum(one.certain for one in view.conflicts),
        "possible_conflicts": sum(one.possible for one in view.conflicts),
        "own_papers": [] if view.record is None else view.record.own_papers[:100],
    }


def _plot(state: ServerState, conference: str) -> dict[str, Any]:
    view = _view(state, conference)
    third = view.nth(2)
    order = np.argsort(-np.nan_to_num(third, nan=-np.inf), kind="stable")
    columns = {
        name: [None if np.isnan(value) else round(float(value), 5) for value in view.nth(position)[order]]
        for name, position in (("best", 0), ("third", 2), ("tenth", 9))
    }
    return {"papers": [view.papers[at] for at in order.tolist()], "threshold": view.threshold, **columns}
