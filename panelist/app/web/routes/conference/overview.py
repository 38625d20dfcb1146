"""`/conferences/…/papers`, `/people`, `/next`: a conference at a glance, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import Query

from panelist.app.desk.conference.overview import Overview
from panelist.app.desk.errors import NotKeptError
from panelist.app.web import limits
from panelist.app.web.routes.conference.change import ConferenceId, conference_router
from panelist.app.web.routes.state import State, StateOf

router = conference_router()

Search = Annotated[str, Query(max_length=limits.NAME, description="In titles, names, ids and institutions.")]
Offset = Annotated[int, Query(ge=0, le=100_000_000)]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/papers", summary="Papers with their reviewers")
async def conference_papers(
    conference: ConferenceId, state: StateOf, search: Search = "", offset: Offset = 0, limit: Limit = 50
) -> Any:
    """In the order of their file: able reviewers, who is assigned in the chosen solution, reviews, calibrated score."""
    return await _of(state, conference, lambda overview: overview.papers(search, offset, limit))


@router.get("/people", summary="The committee with its papers")
async def conference_people(
    conference: ConferenceId, state: StateOf, search: Search = "", offset: Offset = 0, limit: Limit = 50
) -> Any:
    """In the order of their file: papers in the profile, load and quota, assigned papers, conflicts, habits."""
    return await _of(state, conference, lambda overview: overview.people(search, offset, limit))


@router.get("/person", summary="All about one person")
async def conference_person(
    conference: ConferenceId,
    reviewer: Annotated[str, Query(alias="id", min_length=1, max_length=limits.ID)],
    state: StateOf,
) -> Any:
    """Load, assigned and best papers, conflicts, habits."""
    return await _of(state, conference, lambda overview: overview.person(reviewer))


@router.get("/next", summary="What to do next")
async def next_steps(conference: ConferenceId, state: StateOf) -> Any:
    """In words, with what a button does; the most urgent first, nothing where nothing is to be done."""
    return await _of(state, conference, lambda overview: list(overview.steps()))


async def _of(state: State, conference: str, ask: Callable[[Overview], object]) -> Any:
    def work() -> Any:
        view = state.conflicts.view(conference)
        try:
            scores = state.score_views.of(view)
        except NotKeptError:  # no scores yet
            scores = None
        return msgspec.to_builtins(ask(Overview(view, scores, state.conferences.events(conference))))

    return await state.lookups.run(work)
