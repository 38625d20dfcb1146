"""`POST /reviews/check`: what reviews say and leave out; and the same as tables, for the chair and for authors."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.confined.reviews import check as check_file
from panelist.app.web.bodies import TEXT, check_type, described_body
from panelist.app.web.downloads import CSV, JSON, described_file, download
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf

router = APIRouter(tags=["reviews"], responses=documented(503), dependencies=[needs(Permission.LOOK)])

_TYPES = {"text/csv": "reviews.csv", "application/json": "reviews.json", "application/x-ndjson": "reviews.jsonl"}
_BODY = described_body(
    TEXT, *_TYPES, description="Reviews with paper and text, and perhaps id, reviewer, score; or OpenReview's notes."
)
Exact = Annotated[bool, Query(description="Tag with MiniLM too: more exact, and many times slower.")]
Hints = Annotated[bool, Query(description="Look for hints too; they come with their error rates.")]
Kind = Annotated[Literal["authors", "sentences", "chair"], Query(description="Only the chair's table has flags.")]


@router.post("/reviews/check", summary="Check reviews", response_model=dict[str, Any], openapi_extra=_BODY)
async def check(request: Request, state: StateOf, exact: Exact = False, hints: Hints = False) -> Response:
    """Tags, omissions, disagreement, wrong papers, shared text and habits. For the chair; nothing of it is kept."""
    name = _TYPES[check_type(request, "the reviews", *_TYPES)]
    answer = await state.heavy.run(partial(check_file, await request.body(), name, "answer", exact=exact, hints=hints))
    return Response(answer, media_type=JSON)


@router.post(
    "/reviews/export",
    summary="Checked reviews as a table",
    response_class=Response,
    responses=described_file("A CSV file", "text/csv"),
    openapi_extra=_BODY,
)
async def export(request: Request, state: StateOf, kind: Kind = "authors", exact: Exact = False) -> Response:
    """Tables for authors and of sentences carry no flag about a reviewer."""
    name = _TYPES[check_type(request, "the reviews", *_TYPES)]
    table = await state.heavy.run(partial(check_file, await request.body(), name, kind, exact=exact))
    return download(table, CSV, f"reviews-{kind}.csv")
