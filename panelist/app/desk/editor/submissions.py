"""Saved submissions: what was looked up, and where each person in its list stands.

Every person in a list has a revision of their own, so that two tabs may change different people of one submission; of
two changes of the same person that began from the same revision, the second one is refused.
"""

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, fields
from datetime import UTC, date, datetime

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.records import (
    WITH_DEADLINE,
    SavedReviewer,
    SavedSubmission,
    SavedSummary,
    State,
    new_revision,
)
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.errors import InputError

LONGEST_LIST = 500  # people in the list of one submission

_REVIEWER = "person, name, state, added, invited, answered, due, reminder, revision"
_SUBMISSION = "id, title, created, changed, revision, request"


class SavedSubmissions:
    """The saved submissions of a desk. Safe to share between threads."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def keep(self, title: str, request: str, people: Sequence[tuple[str, str, State]] = ()) -> SavedSubmission:
        """Save a submission: its look-up as JSON, with (id, name, state) of those who are in its list already."""
        key, now = secrets.token_urlsafe(9), _now()
        self._desk.keeps(key)
        with self._desk.writing() as connection:
            reviewers = tuple(
                SavedReviewer(person, name, state, _now(), *_days(state, _today(), None), None, None, new_revision())
                for person, name, state in people
            )
            write_submission(connection, SavedSubmission(key, title, now, now, new_revision(), request, reviewers))
            return _read(connection, key)

    def get(self, submission: str) -> SavedSubmission:
        """One submission with its list."""
        with self._desk.reading() as connection:
            return _read(connection, submission)

    def hidden(self) -> tuple[str, ...]:
        """The submissions that may not be seen here."""
        with self._desk.reading() as connection:
            return tuple(key for (key,) in connection.execute("SELECT id FROM kept_submission WHERE NOT seen(id)"))

    def listing(self, search: str = "", offset: int = 0, limit: int = 50) -> tuple[int, list[SavedSummary]]:
        """How many submissions have these words in their titles, and some of them, the latest changed first."""
        words = search.casefold().split()
        with self._desk.reading() as connection:
            connection.create_function("matches", 1, lambda title: all(word in title.casefold() for word in words))
            matching = "FROM kept_submission WHERE matches(title) AND seen(id)"
            total = connection.execute(f"SELECT count(*) {matching}").fetchone()[0]
            page = f"SELECT id, title, created, changed {matching} ORDER BY changed DESC, id LIMIT ? OFFSET ?"
            rows = connection.execute(page, (limit, offset)).fetchall()
            counting = "SELECT state, count(*) FROM kept_reviewer WHERE submission = ? GROUP BY state"
            counts = [connection.execute(counting, (key,)).fetchall() for key, *_ in rows]
        return total, [
            SavedSummary(*[*row, {State(state): count for state, count in states}])
            for row, states in zip(rows, counts, strict=True)
        ]

    def change(self, submission: str, title: str, request: str, revision: int) -> SavedSubmission:
        """Replace what was looked up."""
        with self._desk.writing() as connection:
            before = _read(connection, submission)
            if revision != before.revision:
                raise RevisionConflictError(
                    f"the look-up of '{before.title[:80]}' was changed in another tab or by somebody else meanwhile: "
                    "look at it again, then repeat your change"
                )
            connection.execute(
                "UPDATE kept_submission SET title = ?, request = ?, changed = ?, revision = ? WHERE id = ?",
                (title, request, _now(), new_revision(), submission),
            )
            return _read(connection, submission)

    def set_state(
        self,
        submission: str,
        person: str,
        name: str,
        state: State,
        revision: int,
        day: date | None = None,
        *,
        due: date | None = None,
        reminder: date | None = None,
    ) -> SavedReviewer:
        """Put a person into the list of a submission (from revision 0), or change where they stand.

        `day` is that of the invitation or of the answer; days of report and reminder stay where they are not given.
        """
        with self._desk.writing() as connection:
            before = _read(connection, submission)
            old = _expected(before, person, revision, name)
            if old is None and len(before.reviewers) >= LONGEST_LIST:
                raise InputError(f"the list of this submission is full: it takes {LONGEST_LIST} people")
            invited, answered = _days(state, day or _today(), old)
            deadlines = _deadlines(state, due, reminder, old)
            added = _now() if old is None else old.added
            new = SavedReviewer(person, name, state, added, invited, answered, *deadlines, new_revision())
            _write(connection, submission, new)
            _touch(connection, submission)
            return new

    def remove(self, submission: str, person: str, revision: int) -> None:
        """Take a person off the list of a submission."""
        with self._desk.writing() as connection:
            _expected(_read(connection, submission), person, revision, person)
            connection.execute("DELETE FROM kept_reviewer WHERE submission = ? AND person = ?", (submission, person))
            _touch(connection, submission)

    def forget(self, submission: str) -> None:
        """Erase a submission and its list."""
        with self._desk.writing() as connection:
            _read(connection, submission)
            connection.execute("DELETE FROM kept_reviewer WHERE submission = ?", (submission,))
            connection.execute("DELETE FROM kept_submission WHERE id = ?", (submission,))
        self._desk.file.erase_log()


def write_submission(connection: sqlite3.Connection, submission: SavedSubmission) -> None:
    """Put a submission with its list into the desk."""
    *row, reviewers = (getattr(submission, field.name) for field in fields(submission))
    connection.execute(f"INSERT INTO kept_submission ({_SUBMISSION}) VALUES (?, ?, ?, ?, ?, ?)", row)
    for reviewer in reviewers:
        _write(connection, submission.id, reviewer)


def read_all(connection: sqlite3.Connection) -> list[SavedSubmission]:
    """All saved submissions, the oldest first."""
    keys = connection.execute("SELECT id FROM kept_submission WHERE seen(id) ORDER BY created, id").fetchall()
    return [_read(connection, key) for (key,) in keys]


def _read(connection: sqlite3.Connection, submission: str) -> SavedSubmission:
    rows = connection.execute(f"SELECT {_SUBMISSION} FROM kept_submission WHERE id = ? AND seen(id)", (submission,))
    row = rows.fetchone()
    if row is None:
        raise NotFoundError(f"there is no kept submission '{submission[:80]}': it was forgotten, or never kept here")
    people = connection.execute(
        f"SELECT {_REVIEWER} FROM kept_reviewer WHERE submission = ? ORDER BY added, person", (submission,)
    )
    reviewers = tuple(SavedReviewer(person, name, State(state), *dates) for person, name, state, *dates in people)
    return SavedSubmission(*[*row, reviewers])


def _expected(submission: SavedSubmission, person: str, revision: int, name: str) -> SavedReviewer | None:
    """The person in the list of a submission, None if they are not in it, where that is what the caller knows."""
    reviewer = next((reviewer for reviewer in submission.reviewers if reviewer.person == person), None)
    if (reviewer.revision if reviewer else 0) != revision:
        state = f"{reviewer.name} is now {reviewer.state.value}" if reviewer else f"{name} is not in the list any more"
        raise RevisionConflictError(f"this was changed in another tab or by somebody else meanwhile: {state}")
    return reviewer


def _days(state: State, day: date, old: SavedReviewer | None) -> tuple[str | None, str | None]:
    """The days of invitation and answer of somebody who gets this state on that day."""
    invited = old.invited if old else None
    match state:
        case State.SHORTLISTED:
            return None, None
        case State.EXCLUDED:
            return invited, old.answered if old else None
        case State.INVITED:
            return day.isoformat(), None
    invited = invited or day.isoformat()
    if day.isoformat() < invited:
        raise InputError(f"the answer of {day.isoformat()} is before the invitation of {invited}: correct one of them")
    return invited, day.isoformat()


def _deadlines(
    state: State, due: date | None, reminder: date | None, old: SavedReviewer | None
) -> tuple[str | None, str | None]:
    """The days of report and reminder of somebody who gets this state; none where no report is waited for."""
    if state not in WITH_DEADLINE:
        return None, None
    last = due.isoformat() if due else old.due if old else None
    before = reminder.isoformat() if reminder else old.reminder if old else None
    if last and before and before > last:
        raise InputError(f"the reminder of {before} is after the report is due, {last}: correct one of them")
    return last, before


def _write(connection: sqlite3.Connection, submission: str, reviewer: SavedReviewer) -> None:
    connection.execute(
        f"INSERT OR REPLACE INTO kept_reviewer (submission, {_REVIEWER}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (submission, *astuple(reviewer)),
    )


def _touch(connection: sqlite3.Connection, submission: str) -> None:
    connection.execute("UPDATE kept_submission SET changed = ? WHERE id = ?", (_now(), submission))


def _today() -> date:
    return datetime.now().astimezone().date()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
