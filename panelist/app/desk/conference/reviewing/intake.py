"""Reviews that come back as CSV: read and checked at once, kept as they were sent, or refused with their lines.

They are compared with the chosen assignment whenever they are looked at, as either may change: a review by somebody who
was not assigned is odd (an emergency reviewer), a paper that the conference does not have is an error.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from eval.calibration.reviews import read_reviews
from eval.reviews.reading.files import read_review_file
from panelist.app.confined import read_as_file
from panelist.app.desk.conference.changes import By, Conferences
from panelist.app.desk.conference.contents import all_papers, load_committee
from panelist.app.desk.conference.findings import SHOWN, Finding, Oddity, RefusedError, oddity
from panelist.app.desk.conference.outcomes import chosen, chosen_pairs
from panelist.app.desk.conference.reviews import ReviewKind, ReviewRow, ReviewsRecord, missing_reviews
from panelist.app.desk.conference.scores import scored_ids
from panelist.app.desk.conference.state import Conference
from panelist.corpus.readers.rows import open_rows
from panelist.errors import InputError
from panelist.words import PaperId, PersonId, counted


def accept(
    conferences: Conferences, conference: str, kind: ReviewKind, name: str, content: bytes, **by: Unpack[By]
) -> ReviewsRecord:
    """Save a file of reviews in the place of the one before; one that cannot be used is refused with its lines."""
    record = ReviewsRecord(name, datetime.now(UTC), _read(kind, content))
    _refuse_unknown_papers(conferences.get(conference), record.rows)
    detail = {"words": f"{kind} of reviews: {record.summary}", "file": name}
    blob = conferences.blobs.put(content, ".csv")
    with conferences.change(conference, "reviews", detail, **by) as change:
        change.put(f"reviews/{kind}", blob, record)
    return record


def beside_assignment(conference: Conference, record: ReviewsRecord) -> list[Oddity]:
    """What is odd about reviews beside the chosen assignment."""
    if chosen(conference) is None:
        return [Oddity("no solution is chosen, so nothing could be compared", 1, ())]
    assigned = {(pair.paper, pair.reviewer) for pair in chosen_pairs(conference)}
    people = {*load_committee(conference), *scored_ids(conference)[1], *(reviewer for _, reviewer in assigned)}
    named = [row for row in record.rows if row.reviewer]
    strangers = [row for row in named if row.reviewer not in people]
    extra = [row for row in named if row.reviewer in people and (row.paper, row.reviewer) not in assigned]
    missing = sorted((pair.paper, pair.reviewer) for pair in missing_reviews(conference, [record]))
    return [
        *oddity("reviewers who are not on the committee", (_finding(row) for row in strangers)),
        *oddity("reviews by somebody who is not assigned to the paper", (_finding(row) for row in extra)),
        *oddity(
            "reviews that were assigned and have not come",
            (Finding.of(0, PaperId(paper), " ", PersonId(reviewer)) for paper, reviewer in missing),
        ),
    ]


def _finding(row: ReviewRow) -> Finding:
    return Finding.of(row.line, PaperId(row.paper), " ", PersonId(row.reviewer))


def _refuse_unknown_papers(conference: Conference, rows: Sequence[ReviewRow]) -> None:
    papers = all_papers(conference)
    unknown = [row for row in rows if row.paper not in papers]
    if papers and unknown:
        findings = tuple(Finding.of(row.line, f"no paper '{row.paper}' in this conference") for row in unknown[:SHOWN])
        raise RefusedError(
            f"{counted(len(unknown), 'line names', 'lines name')} a paper that this conference does not have", findings
        )


def _read(kind: ReviewKind, content: bytes) -> list[ReviewRow]:
    def read(path: Path) -> list[ReviewRow]:
        reviews: Iterable[tuple[str, str, float | None]]
        if kind == "texts":
            reviews = [(review.paper, review.reviewer, review.score) for review in read_review_file(path).reviews]
        else:
            table = read_reviews(path)
            papers, people = ([side.names[code] for code in side.codes] for side in (table.papers, table.reviewers))
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
