"""`POST /calibration`: the scores of reviews, corrected for harsh and mild reviewers, with pictures."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.plots import draw_all
from eval.calibration.report import html_report
from eval.calibration.reviews import read_reviews
from eval.calibration.summary import PaperRow, ReviewerRow, Summary, summarise
from panelist.app.web import limits
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.routes.state import StateOf
from panelist.errors import InputError

router = APIRouter(tags=["evaluation"])

Result = TypeVar("Result")

_CSV = {
    "requestBody": {
        "required": True,
        "description": "A CSV file with the columns paper, reviewer and score, and any further ones.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }
}


class Picture(BaseModel):
    """A plot."""

    name: str
    png: str = Field(description="The image, in base64.")


class Calibration(BaseModel):
    """The calibrated scores: papers from the best to the worst, reviewers by rising offset."""

    mu: float
    alpha_f: float
    alpha_b: float
    sigma2: float
    nll: float
    covariates: dict[str, dict[str, Any]]
    messages: list[str]
    reviews: int
    accepted: int
    papers: tuple[PaperRow, ...]
    reviewers: tuple[ReviewerRow, ...]
    grey_zone: list[str]
    pictures: list[Picture]


@dataclass(frozen=True, slots=True)
class Settings:
    """How to calibrate, as the query says."""

    accept: Annotated[float, Query(ge=0, le=1_000_000, description="A fraction or a number of papers.")] = 0.25
    target: Annotated[Literal["reviews", "quality"], Query(description="What papers are ranked by.")] = "reviews"
    method: Literal["ml", "reml"] = "ml"
    covariate: Annotated[list[str] | None, Query(max_length=8)] = None
    confidence: Annotated[str | None, Query(max_length=limits.NAME)] = None
    lower_is_better: bool = False
    samples: Annotated[int, Query(ge=1, le=5_000)] = 1000
    seed: Annotated[int, Query(ge=0, le=2**32 - 1)] = 0


SettingsOf = Annotated[Settings, Depends()]


@router.post("/calibration", summary="Calibrate review scores", responses=documented(503), openapi_extra=_CSV)
async def calibration(request: Request, state: StateOf, settings: SettingsOf) -> Calibration:
    """Fits score = quality of the paper + offset of the reviewer + noise, exactly (NIPS 2014)."""
    content = await _csv(request)
    return await state.heavy.run(partial(_on_file, content, partial(_answer, settings)))


@router.post(
    "/calibration/report",
    summary="The calibration as a page to keep",
    response_class=Response,
    responses={
        **documented(503),
        200: {"description": "A self-contained page", "content": {"text/html": {"schema": {"type": "string"}}}},
    },
    openapi_extra=_CSV,
)
async def calibration_report(request: Request, state: StateOf, settings: SettingsOf) -> Response:
    """The same with tables and pictures in one HTML file."""
    content = await _csv(request)
    page = await state.heavy.run(partial(_on_file, content, lambda path: html_report(_summary(settings, path))))
    disposition = 'attachment; filename="calibration.html"'
    return Response(page, media_type="text/html; charset=utf-8", headers={"Content-Disposition": disposition})


async def _csv(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "text/csv":
        raise ProblemError(415, f"send the reviews as text/csv, received '{kind or 'no content type'}'")
    return await request.body()


def _on_file(content: bytes, work: Callable[[Path], Result]) -> Result:
    """Do the work on a temporary file, and call it 'the file' in errors."""
    with TemporaryDirectory(prefix="panelist-") as directory:
        path = Path(directory, "reviews.csv")
        path.write_bytes(content)
        try:
            return work(path)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "the file")) from error


def _summary(settings: Settings, path: Path) -> Summary:
    calibrator = ReviewCalibrator(
        method=settings.method, covariates=tuple(settings.covariate or ()), confidence=settings.confidence
    )
    return summarise(
        calibrator.fit(read_reviews(path)),
        accept=settings.accept,
        target=settings.target,
        samples=settings.samples,
        seed=settings.seed,
        lower_is_better=settings.lower_is_better,
    )


def _answer(settings: Settings, path: Path) -> Calibration:
    summary = _summary(settings, path)
    pictures = [Picture(name=name, png=base64.b64encode(png).decode()) for name, png in draw_all(summary).items()]
    return Calibration(**summary.as_json(), pictures=pictures)
