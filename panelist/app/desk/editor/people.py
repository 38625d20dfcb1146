"""People on the editor's desk: one note each, how often they were asked, and how they are forgotten."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta
from functools import partial

import orjson

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.records import Address, Forgotten, Involvement, Load, Note, State, new_revision
from panelist.app.desk.errors import RevisionConflictError
from panelist.corpus.identity import comparable, is_named

_ANSWERS = (State.ACCEPTED, State.DONE, State.DECLINED)
_LISTS = ("include", "exclude", "declared", "pool")  # the options of a look-up that list people
_IDS = ("id", "orcid", "email")  # of an author


class DeskPeople:
    """What the desk knows of people. Safe to share between threads."""

    def __init__(self, desk: Desk, editor: str = "") -> None:
        self._desk, self._editor = desk, editor

    def note(self, person: str) -> Note:
        """The note about a person; an empty one where there is none."""
        with self._desk.reading() as connection:
            return _note(connection, person)

    def write_note(self, person: str, name: str, text: str, revision: int) -> Note:
        """Write the note about a person; an empty text erases it."""
        with self._desk.writing() as connection:
            if _note(connection, person).revision != revision:
                raise RevisionConflictError(
                    f"the note about {name} was changed in another tab or by somebody else meanwhile: "
                    "compare the two texts, then save again"
                )
            connection.execute("DELETE FROM note WHERE person = ?", (person,))
            if text.strip():
                row = (person, name, text.strip(), datetime.now(UTC).isoformat(timespec="seconds"), new_revision())
                connection.execute("INSERT INTO note VALUES (?, ?, ?, ?, ?)", row)
            new = _note(connection, person)
        if not new.text:
            self._desk.file.erase_log()
        return new

    def notes(self, people: Sequence[str]) -> dict[str, Note]:
        """The notes about those of these people who have one."""
        with self._desk.reading() as connection:
            notes = [_note(connection, person) for person in people]
        return {note.person: note for note in notes if note.text}

    def write_address(self, person: str, email: str) -> Address | None:
        """Keep the address of a person as it was typed; an empty one erases it."""
        with self._desk.writing() as connection:
            connection.execute("DELETE FROM address WHERE person = ?", (person,))
            if email:
                day = datetime.now().astimezone().date().isoformat()
                connection.execute("INSERT INTO address VALUES (?, ?, ?, ?)", (person, email, self._editor, day))
            new = read_addresses(connection, [person])
        if not new:
            self._desk.file.erase_log()
        return new.get(person)

    def addresses(self, people: Sequence[str]) -> dict[str, Address]:
        """The addresses that were typed for these people."""
        with self._desk.reading() as connection:
            return read_addresses(connection, people)

    def loads(self, people: Sequence[str], today: date) -> dict[str, Load]:
        """How often each of these people was invited in the year of a day, and how busy they are."""
        invited_rows = "FROM kept_reviewer WHERE person = ? AND invited NOT NULL AND seen(submission)"
        query = f"SELECT state, invited, answered {invited_rows}"
        with self._desk.reading() as connection:
            rows = {person: connection.execute(query, (person,)).fetchall() for person in people}
        return {person: _load(loads, today) for person, loads in rows.items() if loads}

    def resting(self, rest: int, at_most: int | None, today: date) -> tuple[str, ...]:
        """Who reviewed of late, or has enough reviews, by what this desk knows: see `Load.rests`."""
        if not rest and at_most is None:
            return ()
        states = f"('{State.ACCEPTED}', '{State.DONE}')"
        with self._desk.reading() as connection:
            query = f"SELECT DISTINCT person FROM kept_reviewer WHERE state IN {states} AND seen(submission)"
            people = [person for (person,) in connection.execute(query)]
        loads = self.loads(people, today)
        return tuple(sorted(person for person, load in loads.items() if load.rests(rest, at_most, today)))

    def involvements(self, person: str) -> list[Involvement]:
        """The submissions in whose lists a person is, the latest changed first."""
        with self._desk.reading() as connection:
            rows = connection.execute(
                "SELECT kept_submission.id, title, state, invited, answered FROM kept_reviewer "
                "JOIN kept_submission ON kept_submission.id = kept_reviewer.submission "
                "WHERE person = ? AND seen(submission) ORDER BY changed DESC, kept_submission.id",
                (person,),
            )
            return [Involvement(key, title, State(state), *days) for key, title, state, *days in rows]

    def forget(self, keys: AbstractSet[str]) -> Forgotten:
        """Erase a person: the note, the entries in all lists, and the ids in the options of saved look-ups."""
        with self._desk.writing() as connection:
            rows = connection.execute("SELECT person, email FROM address").fetchall()
            known = {*keys, *(comparable(person) for person, email in rows if is_named(email, keys))}
            connection.create_function("named", 1, partial(is_named, keys=known))
            notes = connection.execute("DELETE FROM note WHERE named(person)").rowcount
            connection.execute("DELETE FROM address WHERE named(person)")
            entries = connection.execute("DELETE FROM kept_reviewer WHERE named(person)").rowcount
            authored = []
            for key, request in connection.execute("SELECT id, request FROM kept_submission").fetchall():
                lookup = orjson.loads(request)
                lists = {name: people for name in _LISTS if (people := lookup["options"].get(name))}
                left = {name: [one for one in people if not is_named(one, known)] for name, people in lists.items()}
                if left != lists:
                    lookup["options"] |= left
                    row = (orjson.dumps(lookup).decode(), new_revision(), key)
                    connection.execute("UPDATE kept_submission SET request = ?, revision = ? WHERE id = ?", row)
                # Authors are part of a submission: to erase them, forget it.
                ids = (author.get(name) for author in lookup["submission"]["authors"] for name in _IDS)
                if any(is_named(one, known) for one in ids if one):
                    authored.append(key)
        self._desk.file.erase_log()
        return Forgotten(notes, entries, tuple(authored))


def _load(rows: Sequence[tuple[str, str, str | None]], today: date) -> Load:
    """The load of somebody who was asked in these rows of state, day of invitation and day of answer."""
    this_year = Counter(state for state, invited, _ in rows if invited[:4] == f"{today.year:04}")
    reports = [answered for state, _, answered in rows if state == State.DONE and answered]
    answers = sorted(
        ((answered or invited, state) for state, invited, answered in rows if state in _ANSWERS), reverse=True
    )
    waited = sum(state == State.ACCEPTED for state, _, _ in rows)
    year_ago = (today - timedelta(days=365)).isoformat()
    return Load(
        sum(this_year.values()),
        this_year[State.ACCEPTED] + this_year[State.DONE],
        this_year[State.DECLINED],
        waited,
        waited + sum(day >= year_ago for day in reports),
        max(reports, default=None),
        next((number for number, (_, state) in enumerate(answers) if state != State.DECLINED), len(answers)),
    )


def read_notes(connection: sqlite3.Connection) -> list[Note]:
    """All notes, by person."""
    return [Note(*row) for row in connection.execute("SELECT * FROM note ORDER BY person")]


def read_addresses(connection: sqlite3.Connection, people: Sequence[str] | None = None) -> dict[str, Address]:
    """The typed addresses of these people, or all, by person."""
    rows = (Address(*row) for row in connection.execute("SELECT * FROM address ORDER BY person"))
    return {row.person: row for row in rows if people is None or row.person in people}


def _note(connection: sqlite3.Connection, person: str) -> Note:
    row = connection.execute("SELECT * FROM note WHERE person = ?", (person,)).fetchone()
    return Note(*row) if row else Note(person, "", "", None, 0)
