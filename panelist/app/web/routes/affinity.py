"""`POST /affinity` and `/jobs`: scores of many submissions and reviewers, immediately or in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from panelist.app.web import limits
from panelist.app.web.jobs import Job, JobState
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import AffinityRequest
from panelist.app.web.responses import ConflictOut
from panelist.app.web.routes.state import State, StateOf
from panelist.app.web.scoring import Scored, score, to_csv
from panelist.progress import Progress

router = APIRouter(tags=["affinity"])

JobId = Annotated[str, Path(min_length=1, max_length=40)]


class PairOut(BaseModel):
    """How fit a reviewer is for a submission: raw, comparable between runs."""

    submission: str
    reviewer: str
    score: float


class ConflictPairOut(ConflictOut):
    """A pair with a conflict of interest: if it is `certain` and conflicts are hidden, the pair has no score."""

    submission: str
    reviewer: str


class AffinityOut(BaseModel):
    """The pairs that were kept, by submission, best first; and the certain and possible conflicts, by submission.

    A pair with a possible conflict keeps its score: OpenReview's CSV cannot flag it, so read the conflicts beside it.
    """

    pairs: list[PairOut]
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
    def of(cls, job: Job[Scored]) -> JobOut:
        """The job as it is now; `result` is the address of its result."""
        done = job.state is JobState.DONE
        return cls(
            id=job.id,
            state=job.state,
            stage=job.stage,
            done=job.done,
            total=job.total,
            created=job.created,
            finished=job.finished,
            error=job.error,
            result=f"/api/v1/jobs/{job.id}/result" if done else None,
        )


@router.post(
    "/affinity",
    summary="Score submissions against reviewers",
    response_model=AffinityOut,
    responses={
        **documented(503),
        202: {"model": JobOut, "description": "A job was begun: ask for its state at the address in `Location`"},
    },
)
async def affinity(request: AffinityRequest, state: StateOf) -> AffinityOut | JSONResponse:
    """Small requests are answered immediately, large ones start a background job."""
    large = len(request.submissions) * len(request.reviewers) > limits.INLINE_PAIRS
    if request.background if request.background is not None else large:
        job = state.jobs.start(lambda progress: _score(state, request, progress))
        body = JobOut.of(job).model_dump(mode="json")
        return JSONResponse(body, 202, {"Location": f"/api/v1/jobs/{job.id}"})
    if large:
        raise ProblemError(
            422, f"more than {limits.INLINE_PAIRS:,} pairs are scored in the background: leave out 'background'"
        )
    return _answer(await state.lookups.run(lambda: _score(state, request, lambda stage, done, total: None)))


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
) -> AffinityOut | Response:
    """As JSON, or as OpenReview's CSV."""
    job = state.jobs.get(job_id)
    if job.result is None:
        raise ProblemError(409, f"job '{job_id}' has no result: it is {job.state.value}")
    if form == "csv":
        return Response(to_csv(job.result.scores), media_type="text/csv; charset=utf-8")
    return _answer(job.result)


def _score(state: State, request: AffinityRequest, progress: Progress) -> Scored:
    with state.service.finder() as finder:
        return score(finder, request, progress)


def _answer(scored: Scored) -> AffinityOut:
    return AffinityOut(
        pairs=[
            PairOut(submission=submission, reviewer=scored.scores.reviewers[reviewer], score=value)
            for submission, reviewers, values in scored.scores.rows()
            for reviewer, value in zip(reviewers.tolist(), values.tolist(), strict=True)
        ],
        conflicts=[ConflictPairOut.model_validate(one, from_attributes=True) for one in scored.conflicts],
    )
