"""`POST /calibration` and `/reviews/check`: scores corrected for their reviewers; what reviews say and leave out."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from eval.calibration.summary import CalibrationSummary
from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.confined.calibration import CalibrationIn, calibrate
from panelist.app.confined.reviews import check as check_file
from panelist.app.web.bodies import CSV, HTML, JSON, TEXT, check_type, described_body, described_file, download
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf

router = APIRouter(tags=["evaluation"], responses=documented(503), dependencies=[needs(Permission.LOOK)])

_REVIEWS = described_body(
    TEXT, "text/csv", description="A CSV file with the columns paper, reviewer and score, and any further ones."
)


@dataclass(frozen=True, slots=True)
class Calibration(CalibrationSummary):
    """The calibrated scores: papers from the best to the worst, reviewers by rising offset, ids of the grey zone."""

    grey_zone: list[str] = field(default_factory=list)  # type: ignore[assignment]  # rows there, ids in the answer


def _settings(
    accept: Annotated[float, Query(ge=0, le=1_000_000, description="A fraction or a number of papers.")] = 0.25,
    target: Annotated[Literal["reviews", "quality"], Query(description="What papers are ranked by.")] = "reviews",
    method: Literal["ml", "reml"] = "ml",
    covariate: Annotated[list[str] | None, Query(max_length=8)] = None,
    confidence: Annotated[str | None, Query(max_length=limits.NAME)] = None,
    lower_is_better: bool = False,
    samples: Annotated[int, Query(ge=1, le=5_000)] = 1000,
    seed: Annotated[int, Query(ge=0, le=2**32 - 1)] = 0,
) -> CalibrationIn:
    """How to calibrate, as the query says."""
    return CalibrationIn(accept, target, method, tuple(covariate or ()), confidence, lower_is_better, samples, seed)


SettingsOf = Annotated[CalibrationIn, Depends(_settings)]


@router.post("/calibration", summary="Calibrate review scores", response_model=Calibration, openapi_extra=_REVIEWS)
async def calibration(request: Request, state: StateOf, settings: SettingsOf) -> Response:
    """Fits score = quality of the paper + offset of the reviewer + noise, exactly (NIPS 2014)."""
    check_type(request, "the reviews", "text/csv")
    content = await request.body()
    answer = await state.heavy.run(partial(calibrate, content, settings, "answer"))
    return Response(answer, media_type=JSON)


@router.post(
    "/calibration/report",
    summary="The calibration as a page to keep",
    response_class=Response,
    responses=described_file("A self-contained page", "text/html"),
    openapi_extra=_REVIEWS,
)
async def calibration_report(request: Request, state: StateOf, settings: SettingsOf) -> Response:
    """The same with tables and pictures in one HTML file."""
    check_type(request, "the reviews", "text/csv")
    content = await request.body()
    page = await state.heavy.run(partial(calibrate, content, settings, "report"))
    return download(page, HTML, "calibration.html")


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
