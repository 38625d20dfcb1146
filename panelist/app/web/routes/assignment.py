"""`POST /assignments`: an assignment from uploaded scores or those of an affinity job, made in the background."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query, Response
from fastapi import Request as HttpRequest
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StringConstraints, model_validator

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.assignment import solutions, solving
from panelist.app.desk.conference.assignment.settings import AssignmentSettings, ConferenceSettings, limits_of
from panelist.app.web.bodies import CSV, HTML, JSON, described_body, described_file, read_json, schema_of
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.routes.jobs import JobId, JobOut, begun, finished_job, start_job
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.progress import Progress
from retriever.assignment.explain.alternates import find_alternates
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.methods import METHODS
from retriever.assignment.problem import Problem
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.solve import assign

router = APIRouter(tags=["assignment"], responses=documented(404, 409, 429, 503), dependencies=[needs(Permission.LOOK)])

Table = Annotated[str, StringConstraints(max_length=limits.ASSIGNMENT_FILE)]
_RESULTS = {
    "json": ("result-assignment.json", JSON),
    "csv": (solutions.CSV, CSV),
    "openreview": (solving.OPENREVIEW, JSON),
    "alternates": (solving.ALTERNATES, CSV),
    "marginals": (solving.MARGINALS, CSV),
    "report": (solving.REPORT, HTML),
}
"""The files of a finished job, and what they are."""
_FILES = ("scores", "constraints", "conflicts", "quotas", "demands", "reviewers", "bids")


class AssignmentRequest(AssignmentSettings):
    """Assign reviewers to papers. Files are OpenReview's, as text, without header (`reviewers` has one)."""

    scores: Annotated[Table | None, Field(description="Lines of paper,reviewer,score.")] = None
    job: Annotated[
        str | None, Field(min_length=1, max_length=40, description="Instead of scores: a finished affinity job.")
    ] = None
    constraints: Annotated[Table | None, Field(description="Lines of paper,reviewer,-1 (conflict) or 1 (lock).")] = None
    conflicts: Annotated[Table | None, Field(description="A conflict table, as `panelist affinity` writes it.")] = None
    quotas: Annotated[Table | None, Field(description="Lines of reviewer,max[,min].")] = None
    demands: Annotated[Table | None, Field(description="Lines of paper,demand[,role].")] = None
    reviewers: Annotated[
        Table | None, Field(description="Header and lines of reviewer,seniority,institution,country,role,authored.")
    ] = None
    bids: Annotated[Table | None, Field(description="Lines of paper,reviewer,bid.")] = None

    @model_validator(mode="after")
    def _one_source(self) -> AssignmentRequest:
        if (self.scores is None) == (self.job is None):
            raise ValueError("give either 'scores' or the 'job' that computed them")
        return self


class MethodOut(BaseModel):
    """A method, the options that not every method takes, and what to begin with."""

    name: str
    takes: list[str]
    drawn: bool
    suggests: dict[str, float]


class AssignOptionsOut(BaseModel):
    """What can be asked of an assignment: defaults, limits, methods."""

    defaults: dict[str, Any]
    limits: dict[str, dict[str, float]] = Field(description="The smallest and the largest value, by option.")
    methods: list[MethodOut]


class AssignmentOut(BaseModel):
    """An assignment: its figures (as `panelist assign --json` prints them), pairs and alternates."""

    summary: dict[str, Any]
    pairs: list[dict[str, Any]]
    alternates: list[dict[str, Any]]


@router.post(
    "/assignments",
    summary="Assign reviewers to papers",
    status_code=202,
    response_model=JobOut,
    openapi_extra=described_body(schema_of(AssignmentRequest), "application/json"),
    responses={202: {"description": "A job was begun: its state is at `Location`"}},
)
async def begin_assignment(request: HttpRequest, state: StateOf) -> Response:
    """Always a background job: ask for its state at the address in `Location`, then for its result."""
    wanted = await read_json(request, "the scores and settings", AssignmentRequest, state.lookups)
    wanted.options()
    scored = None if wanted.job is None else _scores(state, wanted.job)
    return begun(start_job(state, request, partial(_make, wanted, scored)))


@router.get("/assignments/options", summary="Options of an assignment, with their defaults")
def assignment_options() -> AssignOptionsOut:
    """What pages fill their controls with."""
    return AssignOptionsOut(
        defaults=ConferenceSettings().model_dump(mode="json"),
        limits=limits_of(ConferenceSettings),
        methods=[
            MethodOut(name=name, takes=list(method.takes), drawn=method.drawn, suggests=dict(method.suggests))
            for name, method in METHODS.items()
        ],
    )


@router.get(
    "/assignments/{job_id}",
    summary="The assignment of a finished job",
    response_model=AssignmentOut,
    responses=described_file("The assignment", "text/csv", "text/html"),
)
def assignment(
    job_id: JobId,
    state: StateOf,
    form: Annotated[
        Literal["json", "csv", "openreview", "alternates", "marginals", "report"], Query(alias="format")
    ] = "json",
) -> Response:
    """As JSON, as OpenReview's CSV or JSON, its alternates and marginals as CSV, or as a page to keep."""
    job = finished_job(state, job_id)
    name, kind = _RESULTS[form]
    file = job.directory / name
    if not file.exists():
        raise ProblemError(404, f"job '{job_id}' is not an assignment: see /api/v1/jobs/{job_id}/result")
    return FileResponse(file, media_type=kind, filename=None if form == "json" else name)


def _scores(state: ServerState, job_id: str) -> Path:
    """The directory of a finished affinity job."""
    job = state.jobs.get(job_id)
    if job.state is not JobState.DONE or not (job.directory / "result.csv").exists():
        raise ProblemError(409, f"job '{job_id}' has no scores: it is not a finished affinity job")
    return job.directory


def _make(request: AssignmentRequest, scored: Path | None, progress: Progress, directory: Path) -> None:
    """Do a job: read, assign, draw, and write the result in every form."""
    progress("reading", 0, 3)
    problem = _problem(request, scored)
    progress("assigning", 1, 3)
    made = assign(problem, progress=progress)
    alternates = find_alternates(made, request.alternates) if request.alternates else []
    progress("drawing", 2, 3)
    summary = summarise_assignment(made)
    answer = {"summary": summary, "pairs": made.pairs, "alternates": alternates}
    files = solving.files_of(made, summary, alternates) | {_RESULTS["json"][0]: msgspec.json.encode(answer)}
    for name, content in files.items():
        write_whole(directory / name, content)


def _problem(request: AssignmentRequest, scored: Path | None) -> Problem:
    """Files are read from where they lie for a moment; errors call them by what they are."""
    with TemporaryDirectory(prefix="panelist-") as folder:
        files = {name: Path(folder, name) for name in _FILES if getattr(request, name) is not None}
        for name, path in files.items():
            path.write_text(getattr(request, name), encoding="utf-8")
        sources = Sources(
            scores=[files["scores"] if scored is None else scored / "result.csv"],
            constraints=files.get("constraints"),
            conflicts=files.get("conflicts"),
            quotas=files.get("quotas"),
            demands=files.get("demands"),
            people=files.get("reviewers"),
            bids=files.get("bids"),
        )
        try:
            return read_problem(sources, request.options())
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from error
