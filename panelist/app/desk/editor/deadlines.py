"""What is due: reports that were promised and reminders that the editor wants to send, as a list and for calendars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from typing import Literal

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.records import WITH_DEADLINE

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
    found = []
    with desk.file.reading() as connection:
        for what, column in (("reminder", "reminder"), ("report", "due")):
            rows = connection.execute(
                f"SELECT {column}, '{what}', kept_submission.id, title, person, name FROM kept_reviewer "
                "JOIN kept_submission ON kept_submission.id = kept_reviewer.submission "
                f"WHERE {column} <= ? AND state IN ({states})",
                (last,),
            )
            found += [Deadline(*row) for row in rows]
    return sorted(found, key=lambda one: (one.day, one.what, one.title, one.name))


def to_calendar(entries: Sequence[Deadline]) -> bytes:
    """These days as a calendar (iCalendar, RFC 5545): whole days, without an alarm, sent to nobody."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Panelist//editor's desk//EN"]
    for one in entries:
        day = date.fromisoformat(one.day)
        key = blake2b("\n".join((one.what, one.submission, one.person)).encode(), digest_size=12).hexdigest()
        words = f"Report of {one.name} is due" if one.what == "report" else f"Remind {one.name} of the report"
        lines += [
            "BEGIN:VEVENT",
            f"UID:{key}@panelist",
            f"DTSTAMP:{stamp}",
            f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
            f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}",
            f"SUMMARY:{_escaped(words)}",
            f"DESCRIPTION:{_escaped(one.title)}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    folded = (part for line in [*lines, "END:VCALENDAR"] for part in _folded(line))
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
