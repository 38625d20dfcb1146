"""Background jobs of a conference: begun for a client, found again by their ids, ended with the conference."""

from __future__ import annotations

from fastapi import Request

from panelist.app.desk.conference.jobs import jobs_of
from panelist.app.desk.conference.store import Conference
from panelist.app.web.jobs import Job, Work
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.state import State


def start_job(state: State, request: Request, work: Work) -> Job:
    """Begin a job for who asked.

    Raises:
        ProblemError: the queue is full, or this client's share of it.
    """
    return state.jobs.start(work, request.client.host if request.client else "")


def find_job(state: State, name: str) -> Job | None:
    """The job of this id; None where there is none, or no longer."""
    try:
        return state.jobs.get(name) if name else None
    except ProblemError:
        return None


def forget_jobs(state: State, conference: Conference) -> None:
    """Stop whatever works for a conference, and delete what is kept of it."""
    for name in jobs_of(conference.path):
        if find_job(state, name) is not None:
            state.jobs.forget(name)
