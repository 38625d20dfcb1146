"""Reviews that come back as CSV: read and checked at once, kept as they were sent, or refused with their lines.

They are compared with the chosen assignment whenever they are looked at, as either may change: a review by somebody who
was not assigned is odd (an emergency reviewer), a paper that the conference does not have is an error.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Unpack

import msgspec
from msgspec import Struct

from eval.calibration.reviews import read_reviews
from eval.reviews.reading.files import read_review_file
from panelist.app.confined import read_as_file
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.files import load_committee, load_submissions, scored_ids
from panelist.app.desk.conference.intake.reading import SHOWN, Finding, Oddity, RefusedError, oddity
from panelist.app.desk.conference.store import By, Conferences, StoredConference
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.readers.rows import open_rows
from panelist.errors import InputError
from panelist.words import counted

Kind = Literal["texts", "scores"]
FILES: dict[str, str] = {"texts": "reviews.csv", "scores": "review_scores.csv"}  # what is kept of each kind
RECORDS = "reviews.json"


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
        without = "" if scored == len(self.rows) else f", {len(self.rows) - scored:,} of them without a score"
        return (
            f"{counted(len(self.rows), 'review')} of {counted(len(papers), 'paper')} "
            f"by {counted(len(people), 'reviewer')}{without}"
        )


def accept(
    conferences: Conferences, conference: str, kind: Kind, name: str, content: bytes, **by: Unpack[By]
) -> ReviewsRecord:
    """Save a file of reviews in the place of the one before; one that cannot be used is refused with its lines."""
    record = ReviewsRecord(name, datetime.now(UTC), _read(kind, content))
    _refuse_unknown_papers(conferences.get(conference), record.rows)
    detail = {"words": f"{kind} of reviews: {record.summary}", "file": name}
    with conferences.change(conference, "reviews", detail, **by) as (_, before, stage):
        stage.file(FILES[kind]).write_bytes(content)
        stage.file(RECORDS).write_bytes(msgspec.json.encode(read_all(before) | {kind: record}))
    return record


def read_all(conference: StoredConference) -> dict[str, ReviewsRecord]:
    """What was sent, by kind."""
    path = conference.path / RECORDS
    return msgspec.json.decode(path.read_bytes(), type=dict[str, ReviewsRecord]) if path.exists() else {}


def read_record(conference: StoredConference, kind: Kind) -> ReviewsRecord:
    """What was sent of one kind."""
    records = read_all(conference)
    if kind not in records:
        raise NotFoundError(f"there are no {kind} of reviews yet: send a CSV file")
    return records[kind]


def beside_assignment(conference: StoredConference, record: ReviewsRecord) -> list[Oddity]:
    """What is odd about reviews beside the chosen assignment."""
    number = solutions.chosen(conference)
    if number is None:
        return [Oddity("no solution is chosen, so nothing could be compared", 1, ())]
    pairs = solutions.read_pairs(conference, number).pairs
    assigned = {(pair.paper, pair.reviewer) for pair in pairs}
    people = {*load_committee(conference), *scored_ids(conference)[1], *(reviewer for _, reviewer in assigned)}
    sent = {(row.paper, row.reviewer) for row in record.rows}
    named = [row for row in record.rows if row.reviewer]
    strangers = [row for row in named if row.reviewer not in people]
    extra = [row for row in named if row.reviewer in people and (row.paper, row.reviewer) not in assigned]
    # A role of which nobody sent anything writes no reviews: area chairs, mostly.
    writing = {pair.role for pair in pairs if (pair.paper, pair.reviewer) in sent}
    expected = {(pair.paper, pair.reviewer) for pair in pairs if pair.role in writing}
    missing = sorted(expected - sent) if named else []
    return [
        *oddity("reviewers who are not on the committee", (_finding(row) for row in strangers)),
        *oddity("reviews by somebody who is not assigned to the paper", (_finding(row) for row in extra)),
        *oddity("assigned reviews that are not there", (Finding(0, f"{paper} {who}") for paper, who in missing)),
    ]


def _finding(row: ReviewRow) -> Finding:
    return Finding(row.line, f"{row.paper} {row.reviewer}")


def _refuse_unknown_papers(conference: StoredConference, rows: Sequence[ReviewRow]) -> None:
    papers = {*scored_ids(conference)[0], *(paper.id for paper in load_submissions(conference))}
    unknown = [row for row in rows if row.paper not in papers]
    if papers and unknown:
        findings = tuple(Finding(row.line, f"no paper '{row.paper}' in this conference") for row in unknown[:SHOWN])
        raise RefusedError(
            f"{counted(len(unknown), 'line names', 'lines name')} a paper that this conference does not have", findings
        )


def _read(kind: Kind, content: bytes) -> list[ReviewRow]:
    def read(path: Path) -> list[ReviewRow]:
        reviews: Iterable[tuple[str, str, float | None]]
        if kind == "texts":
            reviews = [(review.paper, review.reviewer, review.score) for review in read_review_file(path).reviews]
        else:
            table = read_reviews(path)
            papers, people = ([side.names[at] for at in side.codes] for side in (table.papers, table.reviewers))
            reviews = zip(papers, people, table.scores.tolist(), strict=True)
        reviews = list(reviews)
        with open_rows(path) as rows:
            lines = [line for line, _ in rows.filled()][1:]
        if len(lines) != len(reviews):
            lines = [0] * len(reviews)
        return [ReviewRow(line, *review) for line, review in zip(lines, reviews, strict=True)]

    try:
        return read_as_file(content, "the-file.csv", read)
    except InputError as error:
        message = str(error).replace("'the file'", "the file")
        if "lacks the column" in message and "text" in message.partition(":")[0]:
            message += "; scores without texts are for the page Calibration"
        raise RefusedError(message) from error
