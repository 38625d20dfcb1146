"""People on the editor's desk: one note each, how often they were asked, and how they are forgotten."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import orjson

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.records import Forgotten, Involvement, Load, Note, State, new_revision
from panelist.app.desk.errors import RevisionConflictError

_LISTS = ("include", "exclude", "declared", "pool")  # the options of a look-up that list people


class DeskPeople:
    """What the desk knows of people. Safe to share between threads."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

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

    def loads(self, people: Sequence[str], year: int) -> dict[str, Load]:
        """How often each of these people was invited in a year; nobody who never was."""
        loads: dict[str, Load] = {}
        with self._desk.reading() as connection:
            for person in people:
                rows = connection.execute(
                    "SELECT state, count(*) FROM kept_reviewer WHERE person = ? AND substr(invited, 1, 4) = ? "
                    "AND seen(submission) GROUP BY state",
                    (person, f"{year:04}"),
                )
                if by_state := dict(rows.fetchall()):
                    accepted, declined = by_state.get(State.ACCEPTED, 0), by_state.get(State.DECLINED, 0)
                    loads[person] = Load(sum(by_state.values()), accepted, declined)
        return loads

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

    def forget(self, person: str) -> Forgotten:
        """Erase a person: the note, the entries in all lists, and the id in the options of saved look-ups."""
        with self._desk.writing() as connection:
            notes = connection.execute("DELETE FROM note WHERE person = ?", (person,)).rowcount
            entries = connection.execute("DELETE FROM kept_reviewer WHERE person = ?", (person,)).rowcount
            authored = []
            for key, request in connection.execute("SELECT id, request FROM kept_submission").fetchall():
                lookup = orjson.loads(request)
                lists = {name: lookup["options"].get(name) or () for name in _LISTS}
                if any(person in people for people in lists.values()):
                    lookup["options"] |= {
                        name: [other for other in people if other != person] for name, people in lists.items() if people
                    }
                    row = (orjson.dumps(lookup).decode(), new_revision(), key)
                    connection.execute("UPDATE kept_submission SET request = ?, revision = ? WHERE id = ?", row)
                # Authors are part of a submission: to erase them, forget it.
                if any(author["id"] == person for author in lookup["submission"]["authors"]):
                    authored.append(key)
        self._desk.file.erase_log()
        return Forgotten(notes, entries, tuple(authored))


def read_notes(connection: sqlite3.Connection) -> list[Note]:
    """All notes, by person."""
    return [Note(*row) for row in connection.execute("SELECT * FROM note ORDER BY person")]


def _note(connection: sqlite3.Connection, person: str) -> Note:
    row = connection.execute("SELECT * FROM note WHERE person = ?", (person,)).fetchone()
    return Note(*row) if row else Note(person, "", "", None, 0)
