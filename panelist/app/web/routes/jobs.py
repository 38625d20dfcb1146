"""`/jobs`: background jobs, whatever they make: begun for a client, their state, cancel."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse

from panelist.app.access.roles import Permission, needs
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.responses import Answer
from panelist.app.web.routes.state import ServerState, StateOf

router = APIRouter(tags=["jobs"], responses=documented(404), dependencies=[needs(Permission.LOOK)])

JobId = Annotated[str, Path(min_length=1, max_length=40)]


class JobOut(Answer):
    """A background job: `done` of `total` steps of its `stage`, which will take `seconds_left` at its pace so far."""

    id: str
    state: JobState
    stage: str
    done: int
    total: int
    seconds_left: float | None
    created: datetime
    finished: datetime | None
    error: str | None
    result: str | None


@router.get("/jobs/{job_id}", summary="The state of a job")
def job_state(job_id: JobId, state: StateOf) -> JobOut:
    """How far a job is."""
    return JobOut.of(state.jobs.get(job_id))


@router.delete("/jobs/{job_id}", summary="Cancel a job")
def cancel_job(job_id: JobId, state: StateOf) -> JobOut:
    """The job stops at its next step; one that has finished stays as it is."""
    return JobOut.of(state.jobs.cancel(job_id))


def begun(job: QueuedJob) -> Response:
    """The answer to a request that began a job."""
    return JSONResponse(JobOut.of(job).model_dump(mode="json"), 202, {"Location": f"/api/v1/jobs/{job.id}"})


def finished_job(state: ServerState, job_id: str) -> QueuedJob:
    """A job that has a result."""
    job = state.jobs.get(job_id)
    if job.state is not JobState.DONE:
        raise ProblemError(409, f"job '{job_id}' has no result: it is {job.state.value}")
    return job
