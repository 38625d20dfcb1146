"""`POST /calibration` and `/reviews/check`: scores corrected for their reviewers; what reviews say and leave out."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from eval.calibration.summary import CalibrationSummary
from eval.reviews.checks.exports import ReviewCheck
from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.confined.reviews import CalibrationIn, calibrate, check_file
from panelist.app.web.bodies import (
    CSV_FILE,
    HTML_FILE,
    JSON,
    TEXT,
    body_of,
    described_body,
    download,
    named_content_of,
)
from panelist.app.web.problems import documented
from panelist.app.web.routes.state import StateOf, in_threads

router = APIRouter(tags=["evaluation"], responses=documented(503), dependencies=[needs(Permission.LOOK)])

CSV_BODY = described_body(
    TEXT, "text/csv", description="CSV with a header: paper, reviewer, score, and further columns, such as text."
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
CsvReviews = Annotated[bytes, body_of("the reviews", "text/csv")]


@router.post("/calibration", summary="Calibrate review scores", response_model=Calibration, openapi_extra=CSV_BODY)
@in_threads("heavy")
def calibrate_reviews(content: CsvReviews, state: StateOf, settings: SettingsOf) -> Response:
    """Fits score = quality of the paper + offset of the reviewer + noise, exactly (NIPS 2014)."""
    return Response(calibrate(content, settings, "answer"), media_type=JSON)


@router.post("/calibration/report", summary="The calibration as a page", openapi_extra=CSV_BODY, **HTML_FILE)
@in_threads("heavy")
def calibration_report(content: CsvReviews, state: StateOf, settings: SettingsOf) -> Response:
    """The same with tables and pictures in one HTML file."""
    return download(calibrate(content, settings, "report"), "calibration.html")


_TYPES = {"text/csv": "reviews.csv", "application/json": "reviews.json", "application/x-ndjson": "reviews.jsonl"}
_BODY = described_body(
    TEXT, *_TYPES, description="Reviews with paper and text, and perhaps id, reviewer, score; or OpenReview's notes."
)
ReviewFile = Annotated[tuple[bytes, str], named_content_of("the reviews", _TYPES)]
Exact = Annotated[bool, Query(description="Tag with MiniLM too: more exact, and many times slower.")]
Hints = Annotated[bool, Query(description="Look for hints too; they come with their error rates.")]
Kind = Annotated[Literal["authors", "sentences", "chair"], Query(description="Only the chair's table has flags.")]


@router.post("/reviews/check", summary="Check reviews", response_model=ReviewCheck, openapi_extra=_BODY)
@in_threads("heavy")
def check_reviews(file: ReviewFile, state: StateOf, exact: Exact = False, hints: Hints = False) -> Response:
    """Tags, omissions, disagreement, wrong papers, shared text and habits. For the chair; nothing of it is stored."""
    return Response(check_file(*file, "answer", exact=exact, hints=hints), media_type=JSON)


@router.post("/reviews/export", summary="Checked reviews as a table", openapi_extra=_BODY, **CSV_FILE)
@in_threads("heavy")
def export_checked_reviews(file: ReviewFile, state: StateOf, kind: Kind = "authors", exact: Exact = False) -> Response:
    """Tables for authors and of sentences carry no flag about a reviewer."""
    return download(check_file(*file, kind, exact=exact), f"reviews-{kind}.csv")
