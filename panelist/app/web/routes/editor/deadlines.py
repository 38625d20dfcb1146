"""`/desk/due`: reports and reminders that are due, and the same for calendars."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.desk.editor.deadlines import deadlines, to_calendar
from panelist.app.web.downloads import described_file, download
from panelist.app.web.problems import documented
from panelist.app.web.responses import Answer
from panelist.app.web.routes.state import StateOf

router = APIRouter(
    tags=["editor's desk"], responses=documented(), dependencies=[needs(Permission.DESK, Permission.EDIT)]
)

_CALENDAR = "text/calendar; charset=utf-8"


class DeadlineOut(Answer):
    """Something that is due of somebody who was invited: their report, or a reminder that you wanted to send."""

    day: str
    what: Literal["reminder", "report"]
    submission: str
    title: str
    person: str
    name: str


@router.get("/desk/due", summary="What is due")
def due(state: StateOf, days: Annotated[int, Query(ge=0, le=3_660)] = 7) -> list[DeadlineOut]:
    """Reports and reminders of the coming days and those that are overdue, the earliest first. Nothing is sent."""
    until = datetime.now().astimezone().date() + timedelta(days=days)
    return [DeadlineOut.of(one) for one in deadlines(state.desk, until)]


@router.get(
    "/desk/due/calendar",
    summary="What is due, for a calendar",
    response_class=Response,
    responses=described_file("A calendar (iCalendar)", "text/calendar"),
)
def calendar(state: StateOf) -> Response:
    """All reports and reminders as whole days."""
    return download(to_calendar(deadlines(state.desk)), _CALENDAR, "due.ics")
