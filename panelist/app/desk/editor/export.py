"""What the editor takes away: everything as JSON or as a table, and back; what is due, as a list and for calendars."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from typing import Any, Literal

import msgspec
import orjson

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import read_addresses, read_notes
from panelist.app.desk.editor.records import WITH_DEADLINE, Address, Note, SavedSubmission
from panelist.app.desk.editor.submissions import read_all, write_submission
from panelist.errors import InputError
from panelist.records import Conflict
from panelist.spreadsheet import table_text

COLUMNS = (
    *("submission", "number", "title", "kept", "changed", "person", "name", "state", "added", "invited", "answered"),
    *("due", "reminder", "note", "conflict"),
)


def to_json(desk: Desk) -> bytes:
    """All submissions with what was looked up and who is in their lists, all notes, and typed addresses."""
    submissions, notes = _everything(desk)
    with desk.reading() as connection:
        addresses = read_addresses(connection).values()
    exported = [dataclasses.asdict(submission) for submission in submissions]
    for fields in exported:
        fields |= orjson.loads(fields.pop("request"))
    content = {
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "submissions": exported,
        "notes": [dataclasses.asdict(note) for note in notes],
        "addresses": [dataclasses.asdict(address) for address in addresses],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2)


def from_json(desk: Desk, content: bytes) -> tuple[int, int]:
    """Bring back what `to_json` wrote: how many submissions and notes; all of it or nothing."""
    try:
        exported = orjson.loads(content)
        for fields in exported["submissions"]:
            look_up = {name: fields[name] for name in ("submission", "options")}
            fields["request"] = orjson.dumps(look_up).decode()
        submissions = msgspec.convert(exported["submissions"], list[SavedSubmission])
        notes = msgspec.convert(exported["notes"], list[Note])
        addresses = msgspec.convert(exported.get("addresses", []), list[Address])
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"this is not an export of a desk (JSON): {error}") from error
    with desk.writing() as connection:
        saved = {submission.id for submission in read_all(connection)} & {submission.id for submission in submissions}
        noted = {note.person for note in read_notes(connection)} & {note.person for note in notes}
        if saved or noted:
            missing = f"submission '{min(saved)}'" if saved else f"a note about '{min(noted)}'"
            raise InputError(f"{missing} is kept here already: forget it first, or use another workspace")
        for submission in submissions:
            write_submission(connection, submission)
        connection.executemany("INSERT INTO note VALUES (?, ?, ?, ?, ?)", map(dataclasses.astuple, notes))
        rows = map(dataclasses.astuple, addresses)  # an address that is here already is newer, or the same
        connection.executemany("INSERT OR IGNORE INTO address VALUES (?, ?, ?, ?)", rows)
    return len(submissions), len(notes)


ConflictsOf = Callable[[SavedSubmission, Sequence[str]], Mapping[str, Sequence[Conflict]]]
"""Finds the conflicts of interest of a submission with people, by id."""


def to_csv(desk: Desk, conflicts_of: ConflictsOf | None) -> str:
    """A row for each person in each list, for each submission without a list, and for each note of somebody in none."""
    submissions, notes = _everything(desk)
    texts = {note.person: note.text for note in notes}
    rows: list[tuple[Any, ...]] = []
    for submission in submissions:
        number = orjson.loads(submission.request)["submission"].get("id", "")
        about = (submission.id, number, submission.title, submission.created, submission.changed)
        people = [reviewer.person for reviewer in submission.reviewers]
        reasons = conflicts_of(submission, people) if conflicts_of else {}
        for reviewer in submission.reviewers:
            person, name, state, *days, _ = dataclasses.astuple(reviewer)
            words = "; ".join(
                f"{'' if reason.certain else 'possible: '}{reason.evidence}" for reason in reasons.get(person, ())
            )
            conflict = words if conflicts_of else "not checked: there is no index"
            rows.append(
                (*about, person, name, state.value, *(day or "" for day in days), texts.get(person, ""), conflict)
            )
        if not submission.reviewers:
            rows.append((*about, *[""] * 10))
    invited = {reviewer.person for submission in submissions for reviewer in submission.reviewers}
    rows += [
        (*[""] * 5, note.person, note.name, *[""] * 6, note.text, "") for note in notes if note.person not in invited
    ]
    return table_text(COLUMNS, rows)


def _everything(desk: Desk) -> tuple[list[SavedSubmission], list[Note]]:
    with desk.reading() as connection:
        return read_all(connection), read_notes(connection)


_LINE = 75  # bytes that a line of a calendar may have (RFC 5545, 3.1)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A day on which something is due of somebody who was invited."""

    day: str
    what: Literal["reminder", "report"]
    submission: str
    title: str
    person: str
    name: str


def deadlines(desk: Desk, until: date | None = None) -> list[Deadline]:
    """What is due until that day, or ever, the earliest first; what should be over already too."""
    last = "9999" if until is None else until.isoformat()
    states = ", ".join(f"'{state.value}'" for state in sorted(WITH_DEADLINE))
    days: list[Deadline] = []
    with desk.reading() as connection:
        for deadline, column in (("reminder", "reminder"), ("report", "due")):
            rows = connection.execute(
                f"SELECT {column}, '{deadline}', kept_submission.id, title, person, name FROM kept_reviewer "
                "JOIN kept_submission ON kept_submission.id = kept_reviewer.submission "
                f"WHERE {column} <= ? AND state IN ({states}) AND seen(submission)",
                (last,),
            )
            days += [Deadline(*row) for row in rows]
    return sorted(days, key=lambda due: (due.day, due.what, due.title, due.name))


def to_calendar(entries: Sequence[Deadline]) -> bytes:
    """These days as a calendar (iCalendar, RFC 5545): whole days, without an alarm, sent to nobody."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Panelist//editor's desk//EN"]
    for due in entries:
        day = date.fromisoformat(due.day)
        key = blake2b("\n".join((due.what, due.submission, due.person)).encode(), digest_size=12).hexdigest()
        words = f"Report of {due.name} is due" if due.what == "report" else f"Remind {due.name} of the report"
        lines += [
            "BEGIN:VEVENT",
            f"UID:{key}@panelist",
            f"DTSTAMP:{stamp}",
            f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
            f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}",
            f"SUMMARY:{_escaped(words)}",
            f"DESCRIPTION:{_escaped(due.title)}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    folded = (folded_line for line in [*lines, "END:VCALENDAR"] for folded_line in _folded(line))
    return "".join(f"{line}\r\n" for line in folded).encode()


def _escaped(text: str) -> str:
    for sign in "\\;,":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _folded(line: str) -> Iterator[str]:
    """The line in pieces of few bytes, each after the first behind a blank."""
    piece = ""
    for character in line:
        if len((piece + character).encode()) > _LINE:
            yield piece
            piece = " "
        piece += character
    yield piece
