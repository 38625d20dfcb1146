"""What the routes of scores answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, TypeVar

from pydantic import BaseModel, Field

from panelist.app.desk.conference.inspection import FEW
from panelist.app.web.responses import Answer
from panelist.app.web.routes.conference.conflicts import TableRowOut
from panelist.records import Confidence

Row = TypeVar("Row", bound=Answer)

NEAR = Field(
    description="How many papers of the reviewer are among the nearest; 3 stands for three or more, null for unknown."
)
GRADE = Field(description="By near papers: low for one or none, medium for two, high for more.")


class ScoresOut(BaseModel):
    """The scores in numbers. A reviewer is able for a submission from the threshold on."""

    revision: int
    summary: str
    at: datetime
    computed: bool = Field(description="Whether they were computed here, not sent.")
    stale: bool = Field(description="Whether files were changed since they were computed.")
    papers: int
    reviewers: int
    pairs: int
    lowest: float
    highest: float
    threshold: float
    thin: int = Field(description=f"Submissions with fewer than {FEW} able reviewers.")
    unwanted: int = Field(description="Reviewers who are able for no submission.")
    conflicts: int
    possible_conflicts: int
    own_papers: list[tuple[str, str]] = Field(description="Submissions in a reviewer's own profile.")


class PlotOut(BaseModel):
    """The scores of each submission's best, third and tenth best reviewer; submissions by their third best."""

    papers: list[str]
    best: list[float | None]
    third: list[float | None]
    tenth: list[float | None]
    threshold: float


class PaperRowOut(Answer):
    """A submission: how many reviewers are able, and the scores of its best and third best."""

    id: str
    title: str
    able: int
    best: float | None
    third: float | None


class ReviewerRowOut(Answer):
    """A reviewer: for how many submissions they are able, their best score, and how many papers it rests on."""

    id: str
    name: str
    wanted: int
    best: float | None
    papers: int | None


class PairRowOut(Answer):
    """A pair: its score, and its rank among the reviewers of the submission."""

    paper: str
    title: str
    reviewer: str
    name: str
    score: float
    rank: int
    near_papers: int | None = NEAR
    confidence: Confidence | None = GRADE
    conflict: TableRowOut | None


class SliceOut(Answer, Generic[Row]):
    """Some rows of all."""

    total: int
    rows: list[Row]


class PaperRowsOut(SliceOut[PaperRowOut]):
    """Some submissions of all."""


class ReviewerRowsOut(SliceOut[ReviewerRowOut]):
    """Some reviewers of all."""


class PairRowsOut(SliceOut[PairRowOut]):
    """Some pairs of all."""


class PairWhyPaperOut(BaseModel):
    """A paper of the reviewer: how well it matches alone, the terms that it shares, and its best sentence."""

    id: str
    title: str
    year: int | None
    venue: str | None
    url: str | None
    match: float
    terms: list[str]
    sentence: str | None


class PairWhyOut(BaseModel):
    """Why a reviewer fits a submission."""

    paper: str
    title: str
    abstract: str
    reviewer: str
    name: str
    score: float | None
    rank: int | None
    near_papers: int | None = NEAR
    confidence: Confidence | None = GRADE
    conflict: TableRowOut | None
    profile: int = Field(description="How many papers the score rests on.")
    papers: list[PairWhyPaperOut]
    note: str
