"""Everything that the editor's desk keeps, as one file: JSON for programs, a table for spreadsheets; and back."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import orjson

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import read_notes
from panelist.app.desk.editor.records import KeptReviewer, KeptSubmission, Note
from panelist.app.desk.editor.submissions import read_all, write_submission
from panelist.errors import InputError
from panelist.records import Conflict
from panelist.spreadsheet import write_table

COLUMNS = (
    *("submission", "number", "title", "kept", "changed", "person", "name", "state", "added", "invited", "answered"),
    *("due", "reminder", "note", "conflict"),
)


def to_json(desk: Desk) -> bytes:
    """All submissions with what was looked up and who is in their lists, and all notes."""
    submissions, notes = _everything(desk)
    content = {
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "submissions": [_with_look_up(one) for one in submissions],
        "notes": [dataclasses.asdict(note) for note in notes],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2)


def from_json(desk: Desk, content: bytes) -> tuple[int, int]:
    """Bring back what `to_json` wrote: how many submissions and notes; all of it or nothing.

    Raises:
        InputError: it is not such a file, or something in it is kept here already.
    """
    try:
        exported = orjson.loads(content)
        submissions = [
            msgspec.convert({**one, "request": _request(one)}, KeptSubmission) for one in exported["submissions"]
        ]
        notes = msgspec.convert(exported["notes"], list[Note])
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"this is no export of a desk (JSON): {error}") from error
    with desk.file.writing() as connection:
        kept = {one.id for one in read_all(connection)} & {one.id for one in submissions}
        noted = {one.person for one in read_notes(connection)} & {one.person for one in notes}
        if kept or noted:
            first = f"submission '{min(kept)}'" if kept else f"a note about '{min(noted)}'"
            raise InputError(f"{first} is kept here already: forget it first, or use another workspace")
        for one in submissions:
            write_submission(connection, one)
        connection.executemany("INSERT INTO note VALUES (?, ?, ?, ?, ?)", map(dataclasses.astuple, notes))
    return len(submissions), len(notes)


def _request(exported: dict[str, Any]) -> str:
    return orjson.dumps({"submission": exported["submission"], "options": exported["options"]}).decode()


ConflictsOf = Callable[[KeptSubmission, Sequence[str]], Mapping[str, Sequence[Conflict]]]
"""Finds the conflicts of interest of a submission with people, by id."""


def to_csv(desk: Desk, conflicts_of: ConflictsOf | None) -> str:
    """A row for each person in each list, for each submission without a list, and for each note of somebody in none.

    Args:
        desk: what is kept.
        conflicts_of: None where there is no index to look in, which the rows say.
    """
    submissions, notes = _everything(desk)
    texts = {note.person: note.text for note in notes}
    rows: list[tuple[Any, ...]] = []
    for kept in submissions:
        number = orjson.loads(kept.request)["submission"].get("id", "")
        about = (kept.id, number, kept.title, kept.created, kept.changed)
        reasons = conflicts_of(kept, [one.person for one in kept.reviewers]) if conflicts_of else {}
        for one in kept.reviewers:
            stands = (one.person, one.name, one.state.value, *_days(one), texts.get(one.person, ""))
            conflict = _words(reasons.get(one.person, ())) if conflicts_of else "not checked: there is no index"
            rows.append((*about, *stands, conflict))
        if not kept.reviewers:
            rows.append((*about, *[""] * 10))
    listed = {one.person for kept in submissions for one in kept.reviewers}
    rows += [
        (*[""] * 5, note.person, note.name, *[""] * 6, note.text, "") for note in notes if note.person not in listed
    ]
    out = io.StringIO()
    write_table(out, COLUMNS, rows)
    return out.getvalue()


def _words(reasons: Sequence[Conflict]) -> str:
    return "; ".join(f"{'' if one.certain else 'possible: '}{one.evidence}" for one in reasons)


def _days(one: KeptReviewer) -> tuple[str, ...]:
    return one.added, one.invited or "", one.answered or "", one.due or "", one.reminder or ""


def _everything(desk: Desk) -> tuple[list[KeptSubmission], list[Note]]:
    with desk.file.reading() as connection:
        return read_all(connection), read_notes(connection)


def _with_look_up(kept: KeptSubmission) -> dict[str, Any]:
    fields = dataclasses.asdict(kept)
    look_up: dict[str, Any] = orjson.loads(fields.pop("request"))
    return fields | look_up
