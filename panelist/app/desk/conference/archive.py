"""A conference as a folder of files: what an export holds, and what desks kept until version 2 of their database.

The names are those of Panelist 1.0, so that each reads what the other exported.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
import orjson

from panelist.app.desk.blobs import Blobs
from panelist.app.desk.conference import contents
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.conflicts import RULES, TABLE
from panelist.app.desk.conference.curation import curation_of
from panelist.app.desk.conference.intake.unpack import unzip
from panelist.app.desk.conference.manual import BY_HAND, ids_named, sum_changes, words_of
from panelist.app.desk.conference.outcomes import FILES, INPUTS, files_of_solution, load_solutions, row_of
from panelist.app.desk.conference.reviews import CALIBRATION, CHECK, load_calibration, load_reviews, review_content
from panelist.app.desk.conference.scores import SCORED, keep_scores, load_scores, score_record, scored_ids, scores_csv
from panelist.app.desk.conference.state import Conference, Part
from panelist.app.desk.errors import NotFoundError
from panelist.errors import InputError
from panelist.words import encoded
from retriever.assignment.reading.scores import read_scores
from retriever.conference.conflicts.table import ConflictTable, write_table

_ID = re.compile(r"[\w-]{8,40}", re.ASCII)
_REVIEWS = {"texts": "reviews.csv", "scores": "review_scores.csv"}
_OF_PEOPLE = {contents.PROFILES: "profiles.jsonl", contents.ROSTER: "people.json"}
_BLOBS = _OF_PEOPLE | {CHECK: "review_check.json", TABLE: "conflicts.jsonl"}
"""Rows whose blob is a file, for who sees everything."""
_LAST = "last solution"
_RECORDS = {RULES: "conflict_rules.json", SCORED: "scores.json", "chosen": "chosen", _LAST: "assignments/last"}
"""Rows whose record is a file."""

_OTHER_FILES = (
    *(InputError, msgspec.MsgspecError, ValueError, TypeError, AttributeError, KeyError),
    *(FileNotFoundError, IsADirectoryError, NotADirectoryError),
)
"""What an archive raises that `export` did not write, or that was edited by hand; not a disk that is full."""


class _Exported(msgspec.Struct):
    id: str
    name: str
    created: datetime
    history: list[Event]


def write_archive(conference: Conference, target: BinaryIO, conflicts: ConflictTable | None = None) -> None:
    """Write everything of a conference that may be seen as a zip file: its files, and its history.

    For who does not see everything, `conflicts` are those of what may be seen, with what they rest on.
    """
    history = [_kept_event(event, conference) for event in conference.events]
    about = {"id": conference.id, "name": conference.name, "created": conference.created, "history": history}
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        archive.writestr("conference.json", orjson.dumps(about, option=orjson.OPT_INDENT_2))
        for name, content in sorted(_files(conference)):
            archive.writestr(name, content)
        if conflicts is not None:
            with conference.blobs.incoming() as folder:
                write_table(conflicts, folder / _BLOBS[TABLE], evidence=True)
                archive.write(folder / _BLOBS[TABLE], _BLOBS[TABLE])


def _kept_event(event: Event, conference: Conference) -> dict[str, Any]:
    """An event under the number that it is kept by; of some of the events, under that by which it is seen."""
    if not conference.sight.hidden:
        return asdict(event) | {"number": event.key}
    return seen_event(event, conference)


def seen_event(event: Event, conference: Conference) -> dict[str, Any]:
    """An event with the numbers by which whoever looks sees it, and the one that it undoes."""
    detail = {name: value for name, value in event.detail.items() if name != "erased"}
    if "of" in detail:
        detail["of"] = next((other.number for other in conference.events if other.key == detail["of"]), 0)
    shown = asdict(event) | {"detail": detail}
    del shown["key"]
    return shown


def _files(conference: Conference) -> Iterator[tuple[str, bytes]]:
    everything, records = not conference.sight.hidden, contents.file_records(conference)
    for kind, name in contents.FILE_NAMES.items():
        if content := contents.file_content(conference, kind):
            yield name, content
    if records:
        yield "files.json", encoded(records)
    if scored_ids(conference)[0] and (scores := load_scores(conference)).fit is not None:
        yield "fit.csv", scores_csv(scores, fit=True)
    for row, name in _BLOBS.items():
        if (blob := conference.part(row).blob) and (everything or row in _OF_PEOPLE):
            yield name, conference.blobs.read(blob)
    if reviews := load_reviews(conference):
        yield "reviews.json", encoded(reviews)
        for kind in reviews:
            yield _REVIEWS[kind], review_content(conference, kind)
    if calibration := load_calibration(conference):
        yield "calibration.json", orjson.dumps({name: value for name, value in calibration.items() if name != "stale"})
    for row, name in _RECORDS.items():
        if row != SCORED and (text := conference.part(row).record):
            yield name, text.encode()
    if record := score_record(conference):  # of papers that may be seen
        yield _RECORDS[SCORED], encoded(record)
    plain = blake2b(contents.file_content(conference, "scores")).hexdigest()
    for solution in load_solutions(conference, figures=False):
        for name, content in files_of_solution(conference, solution.number, plain):
            yield f"assignments/{solution.number}/{name}", content


def bring_back(conferences: Conferences, archive: Path) -> Conference:
    """Make a conference again of the file that `export` wrote, with its id, its history and its files.

    Where numbers of its events are taken here, they get others, in their order, also where they are named.
    """
    with conferences.blobs.incoming() as folder:
        unzip(archive, folder)
        try:
            about = msgspec.json.decode((folder / "conference.json").read_bytes(), type=_Exported)
            if not _ID.fullmatch(about.id):
                raise InputError(f"its id is '{about.id[:80]}'")
            _check_changes(about.history)
            parts = _parts(conferences.blobs, folder)
            discarded = [event.detail.get("solution", 0) for event in about.history if event.kind == "discarded"]
            last = max([0, *map(int, discarded), orjson.loads(parts.get(_LAST, Part("", "0")).record)])
            parts |= {_LAST: Part("", str(last))} if last else {}
            conferences.bring_in(about.id, about.name, about.created, about.history, parts)
        except _OTHER_FILES as error:
            if "is here already" in str(error):
                raise
            raise InputError(f"'{archive}' is not an export of a conference: {error}") from error
    return conferences.get(about.id)


def _check_changes(events: Sequence[Event]) -> None:
    """Read all changes by hand: a history that cannot be read would be one that nobody can look at."""
    for event in events:
        if event.kind in BY_HAND:
            words_of(event, events)
            ids_named(event.detail, events)
    sum_changes(events)
    curation_of(events)


def carry_over(conferences: Conferences) -> None:
    """Put the files of conferences, which desks kept in folders until version 3, into rows and blobs.

    The folders stay until all rows of a conference are written: a process that is killed meanwhile begins again.
    """
    folders = conferences.desk.home / "conferences"
    for folder in list(folders.iterdir()) if folders.exists() else ():
        key = folder.name.removeprefix(".forgotten-")  # what was killed before its rows were deleted is still there
        with suppress(NotFoundError), conferences.note(key) as change:
            if not change.before.parts:
                _finish_change(folder)
                change.parts.update(_parts(conferences.blobs, folder))
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folders, ignore_errors=True)


def _finish_change(folder: Path) -> None:
    """Put in place what a change of the earlier form had decided when its process was killed."""
    for decided in sorted(folder.glob(".decided-*"), key=lambda path: int(path.name.rpartition("-")[2])):
        removed = decided / ".removed"
        for name in orjson.loads(removed.read_bytes()) if removed.exists() else ():
            path = folder / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        removed.unlink(missing_ok=True)
        for file in decided.iterdir():
            file.replace(folder / file.name)


def _parts(blobs: Blobs, folder: Path) -> dict[str, Part]:
    """The rows of a conference whose files lie in a folder."""
    records = _json(folder / "files.json")
    names = contents.FILE_NAMES
    parts = {kind: Part(_put(blobs, folder / names[kind]), _text(record)) for kind, record in records.items()}
    plain = scores = ""
    if (path := folder / names["scores"]).exists():
        fit_file, plain = folder / "fit.csv", blake2b(path.read_bytes()).hexdigest()
        table, fit = read_scores(path), read_scores(fit_file).score if fit_file.exists() else None
        # Lines of the scores may have been left out: both must be of the same pairs.
        scores = keep_scores(blobs, table, fit if fit is not None and len(fit) == len(table.score) else None)
        parts["scores"] = Part(scores, parts.get("scores", Part()).record)
    for row, name in _BLOBS.items():
        if (folder / name).exists():
            parts[row] = Part(_put(blobs, folder / name))
    for row, name in _RECORDS.items():
        if (folder / name).exists():
            parts[row] = Part("", _text(orjson.loads((folder / name).read_bytes())))
    if (folder / "assignments/.last").exists():
        parts[_LAST] = Part("", (folder / "assignments/.last").read_text())
    for kind, record in _json(folder / "reviews.json").items():
        parts[f"reviews/{kind}"] = Part(_put(blobs, folder / _REVIEWS[kind]), _text(record))
    if (folder / "calibration.json").exists():
        parts[CALIBRATION] = Part(_put(blobs, folder / "calibration.json"))
    for file in folder.glob("assignments/*/solution.json"):
        solution, number = _json(file), int(file.parent.name)
        current = bool(plain) and solution.get("scores") == plain
        parts[row_of(number)] = Part("", _text(solution | {"scores": scores if current else ""}))
        for row, name in ({"pairs": "pairs.json"} | INPUTS | dict(zip(FILES, FILES, strict=True))).items():
            if (file.parent / name).exists():
                parts[row_of(number, row)] = Part(_put(blobs, file.parent / name))
    return parts


def _put(blobs: Blobs, path: Path) -> str:
    return blobs.put(path, path.suffix)


def _json(path: Path) -> dict[str, Any]:
    """The object of a file; an empty one where there is none."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any]) if path.exists() else {}


def _text(record: object) -> str:
    return msgspec.json.encode(record).decode()
