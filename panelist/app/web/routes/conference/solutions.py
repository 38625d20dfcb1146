"""`/conferences/…/solutions`: assignments that were tried, compared, explained, exported; one is chosen."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response
from msgspec import Struct, structs
from pydantic import Field

from panelist.app import limits
from panelist.app.desk.conference import outcomes
from panelist.app.desk.conference.contents import all_papers
from panelist.app.desk.conference.manual import ACTIONS, undone
from panelist.app.desk.conference.outcomes import Made, Solution, load_solution, row_of
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving import making
from panelist.app.desk.conference.solving.inputs import KnownInputs, known_inputs, proposed_settings
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import ConferenceView, ShownConflict, Slice
from panelist.app.desk.conference.views import solutions as viewing
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.bodies import ZIP, download, file_answer
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, Name, conference_router
from panelist.app.web.routes.conference.conferences import EventOut, shown_events
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.errors import InputError
from panelist.words import counted
from retriever.assignment.explain.why import Explanation
from retriever.assignment.options import role_name

router = conference_router()

Number = Annotated[int, Path(ge=1, le=1_000_000, description="Number of the solution.")]


class SolutionIn(Request):
    """What to try: settings, or those of the chosen solution.

    `keep` changes as little as possible of the chosen solution, `base` of another one: to repair it, for example.
    With `only` the id of a paper, all pairs of others stay, but for those that changes by hand are about.
    """

    settings: ConferenceSettings | None = None
    keep: bool = False
    base: Annotated[int | None, Field(ge=1)] = None
    only: Annotated[str, Field(max_length=limits.ID)] = ""


class SolutionOut(Made, frozen=True, kw_only=True):
    """A solution with what holds of it now; its state is also `running`, `cancelled` or `lost`, as its job is.

    `pending` changes by hand and `files` that changed are unknown to it; with `conflicts`, pairs that are a conflict of
    interest by now, it cannot be chosen or exported.
    """

    stage: str
    job: str
    chosen: bool
    stale: bool
    pending: int
    conflicts: int
    files: int


class AssignmentOverview(Struct, frozen=True):
    """What can be asked for, all solutions, the newest first, and the changes by hand that hold."""

    known: KnownInputs
    chosen: int | None
    solutions: list[SolutionOut]
    changes: list[EventOut]
    proposed: dict[str, Any] | None  # settings to begin with, where there is no solution yet


@router.get("/assignment", summary="Its assignment")
def assignment_overview(conference: ConferenceId, state: StateOf) -> AssignmentOverview:
    """All solutions, the newest first, and the changes by hand that hold."""
    view = state.view(conference)
    stored = view.stored
    revoked = undone(stored.events)
    by_hand = [event for event in stored.events if event.kind in ACTIONS and event.key not in revoked]
    solutions = [_out(state, view, solution) for solution in outcomes.load_solutions(stored)]
    changes = shown_events(by_hand, stored, view.labels)
    proposed = None
    with suppress(InputError):  # files that do not fit: a try says so
        proposed = None if solutions else proposed_settings(view).model_dump(mode="json")
    return AssignmentOverview(known_inputs(view), outcomes.chosen(stored), solutions, changes, proposed)


@router.post("/solutions", summary="Try an assignment", status_code=202)
def begin_solution(conference: ConferenceId, requested: SolutionIn, state: StateOf, change: ChangeOf) -> SolutionOut:
    """Made in the background; nothing is decided by it until it is chosen."""
    view = state.view(conference)
    chosen = outcomes.chosen(view.stored)
    if requested.only and requested.only not in all_papers(view.stored):
        raise NotFoundError(f"there is no paper '{requested.only}' in this conference")
    keep = requested.keep or bool(requested.only)
    if keep and chosen is None and requested.base is None:
        raise InputError("no solution is chosen yet, so there is none to keep: choose one first")
    base = requested.base or (chosen if keep else None)
    settings = requested.settings
    if settings is None and (source := base or chosen) is not None:
        settings = outcomes.settings_of(load_solution(view.stored, source))
    settings = settings or proposed_settings(view)
    begun = making.begin(state.conferences, view, settings, base=base, only=requested.only, actor=change["actor"])
    try:
        _start(state, conference, begun.number)
    except ProblemError:
        with state.conferences.note(conference) as noting:
            noting.remove(row_of(begun.number))  # nobody has seen it yet
        raise
    return _out(state, state.view(conference), begun)


@router.get("/solutions/{number}", summary="One solution")
def solution_state(conference: ConferenceId, number: Number, state: StateOf) -> SolutionOut:
    """Its state, its figures, or why there is none and what would help."""
    view = state.view(conference)
    return _out(state, view, load_solution(view.stored, number))


@router.post("/solutions/{number}/again", summary="Make a lost solution again", status_code=202)
def solution_again(conference: ConferenceId, number: Number, state: StateOf) -> SolutionOut:
    """From the same files and settings, after its job was lost or cancelled."""
    view = state.view(conference)
    solution = load_solution(view.stored, number)
    if _state(state, view.stored, solution)[0] in ("done", "infeasible", "failed", *work.WORKING):
        raise ProblemError(409, f"solution {number} is neither lost nor cancelled")
    _start(state, conference, number)
    return _out(state, state.view(conference), solution)


@router.post("/solutions/{number}/choose", summary="Choose it")
def choose_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> SolutionOut:
    """It is the conference's assignment then; the history says who chose it."""
    detail: dict[str, Any] = {"words": f"chose solution {number}", "solution": number}
    view = state.view(conference)
    making.check_conflicts(view, number)
    # What was checked is what is chosen: a conflict that came meanwhile is another revision.
    revision = change["revision"] or view.stored.revision
    with state.conferences.change(conference, "chose", detail, revision=revision, actor=change["actor"]) as changing:
        detail["before"] = outcomes.chosen(changing.before)
        making.choose(changing, number)
    view = state.view(conference)
    return _out(state, view, load_solution(view.stored, number))


@router.delete("/solutions/{number}", summary="Discard a solution", status_code=204)
def discard_solution(conference: ConferenceId, number: Number, state: StateOf, change: ChangeOf) -> None:
    """Not the chosen one. A job that makes it is cancelled."""
    detail = {"words": f"discarded solution {number}", "solution": number}
    with state.conferences.change(conference, "discarded", detail, **change) as changing:
        job, _ = work.find(state, changing.before, row_of(number))
        making.discard(changing, number)
    work.cancel(state, job)


def _start(state: ServerState, conference: str, number: int) -> None:
    make = partial(making.make, state.conferences, conference, number)
    work.begin(state, conference, row_of(number), lambda progress, _: make(progress))


def _state(state: ServerState, conference: Conference, solution: Solution) -> tuple[str, str]:
    """The state of a solution as its record and its job have it, and the stage of the job."""
    if solution.state != "waiting":
        return solution.state, ""
    job, _ = work.find(state, conference, row_of(solution.number))
    if job is None or job.state is JobState.LOST:
        return "lost", ""
    if job.state is JobState.DONE:  # between our two looks
        return load_solution(state.conference(conference.id), solution.number).state, ""
    return job.state.value, job.stage


def _out(state: ServerState, view: ConferenceView, solution: Solution) -> SolutionOut:
    """A solution in the words of the chair."""
    conference = view.stored
    job_state, stage = _state(state, conference, solution)
    if job_state != solution.state:
        conference = state.conference(conference.id)
        solution = load_solution(conference, solution.number)
    job, _ = work.find(state, conference, row_of(solution.number))
    error = solution.error or (job.error if job_state == "failed" and job is not None else None)
    conflicts = 0
    if job_state == "done":
        pairs = ((pair.paper, pair.reviewer) for pair in outcomes.load_pairs(conference, solution.number).pairs)
        conflicts = len(view.conflicts.check(pairs, outcomes.settings_of(solution).possible))
    summary, worded = solution.summary, view.labels.worded
    fields = {name: getattr(solution, name) for name in Made.__struct_fields__} | {
        "state": job_state,
        "event": sum(event.key <= solution.event for event in conference.events),
        "error": None if error is None else worded(error),
        "cures": [structs.replace(cure, words=worded(cure.words)) for cure in solution.cures],
        "summary": summary and structs.replace(summary, notes=[worded(note) for note in summary.notes]),
    }
    return SolutionOut(
        **fields,
        stage=stage,
        job=job.id if job is not None and job_state in work.WORKING else "",
        chosen=solution.number == outcomes.chosen(conference),
        stale=outcomes.scores_changed(conference, solution.number),
        pending=outcomes.pending_changes(conference.events, solution),
        conflicts=conflicts,
        files=outcomes.file_changes(conference.events, solution),
    )


@router.get("/solutions/{number}/pairs", summary="Who reviews what")
def solution_pairs(
    conference: ConferenceId, number: Number, state: StateOf, look: LookOf, sort: viewing.Order = "paper"
) -> Slice[viewing.AssignedRow]:
    """A slice of its pairs; `hand` says what was changed by hand about a pair (1 locked, -1 forbidden, 0 free)."""
    view = state.view(conference)
    return viewing.pair_slice(view, number, replace(look, sort=sort))


@router.get("/solutions/{number}/against/{other}", summary="Two solutions side by side")
def solutions_compared(conference: ConferenceId, number: Number, other: Number, state: StateOf) -> viewing.SideBySide:
    """What changed from this one to the other."""
    view = state.view(conference)
    return viewing.side_by_side(view.stored, view.labels, number, other)


class ExplanationOut(Explanation, frozen=True, kw_only=True):
    """Why a pair was chosen or not, and its conflict of interest."""

    conflict: ShownConflict | None


@router.get("/solutions/{number}/why", summary="Why a pair was chosen or not")
@in_threads("heavy")
def solution_why(
    conference: ConferenceId, number: Number, paper: Name, reviewer: Name, state: StateOf
) -> ExplanationOut:
    """The reasons, and what the other decision would cost."""
    view = state.view(conference)
    why = viewing.why_pair(view.stored, number, paper, reviewer)
    values = structs.asdict(why) | {"reasons": tuple(map(view.labels.worded, why.reasons))}
    return ExplanationOut(**values, conflict=view.conflict(paper, reviewer))


@router.get(
    "/solutions/{number}/export",
    summary="A solution as a file",
    **file_answer("The file", "text/csv", "text/html", "text/plain", "application/xml", ZIP, json={"type": "object"}),
)
@in_threads(lambda parameters: "heavy" if parameters["form"] in ("report", "zip") else "lookups")
def export_solution(
    conference: ConferenceId,
    number: Number,
    state: StateOf,
    form: Annotated[viewing.Form, Query(alias="format")] = "csv",
    role: Annotated[str, Query(max_length=limits.NAME, description="One level alone; empty: everybody.")] = "",
    pending: Annotated[Literal["refuse", "leave"], Query(description="Changes by hand that it lacks.")] = "refuse",
) -> Response:
    """As OpenReview, EasyChair, CMT or HotCRP take it, for people, as a TREC run, a report, or in all forms.

    Refused where a pair has become a conflict of interest: make the solution again. Changes by hand that the
    solution does not know are refused too, or left out by `pending=leave`; the file's name says so.
    """
    view = state.view(conference)
    making.check_conflicts(view, number)
    missing = outcomes.pending_changes(view.stored.events, load_solution(view.stored, number, figures=False))
    if missing and pending == "refuse":
        words = counted(missing, "change by hand is", "changes by hand are")
        raise InputError(f"{words} not in solution {number}: solve again, or export it without them")
    role = role_name(role)
    content, (stem, _, ending) = viewing.solution_file(view, number, form, role), viewing.NAMES[form].rpartition(".")
    level = f"-{role.replace(' ', '-')}" if role.replace(" ", "").isalnum() else ""
    suffix = f"-without-{missing}-changes" if missing else ""
    return download(content, f"{stem}{level}{suffix}.{ending}")
