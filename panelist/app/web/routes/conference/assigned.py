"""`/conferences/…/solutions/…`: who reviews what in a solution: slices, alternates, comparisons, reasons, files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Query, Response

from panelist.app.desk.conference.assignment import exports, solutions, viewing
from panelist.app.limits import ID
from panelist.app.web.downloads import CSV, HTML, JSON, PLAIN, XML, ZIP, download
from panelist.app.web.routes.conference.change import ConferenceId, LookOf, conference_router
from panelist.app.web.routes.conference.solutions import Number
from panelist.app.web.routes.state import StateOf
from panelist.errors import InputError
from panelist.words import counted

router = conference_router()

Name = Annotated[str, Query(min_length=1, max_length=ID)]
_MEDIA_TYPES = {"csv": CSV, "json": JSON, "html": HTML, "zip": ZIP, "run": PLAIN, "xml": XML}
"""By the endings of files."""


@router.get("/solutions/{number}/pairs", summary="Who reviews what")
def solution_pairs(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    look: LookOf,
    sort: viewing.Order = "paper",
) -> Any:
    """A slice of its pairs; `hand` says what was changed by hand about a pair (1 locked, -1 forbidden, 0 free)."""
    view = state.conflicts.view(conference)
    return msgspec.to_builtins(viewing.pair_slice(view, number, replace(look, sort=sort)))


@router.get("/solutions/{number}/against/{other}", summary="Two solutions side by side")
def solutions_compared(conference: ConferenceId, number: Number, other: Number, state: StateOf) -> Any:
    """What changed from this one to the other."""
    view = state.conflicts.view(conference)
    return viewing.side_by_side(view.stored, view.labels, number, other)


@router.get("/solutions/{number}/why", summary="Why a pair was chosen or not")
async def solution_why(conference: ConferenceId, number: Number, paper: Name, reviewer: Name, state: StateOf) -> Any:
    """The reasons, and what the other decision would cost."""
    view = state.conflicts.view(conference)
    why = await state.heavy.run(partial(viewing.why, view.stored, number, paper, reviewer))
    return msgspec.to_builtins(why) | {
        "reasons": [view.labels.in_words(reason) for reason in why.reasons],
        "conflict": msgspec.to_builtins(view.conflict(paper, reviewer)),
    }


@router.get(
    "/solutions/{number}/export",
    summary="A solution as a file",
    response_class=Response,
    responses={200: {"description": "The file", "content": {kind: {} for kind in _MEDIA_TYPES.values()}}},
)
async def export_solution(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    form: Annotated[exports.Form, Query(alias="format")] = "csv",
    pending: Annotated[
        Literal["refuse", "leave"], Query(description="What to do about changes by hand that it does not have.")
    ] = "refuse",
) -> Response:
    """As OpenReview, EasyChair, CMT or HotCRP take it, for people, as a TREC run, a report, or in all forms.

    Refused where a pair has become a conflict of interest: make the solution again. Changes by hand that the
    solution does not know are refused too, or left out by `pending=leave`; the file's name says so.
    """
    view = state.conflicts.view(conference)
    solutions.check_conflicts(view, number)
    missing = solutions.pending_changes(
        state.conferences.events(conference), solutions.read_solution(view.stored, number)
    )
    if missing and pending == "refuse":
        words = counted(missing, "change by hand is", "changes by hand are")
        raise InputError(f"{words} not in solution {number}: solve again, or export it without them")
    content = await state.heavy.run(partial(exports.export, view, number, form))
    name = exports.NAMES[form]
    if missing:
        stem, _, ending = name.rpartition(".")
        name = f"{stem}-without-{missing}-changes.{ending}"
    return download(content, _MEDIA_TYPES[name.rpartition(".")[2]], name)
