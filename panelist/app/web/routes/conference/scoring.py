"""`/conferences/{conference}/score`: score a conference in the background, with progress, cancel and resume."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field

from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.jobs import SCORING
from panelist.app.desk.conference.scoring import ScoreSettings, check_ready, score
from panelist.app.desk.conference.store import StoredConference
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import ScoringRequest
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.jobs import JobOut, start_job
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.files import write_whole
from panelist.progress import Progress

router = conference_router()


class ScoreOut(BaseModel):
    """The latest scoring of a conference: its settings and its job; both null where it was never scored here."""

    revision: int
    settings: ScoringRequest | None
    job: JobOut | None
    ready: bool = Field(description="Whether there are submissions and a committee.")


@router.get("/score", summary="How far scoring is")
def scoring_state(conference: ConferenceId, state: StateOf) -> ScoreOut:
    """A job that the server lost when it was stopped says so: begin it again, it goes on where it was."""
    return _scoring(state, state.conferences.get(conference))


@router.post("/score", summary="Score a conference", status_code=202)
def begin_scoring(
    conference: ConferenceId, wanted: ScoringRequest, request: HttpRequest, state: StateOf, change: ChangeOf
) -> ScoreOut:
    """In the background. Where the same scoring was cut off before, it goes on where it was."""
    found = state.conferences.get(conference)
    check_ready(found)
    running = _job(state, found)[0]
    if running is not None and running.state in (JobState.WAITING, JobState.RUNNING):
        raise ProblemError(409, "the conference is being scored already: wait for it, or cancel it first")
    settings = ScoreSettings(**wanted.model_dump())
    job = start_job(state, request, partial(_score, state, found, settings, change["who"]))
    write_whole(found.path / SCORING, msgspec.json.encode({"job": job.id, "settings": settings}))
    return _scoring(state, found)


@router.delete("/score", summary="Cancel scoring")
def cancel_scoring(conference: ConferenceId, state: StateOf) -> ScoreOut:
    """It stops at its next step; what it has computed is kept until the files change."""
    found = state.conferences.get(conference)
    job = _job(state, found)[0]
    if job is not None:
        state.jobs.cancel(job.id)
    return _scoring(state, found)


def _job(state: ServerState, conference: StoredConference) -> tuple[QueuedJob | None, ScoringRequest | None]:
    """The latest scoring; no job where it is forgotten."""
    try:
        kept = msgspec.json.decode((conference.path / SCORING).read_bytes())
    except FileNotFoundError:
        return None, None
    return state.jobs.find(kept["job"]), ScoringRequest(**kept["settings"])


def _scoring(state: ServerState, conference: StoredConference) -> ScoreOut:
    job, settings = _job(state, conference)
    ready = {"submissions", "committee"} <= read_records(conference).keys()
    shown = None if job is None else JobOut.of(job)
    return ScoreOut(revision=conference.revision, settings=settings, job=shown, ready=ready)


def _score(
    state: ServerState, conference: StoredConference, settings: ScoreSettings, who: str, progress: Progress, _: Path
) -> None:
    view = state.conflicts.view(conference.id, progress)
    with state.service.finder() as finder:
        score(state.conferences, view, settings, finder, progress, who)
