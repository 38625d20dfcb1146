"""`/conferences/…/reviews`, `/calibration`, `/paper`: what reviewers sent, what it is worth, all about one paper."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import orjson
from fastapi import Query, Response
from msgspec import Struct

from eval.reviews.checks.exports import ReviewCheck
from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.findings import Oddity, worded
from panelist.app.desk.conference.intake.accept import plain_name
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.reviews import CHECK, ReviewKind, load_calibration, load_reviews
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import Look
from panelist.app.desk.conference.views.paper import PaperPage, paper_view
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.bodies import CSV_FILE, HTML_FILE, JSON, download
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, QueriedId, conference_router
from panelist.app.web.routes.evaluation import CSV_BODY, Calibration, CsvReviews, Kind, SettingsOf
from panelist.app.web.routes.state import ServerState, StateOf, in_threads

router = conference_router()


class SentReviews(Struct, frozen=True):
    """A file of reviews: its name, what was read, what is odd beside the assignment."""

    name: str
    at: datetime
    summary: str
    odd: list[Oddity]


class CheckState(Struct, frozen=True, omit_defaults=True):
    """How far the check of the texts is: `none`, as a job is, `done`, or `stale` where texts or submissions changed."""

    state: str
    stage: str = ""
    done: int = 0
    total: int = 0
    error: str | None = None


class ReviewsOut(Struct, frozen=True, kw_only=True):
    """What was sent back so far, and what was made of it."""

    revision: int
    texts: SentReviews | None = None
    scores: SentReviews | None = None
    calibrated: bool
    check: CheckState


@dataclass(frozen=True, slots=True)
class PapersChecked(ReviewCheck):
    """The papers that are shown, how many there are in all, and what holds for all."""

    total: int
    of: list[str]


@dataclass(frozen=True, slots=True)
class CalibrationKept(Calibration):
    """What came out last, with its settings; `stale` where the scores are others by now."""

    of: str = ""
    stale: bool = False


@router.get("/reviews", summary="Reviews of a conference")
def conference_reviews(conference: ConferenceId, state: StateOf) -> ReviewsOut:
    """As `texts` and as `scores`."""
    stored = state.conference(conference)
    labels = state.labels(stored)
    sent = {
        kind: SentReviews(file.name, file.at, file.summary, worded(intake.beside_assignment(stored, file), labels))
        for kind, file in load_reviews(stored).items()
    }
    calibrated = load_calibration(stored) is not None
    return ReviewsOut(revision=stored.revision, calibrated=calibrated, check=_check(state, stored), **sent)


@router.put("/reviews/{kind}", summary="Send back reviews", openapi_extra=CSV_BODY)
@in_threads("heavy")
def send_reviews(
    conference: ConferenceId,
    kind: ReviewKind,
    content: CsvReviews,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file.")] = "",
) -> ReviewsOut:
    """It replaces what was sent before. A paper that the conference does not have is refused, with its lines."""
    intake.accept(state.conferences, conference, kind, plain_name(name or f"{kind}.csv"), content, **change)
    return conference_reviews(conference, state)


@router.post(
    "/reviews/check", summary="Check the texts of reviews", status_code=202, dependencies=[needs(Permission.CHANGE)]
)
def begin_check(conference: ConferenceId, state: StateOf) -> CheckState:
    """In the background: tags, omissions, disagreement, wrong papers, shared text and habits. For the chair."""
    stored = state.conference(conference)
    if "texts" not in load_reviews(stored):
        raise NotFoundError("there are no texts of reviews yet: send a CSV file")
    if _check(state, stored).state in ("waiting", "running"):
        raise ProblemError(409, "the texts are being checked already")
    row = stored.row_by_sight(CHECK)
    work.begin(state, conference, row, lambda progress, _: checking.check_texts(state.conferences, stored, progress))
    return _check(state, state.conference(conference))


@router.get("/reviews/checked", summary="Checked reviews", response_model=PapersChecked)
def checked_reviews(conference: ConferenceId, state: StateOf, look: LookOf) -> Response:
    """Some of the papers, with the tagged texts of their reviews; and what holds for all."""
    answer = checking.checked(state.conference(conference), look)
    if answer is None:
        raise ProblemError(404, "these texts are not checked yet")
    return Response(orjson.dumps(answer), media_type=JSON)


@router.get("/reviews/export", summary="Checked reviews as a table", **CSV_FILE)
@in_threads("heavy")
def export_reviews(conference: ConferenceId, state: StateOf, kind: Kind = "authors") -> Response:
    """Only the chair's table has flags about reviewers."""
    return download(checking.table(state.conference(conference), kind), f"reviews-{kind}.csv")


def _check(state: ServerState, conference: Conference) -> CheckState:
    row = conference.row_by_sight(CHECK)
    job, record = work.find(state, conference, row)
    if job is not None and job.state is JobState.DONE:  # perhaps after this conference was read
        conference = state.conference(conference.id)
    if checking.checked(conference, Look(limit=1)) is not None:
        return CheckState("done")
    if job is None or job.state is JobState.DONE:  # of a check that is done the result stays, longer than its job
        return CheckState("stale" if conference.part(row).blob else "lost" if record.job else "none")
    return CheckState(job.state, job.stage, job.done, job.total, job.error)


@router.get("/calibration", summary="Calibrated scores of a conference", response_model=CalibrationKept)
def conference_calibration(conference: ConferenceId, state: StateOf) -> Response:
    """What came out last."""
    answer = load_calibration(state.conference(conference))
    if answer is None:
        raise ProblemError(404, "nothing is calibrated yet")
    return Response(orjson.dumps(answer), media_type=JSON)


@router.post("/calibration", summary="Calibrate the scores of a conference", response_model=CalibrationKept)
@in_threads("heavy")
def calibrate_conference(conference: ConferenceId, state: StateOf, settings: SettingsOf, change: ChangeOf) -> Response:
    """Of the file of scores, or else of the texts; stored in the conference."""
    answer = calibrating.make(state.conferences, conference, settings, **change)
    return Response(orjson.dumps(answer), media_type=JSON)


@router.get("/calibration/report", summary="The calibration as a page", **HTML_FILE)
@in_threads("heavy")
def conference_calibration_report(conference: ConferenceId, state: StateOf) -> Response:
    """With the settings that were used last."""
    stored = state.conference(conference)
    return download(state.labels(stored).in_page(calibrating.report(stored).decode()), "calibration.html")


@router.get("/paper", summary="All about one paper")
def conference_paper(conference: ConferenceId, paper: QueriedId, state: StateOf) -> PaperPage:
    """Its reviewers, their scores, its calibrated score and probability of acceptance, and its reviews."""
    view = state.view(conference)
    return paper_view(view, paper, checking.of_paper(view.stored, paper))
