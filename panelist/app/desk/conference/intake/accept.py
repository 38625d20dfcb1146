"""Files and people become part of a conference: read and checked first, then kept in one change, or refused."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import structs

from indexing.index import Index
from panelist.app.desk.conference import contents
from panelist.app.desk.conference.changes import By, Conferences
from panelist.app.desk.conference.findings import Finding, Oddity, RefusedError, oddity
from panelist.app.desk.conference.intake.checks import drop_unknown_lines
from panelist.app.desk.conference.intake.committee import (
    read_committee_file,
    read_list_file,
    read_submission_file,
)
from panelist.app.desk.conference.intake.reading import MOST_REVIEWERS, Reader, limit, sent_name
from panelist.app.desk.conference.intake.tables import TABLES, read_table_file
from panelist.app.desk.conference.intake.unpack import is_zip
from panelist.app.desk.conference.scores import SCORED, keep_scores
from panelist.corpus.readers.committee import lists_people
from panelist.corpus.readers.report import FileUse, watch_files
from panelist.corpus.readers.rows import read_text
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import counted, first_of
from retriever.assignment.reading.scores import read_scores
from retriever.conference.matching import PeopleMatcher

READERS: dict[str, Reader] = {
    "submissions": read_submission_file,
    "committee": read_committee_file,
    **{kind: partial(read_table_file, kind) for kind in TABLES},
}
"""The reader of each kind."""

OPENREVIEW = "openreview"  # OpenReview's folder as a zip file: submissions and committee at once

_BESIDE = {"committee": (contents.PROFILES,), "scores": (SCORED,)}
"""What is kept beside a file: the papers of a committee that came with them, how scores were computed."""
_LONGEST_NAME = 80


def plain_name(name: str) -> str:
    """A harmless name for a file that somebody sent, with its ending."""
    base = name.replace("\\", "/").rpartition("/")[2]
    harmless = "".join(letter if letter.isalnum() or letter in "._-+ ()~" else "_" for letter in base).strip(". ")
    return harmless[-_LONGEST_NAME:].lstrip(". ") or "file"


def accept(
    conferences: Conferences,
    conference: str,
    kind: str,
    sent: Path,
    corpus: CorpusStore,
    index: Index | None = None,
    role: str = "",
    **by: Unpack[By],
) -> None:
    """Read a file that lies in a directory of its own, and keep it; it replaces the one of its kind.

    Names and addresses of a committee are looked up in the corpus by the index. People of one `role` replace those of
    this role only.
    """
    with sent.open("rb") as file:
        digest = file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    kinds: Sequence[str] = ("submissions", "committee") if kind == OPENREVIEW else (kind,)
    records, moment, size = {}, datetime.now(UTC), sent.stat().st_size
    target = sent.with_name("kept")
    target.mkdir()
    for name in kinds:
        try:
            with watch_files() as files:
                if name == "committee" and index is not None and (role or _lists_people(sent)):
                    stored = conferences.get(conference)
                    before, matcher = contents.remembered_people(stored), PeopleMatcher(index, corpus)
                    if role and contents.load_committee(stored) and not (everybody := contents.load_roster(stored)):
                        raise InputError("the committee came with ids or papers: give roles in a table of people")
                    reading = read_list_file(sent, target, matcher, before, role, everybody if role else ())
                else:
                    reading = READERS[name](sent, target, corpus)
        except RefusedError:
            raise
        except InputError as error:
            raise RefusedError(str(error).replace(f"{sent.parent}/", "")) from error
        odd = (*reading.odd, *_unused(files, sent))
        records[name] = contents.FileRecord(sent.name, moment, size, digest, reading.summary, odd)
    blobs = {file.stem: conferences.blobs.put(file, file.suffix) for file in target.iterdir() if file.stem != "scores"}
    if (scores := target / "scores.csv").exists():
        blobs["scores"] = keep_scores(conferences.blobs, read_scores(scores))
    detail = {"file": kind, "name": sent.name, "summary": "; ".join(record.summary for record in records.values())}
    with conferences.change(conference, "file added", detail, **by) as change:
        for name, record in records.items():
            change.put(name, blobs[name], record)
            if name == "committee" and contents.ROSTER in blobs:
                change.put(contents.ROSTER, blobs[contents.ROSTER])
            for companion in _BESIDE.get(name, ()):
                change.put(companion, blobs[companion]) if companion in blobs else change.remove(companion)


def _unused(files: Mapping[Path, FileUse], sent: Path) -> Iterator[Oddity]:
    """What no reader used of the files, said as the command line says it."""
    findings = (
        Finding.of(0, words, file="" if path == sent else sent_name(f"{path}", sent.parent))
        for path, use in files.items()
        for words in use.words()
    )
    return oddity("parts that this file is not read for", findings)


def _lists_people(sent: Path) -> bool:
    try:
        return not is_zip(sent) and lists_people(read_text(sent))
    except (InputError, csv.Error):  # its reader says what is wrong
        return False


def remove(conferences: Conferences, conference: str, kind: str, **by: Unpack[By]) -> None:
    """Take a file away."""
    with conferences.change(conference, "file removed", {"file": kind}, **by) as change:
        contents.file_record(change.before, kind)
        for name in (kind, *_BESIDE.get(kind, ())):
            change.remove(name)


def leave_out(conferences: Conferences, conference: str, kind: str, *, revision: int | None, actor: str) -> int:
    """Take the lines out of a file that name papers or reviewers who are not there; how many these were."""
    before = conferences.get(conference)
    record = contents.file_record(before, kind)
    content, lines = drop_unknown_lines(before, kind)
    if not content:
        raise InputError("no line names papers and reviewers who are there: remove the file instead")
    shorter = structs.replace(record, summary=f"{record.summary}; {counted(lines, 'line')} left out")
    detail, blob = {"file": kind, "lines": lines}, conferences.blobs.put(content, ".csv")
    revision = revision or before.revision
    with conferences.change(conference, "lines left out", detail, revision=revision, actor=actor) as change:
        change.put(kind, blob, shorter)
    return lines


def add_members(
    conferences: Conferences, conference: str, people: Sequence[str], corpus: CorpusStore, **by: Unpack[By]
) -> None:
    """Add people of the corpus to a committee; one that came with its papers gets theirs, too."""
    written = corpus.papers_of(list(people))
    if unknown := [person for person in people if not written.get(person)]:
        raise InputError(f"{counted(len(unknown), 'id')} without any paper in the corpus: {first_of(unknown)}")
    detail: dict[str, str] = {}
    with conferences.change(conference, "people added", detail, **by) as change:
        before, blobs = change.before, conferences.blobs
        members = contents.load_committee(before)
        if not members:
            raise InputError("this conference has no committee yet: add it on the page Files first")
        known_people = {*members, *(key for member in contents.load_members(before).values() for key in member.aliases)}
        new = [person for person in dict.fromkeys(people) if person not in known_people]
        limit(len(members) + len(new), MOST_REVIEWERS, "reviewers")
        if profiles := before.part(contents.PROFILES).blob:
            papers = corpus.papers([paper for person in new for paper in written[person]]).values()
            lines = b"".join(msgspec.json.encode(paper) + b"\n" for paper in papers)
            change.put(contents.PROFILES, blobs.put(blobs.read(profiles) + lines, ".jsonl"))
        record = contents.file_record(before, "committee")
        # Another digest says that the scores are of fewer people.
        digest = blake2b(f"{record.digest} {new}".encode(), digest_size=16).hexdigest()
        added = counted(len(new), "person", "people")
        detail["words"] = f"{added} added to the committee: {first_of(new)}"
        blob = blobs.put("".join(f"{person}\n" for person in (*members, *new)).encode(), ".txt")
        change.put(
            "committee", blob, structs.replace(record, digest=digest, summary=f"{record.summary}; {added} added")
        )
