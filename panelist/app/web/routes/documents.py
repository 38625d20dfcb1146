"""`POST /pdf`: title, authors, abstract and references of a manuscript."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.confined.pdf import extract
from panelist.app.web.bodies import BINARY, check_type, described_body
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


class Manuscript(BaseModel):
    """What was read from a PDF file; empty where nothing was found."""

    title: str
    authors: list[str]
    abstract: str
    references: list[str]
    pages: int


@router.post(
    "/pdf",
    summary="Read title, authors, abstract and references from a PDF file",
    openapi_extra=described_body(BINARY, "application/pdf"),
)
async def pdf(request: Request, state: StateOf) -> Manuscript:
    """A guess to be checked by eye. The file is read by a process of its own with little time and memory, not kept."""
    check_type(request, "the manuscript", "application/pdf")
    content = await request.body()
    return Manuscript(**await state.heavy.run(lambda: extract(content)))
