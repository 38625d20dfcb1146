"""`/conferences/…/solutions/…`: who reviews what in a solution: slices, alternates, comparisons, reasons, files."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Response

from panelist.app.desk.conference.assignment import exports, viewing
from panelist.app.desk.conference.assignment.hand import put_together
from panelist.app.web.downloads import CSV, HTML, JSON, PLAIN, ZIP, download
from panelist.app.web.limits import ID
from panelist.app.web.problems import documented
from panelist.app.web.routes.conference.change import ConferenceId
from panelist.app.web.routes.conference.solutions import Number
from panelist.app.web.routes.state import StateOf

router = APIRouter(tags=["conferences"])

Name = Annotated[str, Query(min_length=1, max_length=ID)]
_MEDIA_TYPES = {"csv": CSV, "json": JSON, "html": HTML, "zip": ZIP, "run": PLAIN}
"""By the endings of files."""


@router.get(
    "/conferences/{conference}/solutions/{number}/pairs",
    summary="Who reviews what",
    responses=documented(404, 503),
    response_model=dict[str, Any],
)
def solution_pairs(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    order: viewing.Order = "paper",
    search: Annotated[str, Query(max_length=ID)] = "",
) -> Any:
    """A slice of its pairs; `hand` says what was changed by hand about a pair (1 locked, -1 forbidden, 0 free)."""
    found = state.conferences.get(conference)
    hand = put_together(state.conferences.events(conference))
    rows = viewing.pair_slice(found.path, number, hand, offset=offset, limit=limit, order=order, search=search)
    return msgspec.to_builtins(rows)


@router.get(
    "/conferences/{conference}/solutions/{number}/alternates",
    summary="Who could step in",
    responses=documented(404, 503),
    response_model=list[dict[str, Any]],
)
def solution_alternates(conference: ConferenceId, number: Number, paper: Name, state: StateOf) -> Any:
    """For one paper: free, without conflict, within rules; or with the swaps that free them."""
    found = state.conferences.get(conference)
    everybody = viewing.cached_pairs(found.path, number).alternates
    return msgspec.to_builtins([one for one in everybody if one.paper == paper])


@router.get(
    "/conferences/{conference}/solutions/{number}/against/{other}",
    summary="Two solutions side by side",
    responses=documented(404, 503),
    response_model=dict[str, Any],
)
def solutions_compared(conference: ConferenceId, number: Number, other: Number, state: StateOf) -> Any:
    """What changed from this one to the other."""
    return viewing.side_by_side(state.conferences.get(conference).path, number, other)


@router.get(
    "/conferences/{conference}/solutions/{number}/why",
    summary="Why a pair was chosen or not",
    responses=documented(404, 503),
    response_model=dict[str, Any],
)
async def solution_why(conference: ConferenceId, number: Number, paper: Name, reviewer: Name, state: StateOf) -> Any:
    """The reasons, and what the other decision would cost."""
    found = state.conferences.get(conference)
    return msgspec.to_builtins(await state.heavy.run(partial(viewing.why, found.path, number, paper, reviewer)))


@router.get(
    "/conferences/{conference}/solutions/{number}/export",
    summary="A solution as a file",
    response_class=Response,
    responses={
        **documented(404, 503),
        200: {"description": "The file", "content": {kind: {} for kind in _MEDIA_TYPES.values()}},
    },
)
async def export_solution(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    form: Annotated[exports.Form, Query(alias="format")] = exports.Form.CSV,
) -> Response:
    """OpenReview's CSV and JSON, a table for people, a TREC run, alternates, probabilities, a report, or all."""
    found = state.conferences.get(conference)
    content = await state.heavy.run(partial(exports.export, found.path, number, form))
    name = exports.NAMES[form]
    return download(content, _MEDIA_TYPES[name.rpartition(".")[2]], name)
