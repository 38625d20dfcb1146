"""`/conferences/…/solutions`: assignments that were tried, made in the background; one of them is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Path, Response
from fastapi import Request as HttpRequest
from pydantic import Field

from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.inputs import known
from panelist.app.desk.conference.assignment.manual import ACTIONS, undone
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solutions import Solution
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.assignment.viewing import cached_pairs
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.jobs import read_job, save_job
from panelist.app.desk.conference.store import StoredConference
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.conference.conferences import labelled
from panelist.app.web.routes.jobs import start_job
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.errors import InputError
from retriever.conference.conflicts.table import ConflictTable

router = conference_router()

Number = Annotated[int, Path(ge=1, le=1_000_000, description="Number of the solution.")]
_OF_FILES = ("file added", "file removed", "lines left out", "people added", "scored")
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
    table = state.conflicts.of(found)
    return {
        "known": msgspec.to_builtins(known(found)),
        "chosen": solutions.chosen(found),
        "solutions": [_out(state, found, one, events, table) for one in solutions.read_solutions(found)],
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
        solutions.take_back(found, begun.number)
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
    save_job(solutions.job_file(conference, number), job.id)


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


def _out(
    state: ServerState,
    conference: StoredConference,
    solution: Solution,
    events: Sequence[Event] | None = None,
    table: ConflictTable | None = None,
) -> dict[str, Any]:
    """A solution in the words of the chair, with what holds of it now.

    `state` is also `running`, `cancelled` or `lost`, as its job is. `pending` changes by hand and `files` that changed
    are unknown to it; with `conflicts`, pairs that are a conflict of interest by now, it cannot be chosen or exported.
    """
    if events is None:
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
        bad = len((table or state.conflicts.of(conference)).check(pairs, solutions.settings_of(solution).possible))
    found: dict[str, Any] = msgspec.to_builtins(solution)
    if found["summary"]:
        found["summary"]["notes"] = [said(note) for note in found["summary"]["notes"]]
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
        "files": sum(event.kind in _OF_FILES for event in events if event.number > solution.event),
    }
