"""The audit log of conferences: who changed what, and when. It is written in the transaction of the change."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from panelist.spreadsheet import write_table


@dataclass(frozen=True, slots=True)
class Event:
    """One change: `who` is the name that the chair gave, empty where none was given; `detail` depends on `kind`."""

    number: int
    at: datetime
    who: str
    kind: str
    detail: dict[str, Any]


def record(connection: sqlite3.Connection, conference: str, kind: str, detail: dict[str, Any], who: str) -> None:
    """Append an event to a conference's log, as part of a transaction."""
    connection.execute(
        "INSERT INTO conference_event (conference, at, who, kind, detail) VALUES (?, ?, ?, ?, ?)",
        (conference, datetime.now(UTC).isoformat(), who, kind, orjson.dumps(detail).decode()),
    )


def write_events(connection: sqlite3.Connection, conference: str, events: Sequence[Event]) -> int:
    """Write events with the numbers that solutions and undone changes name; how many, but for numbers in use."""
    return connection.executemany(
        "INSERT OR IGNORE INTO conference_event VALUES (?, ?, ?, ?, ?, ?)",
        (
            (one.number, conference, one.at.isoformat(), one.who, one.kind, orjson.dumps(one.detail).decode())
            for one in events
        ),
    ).rowcount


def read_events(connection: sqlite3.Connection, conference: str, limit: int | None = None) -> tuple[Event, ...]:
    """The events of a conference, the newest first."""
    rows = connection.execute(
        "SELECT number, at, who, kind, detail FROM conference_event WHERE conference = ? ORDER BY number DESC LIMIT ?",
        (conference, -1 if limit is None else limit),
    )
    return tuple(
        Event(number, datetime.fromisoformat(at), who, kind, orjson.loads(detail))
        for number, at, who, kind, detail in rows
    )


def history_table(events: Sequence[Event]) -> str:
    """The events as a table for people, the oldest first: when, who, what, and every detail."""
    out = io.StringIO()
    rows = (
        (
            one.number,
            one.at.isoformat(),
            one.who,
            one.kind,
            one.detail.get("words", ""),
            orjson.dumps(one.detail).decode(),
        )
        for one in reversed(events)
    )
    write_table(out, ("number", "at", "who", "kind", "words", "detail"), rows)
    return out.getvalue()
