"""`/conferences/…/solutions`: assignments that were tried, compared, explained, exported; one is chosen."""

import shutil
from dataclasses import replace
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
from panelist.app.desk.conference.staging import read_job
from panelist.app.desk.conference.store import StoredConference
from panelist.app.web.bodies import MEDIA_TYPES, download
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, Name, conference_router
from panelist.app.web.routes.conference.conferences import labelled
from panelist.app.web.routes.jobs import start_job
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.words import counted

router = conference_router()

Number = Annotated[int, Path(ge=1, le=1_000_000, description="Number of the solution.")]
_ENDINGS = ("csv", "json", "html", "zip", "run", "xml")
_WAITING = (JobState.WAITING, JobState.RUNNING)


class SolutionIn(Request):
    """What to try: settings, or those of the chosen solution.

    `keep` changes as little as possible of the chosen solution, `base` of another one: to repair it, for example.
    """

    settings: ConferenceSettings | None = None
    keep: bool = False
    base: Annotated[int | None, Field(ge=1)] = None


@router.get("/assignment", summary="Its assignment")
def assignment_overview(conference: ConferenceId, state: StateOf) -> dict[str, Any]:
    """All solutions, the newest first, and the changes by hand that hold."""
    stored, events = state.conferences.get(conference), state.conferences.events(conference)
    off, labels = undone(events), state.labels(conference)
    by_hand = [event for event in events if event.kind in ACTIONS and event.number not in off]
    return {
        "known": msgspec.to_builtins(known(stored)),
        "chosen": solutions.chosen(stored),
        "solutions": [_out(state, stored, solution) for solution in solutions.read_solutions(stored)],
        "changes": [labelled(event, labels) for event in by_hand],
    }


@router.post("/solutions", summary="Try an assignment", status_code=202)
def begin_solution(
    conference: ConferenceId, requested: SolutionIn, request: HttpRequest, state: StateOf, change: ChangeOf
) -> dict[str, Any]:
    """Made in the background; nothing is decided by it until it is chosen."""
    view = state.conflicts.view(conference)
    chosen = solutions.chosen(view.stored)
    if requested.keep and chosen is None and requested.base is None:
        raise InputError("no solution is chosen yet, so there is none to keep: choose one first")
    base = requested.base or (chosen if requested.keep else None)
    settings = requested.settings
    if settings is None and (like := base or chosen) is not None:
        settings = solutions.settings_of(solutions.read_solution(view.stored, like))
    begun = solutions.begin(view, settings or ConferenceSettings(), base=base, who=change["who"])
    try:
        _start(state, view.stored, begun.number, request)
    except ProblemError:
        shutil.rmtree(solutions.directory_of(view.stored, begun.number), ignore_errors=True)  # nobody has seen it yet
        raise
    return _out(state, view.stored, begun)


@router.get("/solutions/{number}", summary="One solution")
def solution_state(conference: ConferenceId, number: Number, state: StateOf) -> dict[str, Any]:
    """Its state, its figures, or why there is none and what would help."""
    stored = state.conferences.get(conference)
    return _out(state, stored, solutions.read_solution(stored, number))


@router.post("/solutions/{number}/again", summary="Make a lost solution again", status_code=202)
def solution_again(conference: ConferenceId, number: Number, request: HttpRequest, state: StateOf) -> dict[str, Any]:
    """From the same files and settings, after its job was lost or cancelled."""
    stored = state.conferences.get(conference)
    solution = solutions.read_solution(stored, number)
    if _state(state, stored, solution)[0] in ("done", "infeasible", "failed", *_WAITING):
        raise ProblemError(409, f"solution {number} is neither lost nor cancelled")
    _start(state, stored, number, request)
    return _out(state, stored, solution)


@router.post("/solutions/{number}/choose", summary="Choose it")
def choose_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> dict[str, Any]:
    """It is the conference's assignment then; the history says who chose it."""
    detail: dict[str, Any] = {"words": f"chose solution {number}", "solution": number}
    view = state.conflicts.view(conference)
    solutions.check_conflicts(view, number)
    # What was checked is what is chosen: a conflict that came meanwhile is another revision.
    revision = change["revision"] or view.stored.revision
    changing = state.conferences.change(conference, "chose", detail, revision=revision, who=change["who"])
    with changing as (_, stored, stage):
        detail["before"] = solutions.chosen(stored)
        solutions.choose(stored, number, stage)
    return _out(state, stored, solutions.read_solution(stored, number))


@router.delete("/solutions/{number}", summary="Discard a solution", status_code=204)
def discard_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> None:
    """Not the chosen one. A job that makes it is cancelled."""
    detail = {"words": f"discarded solution {number}", "solution": number}
    with state.conferences.change(conference, "discarded", detail, **change) as (_, stored, stage):
        job = _job(state, stored, number)
        solutions.discard(stored, number, stage)
    if job is not None and job.state in _WAITING:
        state.jobs.cancel(job.id)


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
    in_words = state.labels(conference.id).in_words
    error = solution.error or (job.error if job is not None else None)
    bad = 0
    if how == "done":
        pairs = ((pair.paper, pair.reviewer) for pair in viewing.cached_pairs(conference, solution.number).pairs)
        bad = len(state.conflicts.of(conference).check(pairs, solutions.settings_of(solution).possible))
    shown: dict[str, Any] = msgspec.to_builtins(solution)
    return shown | {
        "state": how,
        "stage": stage,
        "job": read_job(solutions.job_file(conference, solution.number)),
        "error": None if error is None else in_words(error),
        "cures": [cure | {"words": in_words(cure["words"])} for cure in solution.cures],
        "summary": solution.summary
        and solution.summary | {"notes": [in_words(note) for note in solution.summary["notes"]]},
        "chosen": solution.number == solutions.chosen(conference),
        "stale": solutions.scores_changed(conference, solution),
        "pending": solutions.pending_changes(events, solution),
        "conflicts": bad,
        "files": solutions.file_changes(events, solution),
    }


@router.get("/solutions/{number}/pairs", summary="Who reviews what")
def solution_pairs(
    conference: ConferenceId, number: Number, state: StateOf, look: LookOf, sort: viewing.Order = "paper"
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
@in_threads("heavy")
def solution_why(conference: ConferenceId, number: Number, paper: Name, reviewer: Name, state: StateOf) -> Any:
    """The reasons, and what the other decision would cost."""
    view = state.conflicts.view(conference)
    why = viewing.why(view.stored, number, paper, reviewer)
    return msgspec.to_builtins(why) | {
        "reasons": [view.labels.in_words(reason) for reason in why.reasons],
        "conflict": msgspec.to_builtins(view.conflict(paper, reviewer)),
    }


@router.get(
    "/solutions/{number}/export",
    summary="A solution as a file",
    response_class=Response,
    responses={200: {"description": "The file", "content": {MEDIA_TYPES[ending]: {} for ending in _ENDINGS}}},
)
@in_threads("heavy")
def export_solution(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    form: Annotated[viewing.Form, Query(alias="format")] = "csv",
    pending: Annotated[Literal["refuse", "leave"], Query(description="Changes by hand that it lacks.")] = "refuse",
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
    content, name = viewing.export(view, number, form), viewing.NAMES[form]
    if missing:
        stem, _, ending = name.rpartition(".")
        name = f"{stem}-without-{missing}-changes.{ending}"
    return download(content, name)
