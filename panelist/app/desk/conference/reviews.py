"""What came back from reviewers, as it is kept: the rows of files of reviews, what was calibrated and checked."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import orjson
from msgspec import Struct, structs

from eval.reviews.checks.check import PaperView
from eval.reviews.checks.content import ReviewContent
from eval.reviews.checks.exports import TaggedReviewOut
from panelist.app.confined.reviews import CalibrationIn, calibrate
from panelist.app.desk.conference.outcomes import chosen, load_pairs, load_solution
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.readers.rows import open_rows
from panelist.errors import InputError
from panelist.spreadsheet import csv_text
from panelist.words import counted
from retriever.assignment.assignment import AssignedPair

ReviewKind = Literal["texts", "scores"]
KINDS: tuple[ReviewKind, ...] = ("texts", "scores")
CALIBRATION, CHECK = "calibration", "check"


class ReviewRow(Struct, frozen=True):
    """One review as it was sent: where, of what, by whom, and its score if it has one."""

    line: int
    paper: str
    reviewer: str
    score: float | None


class ReviewsRecord(Struct, frozen=True):
    """What was sent: its name, when, and its rows."""

    name: str
    at: datetime
    rows: list[ReviewRow]

    @property
    def summary(self) -> str:
        """What was read, in words."""
        papers, people = {row.paper for row in self.rows}, {row.reviewer for row in self.rows if row.reviewer}
        scored = sum(row.score is not None for row in self.rows)
        unscored = "" if scored == len(self.rows) else f", {len(self.rows) - scored:,} of them without a score"
        return (
            f"{counted(len(self.rows), 'review')} of {counted(len(papers), 'paper')} "
            f"by {counted(len(people), 'reviewer')}{unscored}"
        )


@dataclass(frozen=True, slots=True)
class CheckedPapers:
    """What was noticed in the reviews of some papers."""

    papers: list[PaperView]
    tagged: list[TaggedReviewOut]
    contents: list[ReviewContent]


@remembered("reviews/texts", "reviews/scores")
def load_reviews(conference: Conference) -> dict[str, ReviewsRecord]:
    """What was sent, by kind."""
    sent = {kind: conference.record(f"reviews/{kind}", ReviewsRecord) for kind in KINDS}
    records: dict[str, ReviewsRecord] = {kind: record for kind, record in sent.items() if record is not None}
    if not conference.sight.hidden:
        return records
    seen = {}
    for kind, record in records.items():
        rows = [row for row in record.rows if conference.sight.shows(row.paper)]
        if rows and review_content(conference, kind):
            seen[kind] = structs.replace(
                record, rows=[structs.replace(row, line=line) for line, row in enumerate(rows, 2)]
            )
    return seen


def missing_reviews(conference: Conference, records: Iterable[ReviewsRecord]) -> list[AssignedPair]:
    """The assigned pairs that sent nothing, of roles that review; not who was assigned after the files came."""
    records = list(records)
    if not records or (number := chosen(conference)) is None:
        return []
    solution, pairs = load_solution(conference, number), load_pairs(conference, number).pairs
    sent = {(row.paper, row.reviewer) for record in records for row in record.rows}
    # A role of which nobody sent anything writes no reviews: area chairs, mostly.
    writing = {pair.role for pair in pairs if (pair.paper, pair.reviewer) in sent}
    before = solution.base is None or solution.begun <= max(record.at for record in records)
    expected = (pair for pair in pairs if pair.role in writing and (before or pair.kept))
    return [pair for pair in expected if (pair.paper, pair.reviewer) not in sent]


def review_content(conference: Conference, kind: str) -> bytes:
    """A file of reviews, without those of papers that may not be seen; empty where there is none."""
    blob = conference.part(f"reviews/{kind}").blob
    if not blob or not conference.sight.hidden:
        return conference.blobs.read(blob) if blob else b""
    header, *lines = conference.blobs.decoded(blob, _read_lines)
    record = conference.record(f"reviews/{kind}", ReviewsRecord)
    if record is None or len(lines) != len(record.rows):  # nobody knows which line is of which paper
        return b""
    lines_and_rows = zip(lines, record.rows, strict=True)
    shown = [line for line, row in lines_and_rows if conference.sight.shows(row.paper)]
    return csv_text([header, *shown]).encode() if shown else b""


def _read_lines(path: Path) -> list[list[str]]:
    with open_rows(path) as rows:
        return [row for _, row in rows.filled()]


def scored_reviews(conference: Conference) -> bytes:
    """The file whose scores are calibrated: that of scores, or else that of texts."""
    for kind in ("scores", "texts"):
        if content := review_content(conference, kind):
            return content
    raise NotFoundError("there are no scores of reviews yet: send a CSV file with paper, reviewer and score")


def calibrated(conference: Conference, settings: CalibrationIn) -> dict[str, Any]:
    """The calibrated scores, with the settings and the state of the file that they were made from."""
    answer: dict[str, Any] = orjson.loads(calibrate(scored_reviews(conference), settings, "answer"))
    digest = "" if conference.sight.hidden else scores_digest(conference)
    return answer | {"settings": asdict(settings), "of": digest}


def scores_digest(conference: Conference) -> str:
    """The digest of the file whose scores are calibrated."""
    blobs = (conference.part(f"reviews/{kind}").blob for kind in ("scores", "texts"))
    return next(filter(None, blobs), "").removesuffix(".csv")


@remembered(CALIBRATION, "reviews/texts", "reviews/scores")
def load_calibration(conference: Conference) -> dict[str, Any] | None:
    """What came out last, with `stale` where the scores are others by now; None where nothing was calibrated.

    What may be seen of it is calibrated by itself, as the scores are now: the scores of a paper move those of others.
    """
    result = conference.json(CALIBRATION, dict[str, Any])
    if result is None or not conference.sight.hidden:
        return result and result | {"stale": scores_digest(conference) != result["of"]}
    with suppress(InputError):  # too few scores are left
        return calibrated(conference, calibration_settings(conference)) | {"stale": False}
    return None


def calibration_settings(conference: Conference) -> CalibrationIn:
    """The settings of what was calibrated last."""
    result = conference.json(CALIBRATION, dict[str, Any])
    if result is None:
        raise NotFoundError("nothing is calibrated yet")
    return CalibrationIn(**result["settings"] | {"covariates": tuple(result["settings"]["covariates"])})
