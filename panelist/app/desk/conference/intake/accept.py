"""A file that was sent becomes part of a conference: read and checked first, then kept in one change, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b, file_digest
from pathlib import Path

from msgspec import structs

from panelist.app.desk.conference.files import KEPT, RECORDS, FileRecord, read_records, records_with, write_records
from panelist.app.desk.conference.intake.checks import leave_out_unknown
from panelist.app.desk.conference.intake.committee import read_committee_file
from panelist.app.desk.conference.intake.findings import RefusedError
from panelist.app.desk.conference.intake.reading import Reader
from panelist.app.desk.conference.intake.submissions import read_submission_file
from panelist.app.desk.conference.intake.tables import (
    read_bid_file,
    read_constraint_file,
    read_demand_file,
    read_people_file,
    read_quota_file,
    read_score_file,
)
from panelist.app.desk.conference.scratch import scratch
from panelist.app.desk.conference.store import Conferences
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import counted

READERS: dict[str, Reader] = {
    "submissions": read_submission_file,
    "committee": read_committee_file,
    "constraints": read_constraint_file,
    "bids": read_bid_file,
    "quotas": read_quota_file,
    "demands": read_demand_file,
    "reviewers": read_people_file,
    "scores": read_score_file,
}
"""The reader of each kind."""

OPENREVIEW = "openreview"
"""OpenReview's folder as a zip file: submissions and committee at once."""

_LONGEST_NAME = 80


def plain_name(name: str) -> str:
    """A harmless name for a file that somebody sent, with its ending."""
    base = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(one if one.isalnum() or one in "._-+ ()~" else "_" for one in base).strip(". ")
    return kept[-_LONGEST_NAME:].lstrip(". ") or "file"


def accept(
    conferences: Conferences,
    conference: str,
    kind: str,
    sent: Path,
    corpus: CorpusStore,
    *,
    revision: int | None = None,
    who: str = "",
) -> None:
    """Read a file that lies in a directory from `scratch`, and keep it; it replaces the one of its kind.

    Raises:
        RefusedError: it cannot be used; the message and the findings say where and why.
    """
    digest, size = _digest(sent), sent.stat().st_size
    kinds: Sequence[str] = ("submissions", "committee") if kind == OPENREVIEW else (kind,)
    made, now = {}, datetime.now(UTC)
    kept = sent.with_name("kept")
    kept.mkdir()
    for one in kinds:
        try:
            reading = READERS[one](sent, kept, corpus)
        except RefusedError:
            raise
        except InputError as error:
            raise RefusedError(str(error).replace(f"{sent.parent}/", "")) from error
        made[one] = FileRecord(sent.name, now, size, digest, reading.summary, reading.odd)
    detail = {"file": kind, "name": sent.name, "summary": "; ".join(one.summary for one in made.values())}
    with conferences.change(conference, "file added", detail, revision=revision, who=who) as (_, before, stage):
        stage.take(kept, (name for one in kinds for name in KEPT[one]))
        write_records(stage.file(RECORDS), read_records(before) | made)


def remove(conferences: Conferences, conference: str, kind: str, *, revision: int | None = None, who: str = "") -> None:
    """Take a file away."""
    change = conferences.change(conference, "file removed", {"file": kind}, revision=revision, who=who)
    with change as (_, before, stage):
        records = records_with(before, kind)
        for name in KEPT[kind]:
            stage.remove(name)
        write_records(stage.file(RECORDS), {one: record for one, record in records.items() if one != kind})


def leave_out(conferences: Conferences, conference: str, kind: str, *, revision: int | None, who: str) -> int:
    """Take the lines out of a file that name papers or reviewers who are not there; how many these were.

    Raises:
        InputError: nothing would be left of the file.
    """
    asked = conferences.get(conference)
    records = records_with(asked, kind)
    with scratch(asked) as folder:
        lines = leave_out_unknown(asked, kind, folder / f"{kind}.csv")
        if not (folder / f"{kind}.csv").stat().st_size:
            raise InputError("no line names papers and reviewers who are there: remove the file instead")
        changed = structs.replace(records[kind], summary=f"{records[kind].summary}; {counted(lines, 'line')} left out")
        detail = {"file": kind, "lines": lines}
        change = conferences.change(conference, "lines left out", detail, revision=revision or asked.revision, who=who)
        with change as (_, _, stage):
            (folder / f"{kind}.csv").replace(stage.file(f"{kind}.csv"))
            write_records(stage.file(RECORDS), records | {kind: changed})
    return lines


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
