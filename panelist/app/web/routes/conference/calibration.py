"""`/conferences/…/calibration` and `/paper`: scores corrected for harsh and mild reviewers, and all about one paper."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Response

from panelist.app.desk.conference.reviewing import calibrating
from panelist.app.desk.conference.reviewing.paper import paper_view
from panelist.app.web.downloads import HTML, described_file, download
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, Id, conference_router
from panelist.app.web.routes.evaluation import SettingsOf
from panelist.app.web.routes.state import StateOf

router = conference_router()


@router.get("/calibration", summary="Calibrated scores of a conference")
async def conference_calibration(conference: ConferenceId, state: StateOf) -> Any:
    """What came out last, with its settings; `stale` where the scores are others by now."""
    found = await state.lookups.run(lambda: calibrating.read(state.conferences.get(conference)))
    if found is None:
        raise ProblemError(404, "nothing is calibrated yet")
    return found


@router.post("/calibration", summary="Calibrate the scores of a conference")
async def calibrate_conference(conference: ConferenceId, state: StateOf, settings: SettingsOf, change: ChangeOf) -> Any:
    """Of the file of scores, or else of the texts; kept in the conference."""
    make = partial(calibrating.make, state.conferences, conference, settings, **change)
    return await state.heavy.run(make)


@router.get(
    "/calibration/report",
    summary="The calibration as a page to keep",
    response_class=Response,
    responses=described_file("A self-contained page", "text/html"),
)
async def conference_calibration_report(conference: ConferenceId, state: StateOf) -> Response:
    """With the settings that were used last."""
    found = state.conferences.get(conference)
    page = await state.heavy.run(partial(calibrating.report, found))
    return download(state.labels(conference).in_page(page.decode()), HTML, "calibration.html")


@router.get("/paper", summary="All about one paper")
async def conference_paper(conference: ConferenceId, paper: Id, state: StateOf) -> Any:
    """Its reviewers, their scores, its calibrated score and probability of acceptance, and its reviews."""
    return await state.lookups.run(lambda: paper_view(state.conflicts.view(conference), paper))
