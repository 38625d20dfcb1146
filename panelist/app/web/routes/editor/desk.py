"""`/desk/due` and `/desk/export`: reports and reminders that are due, also for calendars; and all that is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.desk.editor.deadlines import Deadline, deadlines, to_calendar
from panelist.app.desk.editor.export import to_csv, to_json
from panelist.app.web.downloads import CSV, JSON, described_file, download
from panelist.app.web.problems import documented
from panelist.app.web.routes.editor.submissions import conflicts_of
from panelist.app.web.routes.state import StateOf

router = APIRouter(
    tags=["editor's desk"], responses=documented(), dependencies=[needs(Permission.DESK, Permission.EDIT)]
)

_CALENDAR = "text/calendar; charset=utf-8"


@router.get("/desk/due", summary="What is due")
def due(state: StateOf, days: Annotated[int, Query(ge=0, le=3_660)] = 7) -> list[Deadline]:
    """Reports and reminders of the coming days and those that are overdue, the earliest first. Nothing is sent."""
    until = datetime.now().astimezone().date() + timedelta(days=days)
    return deadlines(state.desk, until)


@router.get(
    "/desk/due/calendar",
    summary="What is due, for a calendar",
    response_class=Response,
    responses=described_file("A calendar (iCalendar)", "text/calendar"),
)
def calendar(state: StateOf) -> Response:
    """All reports and reminders as whole days."""
    return download(to_calendar(deadlines(state.desk)), _CALENDAR, "due.ics")


@router.get(
    "/desk/export",
    summary="Everything that is kept, as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/csv": {"schema": {"type": "string"}},
            },
        }
    },
)
def export(state: StateOf, form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json") -> Response:
    """Submissions with their lists, and notes; in CSV with the conflicts of interest that people have today.

    In CSV, cells that begin like a formula are made plain text.
    """
    if form == "json":
        return download(to_json(state.desk), JSON, "desk.json")
    with state.service.finder() as finder:
        content = to_csv(state.desk, partial(conflicts_of, finder))
    return download(content.encode(), CSV, "desk.csv")
