"""`GET /desk/export`: everything that the editor's desk keeps, as a file."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.desk.editor.export import to_csv, to_json
from panelist.app.web.downloads import CSV, JSON, download
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf

router = APIRouter(
    tags=["editor's desk"], responses=documented(), dependencies=[needs(Permission.DESK, Permission.EDIT)]
)


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
    """Submissions with their lists, and notes. In CSV, cells that begin like a formula are made plain text."""
    content = to_json(state.desk) if form == "json" else to_csv(state.desk).encode()
    return download(content, JSON if form == "json" else CSV, f"desk.{form}")
