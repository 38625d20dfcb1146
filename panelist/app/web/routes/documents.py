"""`POST /pdf`, `POST /bibliography`: what a manuscript is about, and what it cites, from files."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from panelist.app import limits
from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.confined.pdf import extract
from panelist.app.web.bodies import BINARY, check_type, described_body
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf
from panelist.corpus.readers.bibliography import parse_bibliography
from panelist.corpus.readers.bibliography.printed import as_line

KINDS = {
    "application/x-bibtex": ".bib",
    "application/x-research-info-systems": ".ris",
    "application/nbib": ".nbib",
}
"""Files of references by their content types."""

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


@router.post(
    "/bibliography",
    summary="Read what a manuscript cites from BibTeX, RIS or PubMed's format",
    openapi_extra=described_body(BINARY, *KINDS),
)
async def bibliography(request: Request, state: StateOf) -> list[str]:
    """The references as printed lines, for the `references` of a submission. The file is not kept."""
    suffix = KINDS[check_type(request, "the bibliography", *KINDS)]
    content = await request.body()
    found = await state.heavy.run(lambda: parse_bibliography(content, f"bibliography{suffix}", suffix))
    return [as_line(one)[: limits.REFERENCE] for one in found[: limits.REFERENCES]]
