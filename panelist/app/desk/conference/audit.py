"""The audit log of conferences: who changed what, and when. It is written in the transaction of the change.

Every event has a seal: a digest of it and of the seal before, so that none can be edited, taken out or put in later
without breaking the chain. What a person's forgetting erases is listed, by digest, in the event that says so.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import Any

import orjson

from panelist.errors import InputError
from panelist.spreadsheet import table_text

_SEALED = (
    "SELECT number, at, who, kind, detail, content, seal FROM conference_event LEFT JOIN event_seal USING (number) "
    "WHERE conference = ? ORDER BY number"
)
_LAST_SEAL = (
    "SELECT seal FROM conference_event JOIN event_seal USING (number) WHERE conference = ? ORDER BY number DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Event:
    """One change: `who` is the name that the chair gave, empty where none was given; `detail` depends on `kind`.

    Events are numbered from 1 as whoever looks at them sees them; `key` is what the database calls them.
    """

    number: int
    at: datetime
    who: str
    kind: str
    detail: dict[str, Any]
    key: int = 0


def record(connection: sqlite3.Connection, conference: str, kind: str, detail: dict[str, Any], actor: str) -> None:
    """Append an event to a conference's log, as part of a transaction."""
    connection.execute(
        "INSERT INTO conference_event (conference, at, who, kind, detail) VALUES (?, ?, ?, ?, ?)",
        (conference, datetime.now(UTC).isoformat(), actor, kind, orjson.dumps(detail).decode()),
    )
    _seal_new(connection, conference)


def _seal_new(connection: sqlite3.Connection, conference: str) -> None:
    """Seal the last event; all of them where there is no seal yet, as after an import or in a desk of before seals.

    An event in between that has none stays without: whoever put it in does not get it sealed by the next change.
    """
    last = connection.execute(_LAST_SEAL, (conference,)).fetchone()
    rows = connection.execute(_SEALED + (" DESC LIMIT 1" if last else ""), (conference,)).fetchall()
    seal = last[0] if last else ""
    for number, moment, actor, kind, text, *_ in rows:
        seal = _seal(seal, number, moment, actor, kind, content_digest(text))
        connection.execute("INSERT INTO event_seal VALUES (?, ?, ?)", (number, content_digest(text), seal))


def content_digest(detail: str) -> str:
    """The digest of what an event says."""
    return sha256(detail.encode()).hexdigest()


def _seal(before: str, *parts: object) -> str:
    return sha256(orjson.dumps([before, *parts])).hexdigest()


def erase(connection: sqlite3.Connection, conference: str) -> None:
    """Delete the log of a conference."""
    numbers = "SELECT number FROM conference_event WHERE conference = ?"
    connection.execute(f"DELETE FROM event_seal WHERE number IN ({numbers})", (conference,))
    connection.execute("DELETE FROM conference_event WHERE conference = ?", (conference,))


def verify_history(connection: sqlite3.Connection, conference: str) -> tuple[str, list[str]]:
    """The last seal of a conference's history, and where the chain is broken, in words."""
    rows = connection.execute(_SEALED, (conference,)).fetchall()
    erased: dict[str, str] = {}
    for *_, kind, text, _, _ in rows:
        erased |= orjson.loads(text).get("erased", {}) if kind == "forgot" else {}
    seal, breaks = "", []
    for shown, (number, moment, actor, kind, text, content, stored) in enumerate(rows, 1):
        digest = content_digest(text)
        if stored is None:
            breaks.append(f"entry {shown} has no seal: it was put in, or an earlier Panelist wrote it")
            continue
        if stored != _seal(seal, number, moment, actor, kind, content):
            breaks.append(f"entry {shown} does not follow the one before: it was changed, or one was taken out")
        elif digest != content and erased.get(str(number)) != digest:
            breaks.append(f"entry {shown} says something else than when it was made")
        seal = stored  # so that what follows is judged by itself
    return seal, breaks


def write_events(connection: sqlite3.Connection, conference: str, events: Sequence[Event]) -> dict[int, int]:
    """Write the events of an export; where another conference has their numbers, they get new ones in their order.

    Seals cover numbers, so one more event then says what the last seal was. Returns the numbers by the old ones.
    """
    events = sorted(events, key=lambda event: event.number)
    old = [event.number for event in events]
    used = {number for (number,) in connection.execute("SELECT number FROM conference_event")}
    taken = not used.isdisjoint(old)
    numbers = dict(zip(old, count(max(used) + 1) if taken else old, strict=False))
    if len(numbers) < len(old):
        raise InputError("the history of this export has a number twice: export the conference again")
    texts = {event.number: orjson.dumps(event.detail).decode() for event in events}
    seal = ""
    for event in events:
        digest = content_digest(texts[event.number])
        seal = _seal(seal, event.number, event.at.isoformat(), event.who, event.kind, digest)
    if taken:
        texts = _renumbered(events, texts, numbers)
    connection.executemany(
        "INSERT INTO conference_event VALUES (?, ?, ?, ?, ?, ?)",
        (
            (numbers[event.number], conference, event.at.isoformat(), event.who, event.kind, texts[event.number])
            for event in events
        ),
    )
    _seal_new(connection, conference)
    if taken:
        entries = f"{numbers[old[0]]} to {numbers[old[-1]]}"
        words = f"imported: entries {old[0]} to {old[-1]} are {entries} here; their last seal was {seal}"
        record(connection, conference, "imported", {"words": words}, "")
    return numbers


def _renumbered(events: Sequence[Event], texts: Mapping[int, str], numbers: Mapping[int, int]) -> dict[int, str]:
    """The details of events, by their old numbers, with new ones where they name others: undone and erased entries."""
    new = dict(texts)
    for event in events:
        if "of" in event.detail:
            new[event.number] = orjson.dumps(event.detail | {"of": numbers.get(event.detail["of"], 0)}).decode()
    digests = {content_digest(texts[number]): content_digest(new[number]) for number in numbers}
    names = {str(before): str(after) for before, after in numbers.items()}
    for event in events:
        if "erased" in event.detail:
            erased = {names.get(name, name): digests.get(text, text) for name, text in event.detail["erased"].items()}
            new[event.number] = orjson.dumps(event.detail | {"erased": erased}).decode()
    return new


def read_events(connection: sqlite3.Connection, conference: str) -> tuple[Event, ...]:
    """The events of a conference, the newest first."""
    rows = connection.execute(
        "SELECT number, at, who, kind, detail FROM conference_event WHERE conference = ? ORDER BY number DESC",
        (conference,),
    ).fetchall()
    events = [
        Event(0, datetime.fromisoformat(moment), actor, kind, orjson.loads(detail), key)
        for key, moment, actor, kind, detail in rows
    ]
    return numbered(events)


def numbered(events: Sequence[Event]) -> tuple[Event, ...]:
    """Some of the events, the newest first, as if there were no others."""
    shown = zip(range(len(events), 0, -1), events, strict=True)
    return tuple(replace(event, number=number) for number, event in shown)


def history_table(events: Sequence[Any]) -> str:
    """The events as a table for people, the oldest first: when, who, what, and every detail."""
    rows = []
    for event in reversed(events):
        words, detail = event.detail.get("words", ""), orjson.dumps(event.detail).decode()
        rows.append((event.number, event.at.isoformat(), event.who, event.kind, words, detail))
    return table_text(("number", "at", "who", "kind", "words", "detail"), rows)
