"""`/conferences/…/papers`, `/people`, `/next`: a conference at a glance, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import msgspec

from panelist.app.desk.conference.overview import Overview
from panelist.app.desk.errors import NotKeptError
from panelist.app.web.routes.conference.change import ConferenceId, Id, LookOf, conference_router
from panelist.app.web.routes.state import ServerState, StateOf

router = conference_router()


@router.get("/papers", summary="Papers with their reviewers")
async def conference_papers(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "able", "score"] = "file"
) -> Any:
    """Able reviewers, who is assigned in the chosen solution, reviews, calibrated score."""
    return await _of(state, conference, lambda overview: overview.papers(replace(look, sort=sort)))


@router.get("/people", summary="The committee with its papers")
async def conference_people(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "load", "best"] = "file"
) -> Any:
    """Papers in the profile, load and quota, assigned papers, conflicts, habits."""
    return await _of(state, conference, lambda overview: overview.people(replace(look, sort=sort)))


@router.get("/person", summary="All about one person")
async def conference_person(conference: ConferenceId, reviewer: Id, state: StateOf) -> Any:
    """Load, assigned and best papers, conflicts, habits."""
    return await _of(state, conference, lambda overview: overview.person(reviewer))


@router.get("/next", summary="What to do next")
async def next_steps(conference: ConferenceId, state: StateOf) -> Any:
    """In words, with what a button does; the most urgent first, nothing where nothing is to be done."""
    return await _of(state, conference, lambda overview: list(overview.steps()))


async def _of(state: ServerState, conference: str, ask: Callable[[Overview], object]) -> Any:
    def work() -> Any:
        view = state.conflicts.view(conference)
        try:
            scores = state.score_views.of(view)
        except NotKeptError:  # no scores yet
            scores = None
        return msgspec.to_builtins(ask(Overview(view, scores, state.conferences.events(conference))))

    return await state.lookups.run(work)
