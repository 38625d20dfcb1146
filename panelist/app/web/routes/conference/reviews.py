"""`/conferences/…/reviews`, `/calibration`, `/paper`: what reviewers sent, what it is worth, all about one paper."""

from typing import Annotated, Any

from fastapi import Query, Response
from fastapi import Request as HttpRequest

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.intake.accept import plain_name
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.reviewing.paper import paper_view
from panelist.app.desk.conference.staging import CHECKING, read_job
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import Look
from panelist.app.web.bodies import CSV_FILE, HTML_FILE, download
from panelist.app.web.jobs import JobState
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, Id, LookOf, conference_router
from panelist.app.web.routes.evaluation import CSV_BODY, CsvReviews, Kind, SettingsOf
from panelist.app.web.routes.jobs import start_job
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.files import write_whole

router = conference_router()


@router.get("/reviews", summary="Reviews of a conference")
def conference_reviews(conference: ConferenceId, state: StateOf) -> dict[str, Any]:
    """What was sent back so far, as `texts` and as `scores`: its name, summary, what is odd beside the assignment.

    `check` says how far the check of the texts is: `none`, as a job is, `done`, or `stale` where texts or submissions
    changed since.
    """
    stored = state.conferences.get(conference)
    sent = {
        kind: {"name": file.name, "at": file.at, "summary": file.summary, "odd": intake.beside_assignment(stored, file)}
        for kind, file in intake.read_all(stored).items()
    }
    calibrated = calibrating.read(stored) is not None
    now = {"revision": stored.revision, "calibrated": calibrated, "check": _check(state, stored)}
    return {"texts": None, "scores": None, **sent, **now}


@router.put("/reviews/{kind}", summary="Send back reviews", openapi_extra=CSV_BODY)
@in_threads("heavy")
def send_reviews(
    conference: ConferenceId,
    kind: intake.Kind,
    content: CsvReviews,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file.")] = "",
) -> dict[str, Any]:
    """It replaces what was sent before. A paper that the conference does not have is refused, with its lines."""
    intake.accept(state.conferences, conference, kind, plain_name(name or f"{kind}.csv"), content, **change)
    return conference_reviews(conference, state)


@router.post(
    "/reviews/check", summary="Check the texts of reviews", status_code=202, dependencies=[needs(Permission.CHANGE)]
)
def begin_check(conference: ConferenceId, request: HttpRequest, state: StateOf) -> dict[str, Any]:
    """In the background: tags, omissions, disagreement, wrong papers, shared text and habits. For the chair."""
    stored = state.conferences.get(conference)
    intake.read_record(stored, "texts")
    if _check(state, stored)["state"] in ("waiting", "running"):
        raise ProblemError(409, "the texts are being checked already")
    job = start_job(state, request, lambda progress, _: checking.check(stored, progress))
    write_whole(stored.path / CHECKING, job.id.encode())
    return _check(state, stored)


@router.get("/reviews/checked", summary="Checked reviews")
def checked_reviews(conference: ConferenceId, state: StateOf, look: LookOf) -> Any:
    """Some of the papers, with the tagged texts of their reviews; and what holds for all."""
    answer = checking.checked(state.conferences.get(conference), look)
    if answer is None:
        raise ProblemError(404, "these texts are not checked yet")
    return answer


@router.get("/reviews/export", summary="Checked reviews as a table", **CSV_FILE)
@in_threads("heavy")
def export_reviews(conference: ConferenceId, state: StateOf, kind: Kind = "authors") -> Response:
    """Only the chair's table has flags about reviewers."""
    return download(checking.table(state.conferences.get(conference), kind), f"reviews-{kind}.csv")


def _check(state: ServerState, conference: StoredConference) -> dict[str, Any]:
    if checking.checked(conference, Look(limit=1)) is not None:
        return {"state": "done"}
    name = read_job(conference.path / CHECKING)
    job = state.jobs.find(name)
    if job is None or job.state is JobState.DONE:  # of a check that is done the result stays, longer than its job
        stale = (conference.path / checking.RESULT).exists()
        return {"state": "stale" if stale else "lost" if name else "none"}
    return {"state": job.state, "stage": job.stage, "done": job.done, "total": job.total, "error": job.error}


@router.get("/calibration", summary="Calibrated scores of a conference")
def conference_calibration(conference: ConferenceId, state: StateOf) -> Any:
    """What came out last, with its settings; `stale` where the scores are others by now."""
    answer = calibrating.read(state.conferences.get(conference))
    if answer is None:
        raise ProblemError(404, "nothing is calibrated yet")
    return answer


@router.post("/calibration", summary="Calibrate the scores of a conference")
@in_threads("heavy")
def calibrate_conference(conference: ConferenceId, state: StateOf, settings: SettingsOf, change: ChangeOf) -> Any:
    """Of the file of scores, or else of the texts; stored in the conference."""
    return calibrating.make(state.conferences, conference, settings, **change)


@router.get("/calibration/report", summary="The calibration as a page", **HTML_FILE)
@in_threads("heavy")
def conference_calibration_report(conference: ConferenceId, state: StateOf) -> Response:
    """With the settings that were used last."""
    page = calibrating.report(state.conferences.get(conference)).decode()
    return download(state.labels(conference).in_page(page), "calibration.html")


@router.get("/paper", summary="All about one paper")
def conference_paper(conference: ConferenceId, paper: Id, state: StateOf) -> Any:
    """Its reviewers, their scores, its calibrated score and probability of acceptance, and its reviews."""
    return paper_view(state.conflicts.view(conference), paper)
