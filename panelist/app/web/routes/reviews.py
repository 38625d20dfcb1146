"""`POST /reviews/check`: what reviews say and leave out; and the same as tables, for the chair and for authors."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response

from eval.reviews.checks import exports
from eval.reviews.checks.check import Check, check_reviews
from eval.reviews.reading.files import read_review_file
from eval.reviews.tagging.tagger import Tagger
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.routes.state import StateOf
from panelist.errors import InputError

router = APIRouter(tags=["reviews"])

_TYPES = {"text/csv": "reviews.csv", "application/json": "reviews.json", "application/x-ndjson": "reviews.jsonl"}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "Reviews with paper and text, and perhaps id, reviewer, score; or OpenReview's notes.",
        "content": {name: {"schema": {"type": "string"}} for name in _TYPES},
    }
}
Exact = Annotated[bool, Query(description="Tag with MiniLM too: more exact, and many times slower.")]
Hints = Annotated[bool, Query(description="Look for hints too; they come with their error rates.")]
Kind = Annotated[Literal["authors", "sentences", "chair"], Query(description="Only the chair's table has flags.")]


@router.post(
    "/reviews/check",
    summary="Check reviews",
    response_model=dict[str, Any],
    responses=documented(503),
    openapi_extra=_BODY,
)
async def check(request: Request, state: StateOf, exact: Exact = False, hints: Hints = False) -> Response:
    """Tags, omissions, disagreement, wrong papers, shared text and habits. For the chair; nothing of it is kept."""
    name, content = await _file(request)

    def work() -> bytes:  # written here, too: as a whole conference it would keep the event loop
        return orjson.dumps(exports.plain(_check(name, content, exact, hints)), option=orjson.OPT_NON_STR_KEYS)

    return Response(await state.heavy.run(work), media_type="application/json")


@router.post(
    "/reviews/export",
    summary="Checked reviews as a table",
    response_class=Response,
    responses={
        **documented(503),
        200: {"description": "A CSV file", "content": {"text/csv": {"schema": {"type": "string"}}}},
    },
    openapi_extra=_BODY,
)
async def export(request: Request, state: StateOf, kind: Kind = "authors", exact: Exact = False) -> Response:
    """Tables for authors and of sentences carry no flag about a reviewer."""
    name, content = await _file(request)
    write = {"authors": exports.authors_csv, "sentences": exports.sentences_csv, "chair": exports.chair_csv}[kind]
    table = await state.heavy.run(lambda: write(_check(name, content, exact, False)))
    disposition = f'attachment; filename="reviews-{kind}.csv"'
    return Response(table, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": disposition})


async def _file(request: Request) -> tuple[str, bytes]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TYPES:
        raise ProblemError(415, f"send the reviews as {' or '.join(_TYPES)}, received '{kind or 'no content type'}'")
    return _TYPES[kind], await request.body()


def _check(name: str, content: bytes, exact: bool, hints: bool) -> Check:
    with TemporaryDirectory(prefix="panelist-") as directory:
        path = Path(directory, name)
        path.write_bytes(content)
        try:
            file = read_review_file(path)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "the file")) from error
    return check_reviews(file, _tagger(exact), hints=hints)


@lru_cache(maxsize=2)
def _tagger(exact: bool) -> Tagger:
    return Tagger.load(fast=not exact)
