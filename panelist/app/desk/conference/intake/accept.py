"""Files and people become part of a conference: read and checked first, then kept in one change, or refused."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import structs

from panelist.app.desk.conference.files import (
    FILE_NAMES,
    RECORDS,
    FileRecord,
    load_committee,
    profiles_path,
    read_records,
    records_with,
    write_records,
)
from panelist.app.desk.conference.intake.checks import leave_out_unknown
from panelist.app.desk.conference.intake.committee import read_committee_file, read_submission_file
from panelist.app.desk.conference.intake.reading import MOST_REVIEWERS, Reader, RefusedError, limit, write
from panelist.app.desk.conference.intake.tables import TABLES, read_table_file
from panelist.app.desk.conference.staging import scratch
from panelist.app.desk.conference.store import By, Conferences
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import counted, first_of

READERS: dict[str, Reader] = {
    "submissions": read_submission_file,
    "committee": read_committee_file,
    **{kind: partial(read_table_file, kind) for kind in TABLES},
}
"""The reader of each kind."""

OPENREVIEW = "openreview"  # OpenReview's folder as a zip file: submissions and committee at once

_LONGEST_NAME = 80


def plain_name(name: str) -> str:
    """A harmless name for a file that somebody sent, with its ending."""
    base = name.replace("\\", "/").rpartition("/")[2]
    harmless = "".join(letter if letter.isalnum() or letter in "._-+ ()~" else "_" for letter in base).strip(". ")
    return harmless[-_LONGEST_NAME:].lstrip(". ") or "file"


def accept(
    conferences: Conferences, conference: str, kind: str, sent: Path, corpus: CorpusStore, **by: Unpack[By]
) -> None:
    """Read a file that lies in a directory from `scratch`, and keep it; it replaces the one of its kind."""
    with sent.open("rb") as file:
        digest = file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    kinds: Sequence[str] = ("submissions", "committee") if kind == OPENREVIEW else (kind,)
    records, now, size = {}, datetime.now(UTC), sent.stat().st_size
    target = sent.with_name("kept")
    target.mkdir()
    for part in kinds:
        try:
            reading = READERS[part](sent, target, corpus)
        except RefusedError:
            raise
        except InputError as error:
            raise RefusedError(str(error).replace(f"{sent.parent}/", "")) from error
        records[part] = FileRecord(sent.name, now, size, digest, reading.summary, reading.odd)
    detail = {"file": kind, "name": sent.name, "summary": "; ".join(record.summary for record in records.values())}
    with conferences.change(conference, "file added", detail, **by) as (_, before, stage):
        stage.take(target, (name for part in kinds for name in FILE_NAMES[part]))
        write_records(stage.file(RECORDS), read_records(before) | records)


def remove(conferences: Conferences, conference: str, kind: str, **by: Unpack[By]) -> None:
    """Take a file away."""
    with conferences.change(conference, "file removed", {"file": kind}, **by) as (_, before, stage):
        records = records_with(before, kind)
        for name in FILE_NAMES[kind]:
            stage.remove(name)
        write_records(stage.file(RECORDS), {other: record for other, record in records.items() if other != kind})


def leave_out(conferences: Conferences, conference: str, kind: str, *, revision: int | None, who: str) -> int:
    """Take the lines out of a file that name papers or reviewers who are not there; how many these were."""
    before = conferences.get(conference)
    records = records_with(before, kind)
    with scratch(before.path) as folder:
        lines = leave_out_unknown(before, kind, folder / f"{kind}.csv")
        if not (folder / f"{kind}.csv").stat().st_size:
            raise InputError("no line names papers and reviewers who are there: remove the file instead")
        changed = structs.replace(records[kind], summary=f"{records[kind].summary}; {counted(lines, 'line')} left out")
        detail = {"file": kind, "lines": lines}
        change = conferences.change(conference, "lines left out", detail, revision=revision or before.revision, who=who)
        with change as (_, _, stage):
            (folder / f"{kind}.csv").replace(stage.file(f"{kind}.csv"))
            write_records(stage.file(RECORDS), records | {kind: changed})
    return lines


def add_members(
    conferences: Conferences, conference: str, people: Sequence[str], corpus: CorpusStore, **by: Unpack[By]
) -> None:
    """Add people of the corpus to a committee; one that came with its papers gets theirs, too."""
    written = corpus.papers_of(list(people))
    if unknown := [person for person in people if not written.get(person)]:
        raise InputError(f"{counted(len(unknown), 'id')} without any paper in the corpus: {first_of(unknown)}")
    detail: dict[str, str] = {}
    with conferences.change(conference, "people added", detail, **by) as (_, before, stage):
        members = load_committee(before)
        if not members:
            raise InputError("this conference has no committee yet: add it on the page Files first")
        new = [person for person in dict.fromkeys(people) if person not in set(members)]
        limit(len(members) + len(new), MOST_REVIEWERS, "reviewers")
        write(stage.file("committee.txt"), (f"{person}\n".encode() for person in (*members, *new)))
        if profiles_path(before).exists():
            papers = corpus.papers([paper for person in new for paper in written[person]]).values()
            old = profiles_path(before).read_bytes().splitlines(keepends=True)
            write(stage.file("profiles.jsonl"), (*old, *(msgspec.json.encode(paper) + b"\n" for paper in papers)))
        records = records_with(before, "committee")
        record = records["committee"]
        # Another digest says that the scores are of fewer people.
        digest = blake2b(f"{record.digest} {new}".encode(), digest_size=16).hexdigest()
        added = counted(len(new), "person", "people")
        detail["words"] = f"{added} added to the committee: {first_of(new)}"
        changed = structs.replace(record, digest=digest, summary=f"{record.summary}; {added} added")
        write_records(stage.file(RECORDS), records | {"committee": changed})
