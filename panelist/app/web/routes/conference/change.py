"""What the routes of a conference share: their address, who changes what from which revision, and slices of lists."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.changes import By
from panelist.app.desk.conference.view import Look
from panelist.app.web.problems import documented
from panelist.app.web.records import RecordRoute

ConferenceId = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
_REVISION = "What you changed from: 409 where the conference has another by now; without it, whatever is there."


def _change(
    request: Request,
    revision: Annotated[int | None, Query(ge=1, le=2**53, description=_REVISION)] = None,
    who: Annotated[str, Query(max_length=limits.WHO, description="Whose change; a user's own name goes before.")] = "",
) -> By:
    viewer = request.scope.get("viewer")
    return By(revision=revision, actor=viewer.name if viewer else " ".join(who.split()))


ChangeOf = Annotated[By, Depends(_change)]


def _look(
    search: Annotated[str, Query(max_length=limits.NAME, description="In titles, names, ids and reasons.")] = "",
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Look:
    return Look(search, offset, limit)


LookOf = Annotated[Look, Depends(_look)]
Name = Annotated[str, Query(min_length=1, max_length=limits.ID)]
QueriedId = Annotated[
    str, Query(alias="id", min_length=1, max_length=limits.ID, description="Of a paper or a reviewer.")
]


def conference_router(changing: Permission = Permission.WHOLE) -> APIRouter:
    """Routes below one conference, with the problems that they answer with, and what a change needs."""
    return APIRouter(
        prefix="/conferences/{conference}",
        tags=["conferences"],
        responses=documented(404, 409, 429, 503),
        dependencies=[needs(Permission.READ, changing)],
        route_class=RecordRoute,
    )
