"""`POST /affinity` and `/jobs`: scores of many submissions and reviewers, immediately or in the background."""

from __future__ import annotations

import pathlib
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, ValidationError

from panelist.app.formats.scores import score_json
from panelist.app.web import limits
from panelist.app.web.jobs import Job, JobState
from panelist.app.web.problems import ProblemError, check_type, documented
from panelist.app.web.requests import AffinityRequest
from panelist.app.web.responses import ConflictOut
from panelist.app.web.routes.state import State, StateOf
from panelist.app.web.scoring import Scored, score
from panelist.files import replacing
from panelist.progress import Progress, silent
from panelist.records import Confidence
from retriever.affinity.output import write_scores

router = APIRouter(tags=["affinity"])

_SCHEMA = {"$ref": f"#/components/schemas/{AffinityRequest.__name__}"}
_MEDIA_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8"}

JobId = Annotated[str, Path(min_length=1, max_length=40)]


class PairOut(BaseModel):
    """How fit a reviewer is for a submission: raw, comparable between runs.

    `near_papers` of the reviewer are among the nearest to the submission (3: three or more), which gives `confidence`.
    """

    submission: str
    reviewer: str
    score: float
    near_papers: int | None
    confidence: Confidence | None


class ReviewerOut(BaseModel):
    """How many papers the scores of a reviewer rest on."""

    reviewer: str
    papers: int


class ConflictPairOut(ConflictOut):
    """A pair with a conflict of interest: if it is `certain` and conflicts are hidden, the pair has no score."""

    submission: str
    reviewer: str


class AffinityOut(BaseModel):
    """The pairs that were kept, by submission, best first; the reviewers; and the conflicts, by submission.

    A pair with a possible conflict keeps its score: OpenReview's CSV cannot flag it, so read the conflicts beside it.
    """

    pairs: list[PairOut]
    reviewers: list[ReviewerOut]
    conflicts: list[ConflictPairOut]


class JobOut(BaseModel):
    """A background job: `done` of `total` steps of its `stage`."""

    id: str
    state: JobState
    stage: str
    done: int
    total: int
    created: datetime
    finished: datetime | None
    error: str | None
    result: str | None

    @classmethod
    def of(cls, job: Job) -> JobOut:
        """The job as it is now; `result` is the address of its result."""
        done = job.state is JobState.DONE
        scores = (job.directory / "result.csv").exists()
        result = f"/api/v1/jobs/{job.id}/result" if scores else f"/api/v1/assignments/{job.id}"
        same = {name: getattr(job, name) for name in cls.model_fields if name != "result"}
        return cls(**same, result=result if done else None)


@router.post(
    "/affinity",
    summary="Score submissions against reviewers",
    response_model=AffinityOut,
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}},
    responses={
        **documented(429, 503),
        202: {"model": JobOut, "description": "A job was begun: ask for its state at the address in `Location`"},
    },
)
async def affinity(request: Request, state: StateOf) -> Response:
    """Small requests are answered immediately, large ones start a background job."""
    check_type(request, "application/json", "the submissions and reviewers")
    # Read by hand and checked in a thread: megabytes of it would keep the event loop from everybody else.
    wanted = await state.lookups.run(partial(_read, await request.body()))
    large = len(wanted.submissions) * len(wanted.reviewers) > limits.INLINE_PAIRS
    if wanted.background if wanted.background is not None else large:
        client = request.client.host if request.client else ""
        job = state.jobs.start(partial(_write, state, wanted), client)
        body = JobOut.of(job).model_dump(mode="json")
        return JSONResponse(body, 202, {"Location": f"/api/v1/jobs/{job.id}"})
    if large:
        raise ProblemError(
            422, f"more than {limits.INLINE_PAIRS:,} pairs are scored in the background: leave out 'background'"
        )
    return Response(await state.lookups.run(partial(_answer, state, wanted)), media_type="application/json")


@router.get("/jobs/{job_id}", summary="The state of a job", responses=documented(404))
def job_state(job_id: JobId, state: StateOf) -> JobOut:
    """How far a job is."""
    return JobOut.of(state.jobs.get(job_id))


@router.delete("/jobs/{job_id}", summary="Cancel a job", responses=documented(404))
def cancel_job(job_id: JobId, state: StateOf) -> JobOut:
    """The job stops at its next step; one that has finished stays as it is."""
    return JobOut.of(state.jobs.cancel(job_id))


@router.get(
    "/jobs/{job_id}/result",
    summary="The result of a job",
    response_model=AffinityOut,
    responses={
        **documented(404, 409),
        200: {"description": "The pairs", "content": {"text/csv": {"schema": {"type": "string"}}}},
    },
)
def job_result(
    job_id: JobId, state: StateOf, form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json"
) -> Response:
    """As JSON, or as OpenReview's CSV; sent from disk."""
    job = state.jobs.get(job_id)
    if job.state is not JobState.DONE:
        raise ProblemError(409, f"job '{job_id}' has no result: it is {job.state.value}")
    file = job.directory / f"result.{form}"
    if not file.exists():
        raise ProblemError(404, f"job '{job_id}' has no scores: see /api/v1/assignments/{job_id}")
    return FileResponse(file, media_type=_MEDIA_TYPES[form])


def _read(content: bytes) -> AffinityRequest:
    try:
        return AffinityRequest.model_validate_json(content)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error


def _score(state: State, request: AffinityRequest, progress: Progress) -> Scored:
    with state.service.finder() as finder:
        return score(finder, request, progress)


def _answer(state: State, request: AffinityRequest) -> bytes:
    scored = _score(state, request, silent)
    return b"".join(score_json(scored.scores, scored.near_papers, scored.papers, scored.conflicts))


def _write(state: State, request: AffinityRequest, progress: Progress, directory: pathlib.Path) -> None:
    """Do a job: its result as files, each complete or not there."""
    scored = _score(state, request, progress)
    progress("writing", 0, 2)
    write_scores(scored.scores, directory / "result.csv")
    progress("writing", 1, 2)
    with replacing(directory / "result.json") as part, part.open("wb") as file:
        file.writelines(score_json(scored.scores, scored.near_papers, scored.papers, scored.conflicts))
