"""`/conferences/…/solutions`: assignments that were tried, compared, explained, exported; one is chosen."""

import shutil
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Path, Query, Response
from fastapi import Request as HttpRequest
from pydantic import Field

from panelist.app.desk.conference.assignment import solutions, viewing
from panelist.app.desk.conference.assignment.inputs import known
from panelist.app.desk.conference.assignment.manual import ACTIONS, undone
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solutions import Solution
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.assignment.viewing import cached_pairs
from panelist.app.desk.conference.staging import read_job
from panelist.app.desk.conference.store import StoredConference
from panelist.app.limits import ID
from panelist.app.web.bodies import CSV, HTML, JSON, PLAIN, XML, ZIP, download
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, conference_router
from panelist.app.web.routes.conference.conferences import labelled
from panelist.app.web.routes.jobs import start_job
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.words import counted

router = conference_router()

Number = Annotated[int, Path(ge=1, le=1_000_000, description="Number of the solution.")]
_WAITING = (JobState.WAITING, JobState.RUNNING)


class SolutionIn(Request):
    """What to try: settings, or those of the solution that is kept.

    `keep` changes as little as possible of the chosen solution, `base` of another one: to repair it, for example.
    """

    settings: ConferenceSettings | None = None
    keep: bool = False
    base: Annotated[int | None, Field(ge=1)] = None


@router.get("/assignment", summary="Its assignment")
def assignment_overview(conference: ConferenceId, state: StateOf) -> dict[str, Any]:
    """All solutions, the newest first, and the changes by hand that hold."""
    found, events = state.conferences.get(conference), state.conferences.events(conference)
    off, labels = undone(events), state.labels(conference)
    held = [event for event in events if event.kind in ACTIONS and event.number not in off]
    return {
        "known": msgspec.to_builtins(known(found)),
        "chosen": solutions.chosen(found),
        "solutions": [_out(state, found, one) for one in solutions.read_solutions(found)],
        "changes": [labelled(one, labels) for one in held],
    }


@router.post("/solutions", summary="Try an assignment", status_code=202)
def begin_solution(
    conference: ConferenceId, wanted: SolutionIn, request: HttpRequest, state: StateOf, change: ChangeOf
) -> dict[str, Any]:
    """Made in the background; nothing is decided by it until it is chosen."""
    view = state.conflicts.view(conference)
    found = view.stored
    chosen = solutions.chosen(found)
    if wanted.keep and chosen is None and wanted.base is None:
        raise InputError("no solution is chosen yet, so there is none to keep: choose one first")
    base = wanted.base or (chosen if wanted.keep else None)
    settings = wanted.settings
    if settings is None and (like := base or chosen) is not None:
        settings = solutions.settings_of(solutions.read_solution(found, like))
    begun = solutions.begin(view, settings or ConferenceSettings(), base=base, who=change["who"])
    try:
        _start(state, found, begun.number, request)
    except ProblemError:
        shutil.rmtree(solutions.directory_of(found, begun.number), ignore_errors=True)  # nobody has seen it yet
        raise
    return _out(state, found, begun)


@router.get("/solutions/{number}", summary="One solution")
def one_solution(conference: ConferenceId, number: Number, state: StateOf) -> dict[str, Any]:
    """Its state, its figures, or why there is none and what would help."""
    found = state.conferences.get(conference)
    return _out(state, found, solutions.read_solution(found, number))


@router.post("/solutions/{number}/again", summary="Make a lost solution again", status_code=202)
def solution_again(conference: ConferenceId, number: Number, request: HttpRequest, state: StateOf) -> dict[str, Any]:
    """From the same files and settings, after its job was lost or cancelled."""
    found = state.conferences.get(conference)
    solution = solutions.read_solution(found, number)
    if _state(state, found, solution)[0] in ("done", "infeasible", "failed", *_WAITING):
        raise ProblemError(409, f"solution {number} is neither lost nor cancelled")
    _start(state, found, number, request)
    return _out(state, found, solution)


@router.post("/solutions/{number}/choose", summary="Choose it")
def choose_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> dict[str, Any]:
    """It is the conference's assignment then; the history says who chose it."""
    detail: dict[str, Any] = {"words": f"chose solution {number}", "solution": number}
    view = state.conflicts.view(conference)
    solutions.check_conflicts(view, number)
    # What was checked is what is chosen: a conflict that came meanwhile is another revision.
    revision = change["revision"] or view.stored.revision
    changing = state.conferences.change(conference, "chose", detail, revision=revision, who=change["who"])
    with changing as (_, found, stage):
        detail["before"] = solutions.chosen(found)
        solutions.choose(found, number, stage)
    return _out(state, found, solutions.read_solution(found, number))


@router.delete("/solutions/{number}", summary="Discard a solution", status_code=204)
def discard_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> Response:
    """Not the chosen one. A job that makes it is cancelled."""
    detail = {"words": f"discarded solution {number}", "solution": number}
    changing = state.conferences.change(conference, "discarded", detail, **change)
    with changing as (_, found, stage):
        job = _job(state, found, number)
        solutions.discard(found, number, stage)
    if job is not None and job.state in _WAITING:
        state.jobs.cancel(job.id)
    return Response(status_code=204)


def _start(state: ServerState, conference: StoredConference, number: int, request: HttpRequest) -> None:
    job = start_job(state, request, lambda progress, _: make(conference, number, progress))
    write_whole(solutions.job_file(conference, number), job.id.encode())


def _job(state: ServerState, conference: StoredConference, number: int) -> QueuedJob | None:
    return state.jobs.find(read_job(solutions.job_file(conference, number)))


def _state(state: ServerState, conference: StoredConference, solution: Solution) -> tuple[str, str]:
    """The state of a solution as its record and its job have it, and the stage of the job."""
    if solution.state != "waiting":
        return solution.state, ""
    job = _job(state, conference, solution.number)
    if job is None or job.state is JobState.LOST:
        return "lost", ""
    if job.state is JobState.DONE:  # between our two looks
        return solutions.read_solution(conference, solution.number).state, ""
    return job.state.value, job.stage


def _out(state: ServerState, conference: StoredConference, solution: Solution) -> dict[str, Any]:
    """A solution in the words of the chair, with what holds of it now.

    `state` is also `running`, `cancelled` or `lost`, as its job is. `pending` changes by hand and `files` that changed
    are unknown to it; with `conflicts`, pairs that are a conflict of interest by now, it cannot be chosen or exported.
    """
    events = state.conferences.events(conference.id)
    how, stage = _state(state, conference, solution)
    if how != solution.state:
        solution = solutions.read_solution(conference, solution.number)
    job = _job(state, conference, solution.number) if how == "failed" else None
    said = state.labels(conference.id).in_words
    error = solution.error or (job.error if job is not None else None)
    bad = 0
    if how == "done":
        pairs = ((one.paper, one.reviewer) for one in cached_pairs(conference, solution.number).pairs)
        bad = len(state.conflicts.of(conference).check(pairs, solutions.settings_of(solution).possible))
    found: dict[str, Any] = msgspec.to_builtins(solution)
    return found | {
        "state": how,
        "stage": stage,
        "job": read_job(solutions.job_file(conference, solution.number)),
        "error": None if error is None else said(error),
        "cures": [cure | {"words": said(cure["words"])} for cure in solution.cures],
        "summary": solution.summary
        and solution.summary | {"notes": [said(note) for note in solution.summary["notes"]]},
        "chosen": solution.number == solutions.chosen(conference),
        "stale": solutions.scores_changed(conference, solution),
        "pending": solutions.pending_changes(events, solution),
        "conflicts": bad,
        "files": solutions.file_changes(events, solution),
    }


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
    form: Annotated[viewing.Form, Query(alias="format")] = "csv",
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
    content = await state.heavy.run(partial(viewing.export, view, number, form))
    name = viewing.NAMES[form]
    if missing:
        stem, _, ending = name.rpartition(".")
        name = f"{stem}-without-{missing}-changes.{ending}"
    return download(content, _MEDIA_TYPES[name.rpartition(".")[2]], name)
