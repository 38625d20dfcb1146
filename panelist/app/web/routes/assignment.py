"""`POST /assignments`: an assignment from uploaded scores or those of an affinity job, made in the background."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, Self

import msgspec
from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from msgspec import Struct
from pydantic import BaseModel, Field, StringConstraints, model_validator

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference import outcomes
from panelist.app.desk.conference.settings import AssignmentSettings, ConferenceSettings, limits_of
from panelist.app.web.bodies import JSON, MEDIA_TYPES, body_of, described_body, file_answer, read_request, schema_of
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.records import record_schema
from panelist.app.web.routes.jobs import JobId, JobOut, begun, finished_job
from panelist.app.web.routes.state import StateOf, in_threads
from panelist.files import write_whole
from panelist.progress import Progress
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.explain.alternates import Alternate, find_alternates
from retriever.assignment.explain.summary import Summary, summarise_assignment
from retriever.assignment.methods import METHODS
from retriever.assignment.problem import Problem
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.solve import assign

router = APIRouter(tags=["assignment"], responses=documented(404, 409, 429, 503), dependencies=[needs(Permission.LOOK)])

Table = Annotated[str, StringConstraints(max_length=limits.ASSIGNMENT_FILE)]
Format = Literal["json", "csv", "openreview", "alternates", "marginals", "report"]
_RESULTS: dict[Format, str] = {
    "json": "result-assignment.json",
    "csv": outcomes.CSV,
    "openreview": outcomes.OPENREVIEW,
    "alternates": outcomes.ALTERNATES,
    "marginals": outcomes.MARGINALS,
    "report": outcomes.REPORT,
}
"""The files of a finished job."""
_FILES = ("scores", "constraints", "conflicts", "quotas", "demands", "reviewers", "bids")


class AssignmentRequest(AssignmentSettings):
    """Assign reviewers to papers. Files are OpenReview's, as text, without header (`reviewers` has one)."""

    scores: Table | None = Field(default=None, description="Lines of paper,reviewer,score.")
    job: Annotated[str, StringConstraints(min_length=1, max_length=40)] | None = Field(
        default=None, description="Instead of scores: a finished affinity job."
    )
    constraints: Table | None = Field(default=None, description="Lines of paper,reviewer,-1 (conflict) or 1 (lock).")
    conflicts: Table | None = Field(default=None, description="A conflict table, as `panelist affinity` writes it.")
    quotas: Table | None = Field(default=None, description="Lines of reviewer,max[,min].")
    demands: Table | None = Field(default=None, description="Lines of paper,demand[,role].")
    reviewers: Table | None = Field(default=None, description="reviewer,seniority,institution,country,role,authored.")
    bids: Table | None = Field(default=None, description="Lines of paper,reviewer,bid.")

    @model_validator(mode="after")
    def _has_either_source(self) -> Self:
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


class AssignmentOut(Struct, frozen=True):
    """An assignment: its figures (as `panelist assign --json` prints them), pairs and alternates."""

    summary: Summary
    pairs: list[AssignedPair]
    alternates: list[Alternate]


@router.post(
    "/assignments",
    summary="Assign reviewers to papers",
    status_code=202,
    response_model=JobOut,
    openapi_extra=described_body(schema_of(AssignmentRequest), JSON),
    responses={202: {"description": "A job was begun: its state is at `Location`"}},
)
@in_threads("lookups")
def begin_assignment(content: Annotated[bytes, body_of("the scores and settings", JSON)], state: StateOf) -> Response:
    """Always a background job: ask for its state at the address in `Location`, then for its result."""
    requested = read_request(AssignmentRequest, content)
    requested.options()
    scored = None
    if requested.job is not None:
        job = state.jobs.get(requested.job)
        scored = job.directory
        if job.state is not JobState.DONE or not (scored / "result.csv").exists():
            raise ProblemError(409, f"job '{job.id}' has no scores: it is not a finished affinity job")
    return begun(state.begin(partial(_make, requested, scored)))


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
    **file_answer("The assignment", "text/csv", "text/html", json=record_schema(AssignmentOut)),
)
def assignment_of_job(
    job_id: JobId, state: StateOf, form: Annotated[Format, Query(alias="format")] = "json"
) -> Response:
    """As JSON, as OpenReview's CSV or JSON, its alternates and marginals as CSV, or as a page to keep."""
    file = finished_job(state, job_id).directory / _RESULTS[form]
    if not file.exists():
        raise ProblemError(404, f"job '{job_id}' is not an assignment: see /api/v1/jobs/{job_id}/result")
    kind = MEDIA_TYPES[file.suffix[1:]]
    return FileResponse(file, media_type=kind, filename=None if form == "json" else file.name)


def _make(request: AssignmentRequest, scored: Path | None, progress: Progress, directory: Path) -> None:
    """Do a job: read, assign, draw, and write the result in every form."""
    progress("reading", 0, 3)
    problem = _problem(request, scored)
    progress("assigning", 1, 3)
    assignment = assign(problem, progress=progress)
    alternates = find_alternates(assignment, request.alternates) if request.alternates else []
    progress("drawing", 2, 3)
    summary = summarise_assignment(assignment)
    answer = AssignmentOut(summary, assignment.pairs, alternates)
    files = outcomes.assignment_files(assignment, summary, alternates) | {
        _RESULTS["json"]: msgspec.json.encode(answer, enc_hook=str)
    }
    for name, content in files.items():
        write_whole(directory / name, content)


def _problem(request: AssignmentRequest, scored: Path | None) -> Problem:
    """Files are read from where they lie for a moment."""
    with TemporaryDirectory(prefix="panelist-") as folder:
        files = {name: Path(folder, name) for name in _FILES if getattr(request, name) is not None}
        for name, path in files.items():
            path.write_text(getattr(request, name), encoding="utf-8")
        scores = files.pop("scores") if scored is None else scored / "result.csv"
        sources = Sources(scores=[scores], people=files.pop("reviewers", None), **files)
        return read_problem(sources, request.options())
