"""`/conferences/…/reviews`: what reviewers sent back: texts that are checked in the background, and scores."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field

from panelist.app import limits
from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.desk.conference.intake.accept import plain_name
from panelist.app.desk.conference.intake.findings import Oddity
from panelist.app.desk.conference.jobs import CHECKING, read_job, save_job
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import Look
from panelist.app.web.bodies import TEXT, check_type, described_body
from panelist.app.web.downloads import CSV, described_file, download
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, conference_router
from panelist.app.web.routes.jobs import start_job
from panelist.app.web.routes.state import ServerState, StateOf

router = conference_router()

_REVIEWS = described_body(
    TEXT, "text/csv", description="CSV with header: paper, reviewer, score; texts have the column text, too."
)


class SentOut(BaseModel):
    """A file of reviews: what was read, and what is odd about it beside the chosen assignment."""

    name: str
    at: datetime
    summary: str
    odd: list[Oddity]


class CheckOut(BaseModel):
    """How far the check of the texts is: `none` before it began, `stale` where texts or submissions changed since."""

    state: str
    stage: str = ""
    done: int = 0
    total: int = 0
    error: str | None = None


class ReviewsOut(BaseModel):
    """What was sent, and the check of the texts."""

    revision: int
    texts: SentOut | None
    scores: SentOut | None
    check: CheckOut = Field(description="Of the texts.")
    calibrated: bool = Field(description="Whether scores were calibrated.")


@router.get("/reviews", summary="Reviews of a conference")
async def conference_reviews(conference: ConferenceId, state: StateOf) -> ReviewsOut:
    """What was sent back so far."""
    return await state.lookups.run(partial(_reviews, state, conference))


@router.put("/reviews/{kind}", summary="Send back reviews", openapi_extra=_REVIEWS)
async def send_reviews(
    conference: ConferenceId,
    kind: intake.Kind,
    request: HttpRequest,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file.")] = "",
) -> ReviewsOut:
    """It replaces what was sent before. A paper that the conference does not have is refused, with its lines."""
    check_type(request, "the reviews", "text/csv")
    work = partial(
        intake.accept,
        state.conferences,
        conference,
        kind,
        plain_name(name or f"{kind}.csv"),
        await request.body(),
        **change,
    )
    await state.heavy.run(work)
    return await state.lookups.run(partial(_reviews, state, conference))


@router.post(
    "/reviews/check", summary="Check the texts of reviews", status_code=202, dependencies=[needs(Permission.CHANGE)]
)
def begin_check(conference: ConferenceId, request: HttpRequest, state: StateOf) -> CheckOut:
    """In the background: tags, omissions, disagreement, wrong papers, shared text and habits. For the chair."""
    found = state.conferences.get(conference)
    intake.read_record(found, "texts")
    if _check(state, found).state in ("waiting", "running"):
        raise ProblemError(409, "the texts are being checked already")
    job = start_job(state, request, lambda progress, _: checking.check(found, progress))
    save_job(found.path / CHECKING, job.id)
    return _check(state, found)


@router.get("/reviews/checked", summary="Checked reviews")
async def checked_reviews(conference: ConferenceId, state: StateOf, look: LookOf) -> Any:
    """Some of the papers, with the tagged texts of their reviews; and what holds for all."""
    found = state.conferences.get(conference)
    answer = await state.lookups.run(partial(checking.checked, found, look))
    if answer is None:
        raise ProblemError(404, "these texts are not checked yet")
    return answer


@router.get(
    "/reviews/export",
    summary="Checked reviews as a table",
    response_class=Response,
    responses=described_file("A CSV file", "text/csv"),
)
async def export_reviews(
    conference: ConferenceId,
    state: StateOf,
    kind: Annotated[Literal["authors", "sentences", "chair"], Query()] = "authors",
) -> Response:
    """Only the chair's table has flags about reviewers."""
    found = state.conferences.get(conference)
    table = await state.heavy.run(partial(checking.table, found, kind))
    return download(table, CSV, f"reviews-{kind}.csv")


def _reviews(state: ServerState, conference: str) -> ReviewsOut:
    found = state.conferences.get(conference)
    sent = {
        kind: SentOut(
            name=record.name,
            at=record.at,
            summary=record.summary,
            odd=intake.beside_assignment(found, record),
        )
        for kind, record in intake.read_all(found).items()
    }
    return ReviewsOut(
        revision=found.revision,
        texts=sent.get("texts"),
        scores=sent.get("scores"),
        check=_check(state, found),
        calibrated=calibrating.read(found) is not None,
    )


def _check(state: ServerState, conference: StoredConference) -> CheckOut:
    if checking.checked(conference, Look(limit=1)) is not None:
        return CheckOut(state="done")
    name = read_job(conference.path / CHECKING)
    job = state.jobs.find(name)
    if job is None or job.state is JobState.DONE:  # of a check that is done the result stays, longer than its job
        return CheckOut(state="stale" if checking.was_checked(conference) else "lost" if name else "none")
    return CheckOut(state=job.state.value, stage=job.stage, done=job.done, total=job.total, error=job.error)
