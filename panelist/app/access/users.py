"""The users of a workspace in a SQLite file: passwords, roles, sessions and personal tokens.

Passwords are kept as argon2 makes them. Sessions and tokens are long random texts of which only the SHA-256 is kept, so
that whoever reads the file can use none of them.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from hashlib import sha256

import orjson
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from msgspec import Struct

from panelist.app.access.roles import WORKSPACE, Role, Viewer
from panelist.errors import DeskError, InputError
from panelist.sqlite_file import Schema, SqliteFile
from panelist.workspace import Workspace

SHORTEST_PASSWORD, LONGEST_PASSWORD, LONGEST_NAME = 12, 1_000, 100
IDLE, ABSOLUTE = 2 * 3600.0, 24 * 3600.0
"""Seconds after which a session ends: since the last request, and in any case."""
_NOTED = 60.0  # seconds between two notes of the same session's last request
_SKEW = 300.0  # seconds by which a clock may be set back without ending sessions
_TOKEN = "panelist_"
_GRANT = "INSERT OR IGNORE INTO role VALUES (?, ?, ?)"

SCHEMA = Schema(
    noun="users' file",
    application_id=0x50414E55,  # "PANU"
    version=1,
    script="""
CREATE TABLE user (
    name TEXT PRIMARY KEY,
    password TEXT NOT NULL,
    people TEXT NOT NULL,
    disabled INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE role (
    user TEXT NOT NULL,
    place TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (user, place, role)
) WITHOUT ROWID;
CREATE TABLE proof (
    digest TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    label TEXT NOT NULL,
    writes INTEGER NOT NULL,
    created REAL NOT NULL,
    seen REAL NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID
""",
    error=DeskError,
    remedy="move the file away and add the users again",
    erasing=True,
)


class User(Struct, frozen=True):
    """A user as lists show them."""

    name: str
    people: tuple[str, ...]
    disabled: bool
    roles: dict[str, list[Role]]
    tokens: int


class Users:
    """The users of a workspace; none where there is no file. Safe to share between threads.

    Args:
        workspace: whose users.
        clock: seconds since 1970.
    """

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = workspace.path / "users.sqlite", clock
        self._opened: SqliteFile | None = None
        self._hasher = PasswordHasher()
        self._nobody = self._hasher.hash(secrets.token_urlsafe())
        self._any = False

    def exist(self) -> bool:
        """Whether there is any user, so that everybody has to sign in; once there was one, that stays so."""
        if not self._any and self._path.exists():
            with self._file.reading() as connection:
                self._any = connection.execute("SELECT 1 FROM user").fetchone() is not None
        return self._any

    def add(
        self, name: str, password: Callable[[], str], role: Role, *, place: str = WORKSPACE, people: Iterable[str] = ()
    ) -> bool:
        """Add a user, or a role and ids of the person to one that is there; whether the user is new.

        Args:
            name: by which they sign in.
            password: gives the password of a new user.
            role: what they may do.
            place: the id of a conference, or the workspace.
            people: ids of the person in the corpus and in committees, ORCIDs, OpenReview profiles.

        Raises:
            InputError: the name or the password cannot be used, or the first user is no administrator.
        """
        name, first = _checked_name(name), not self.exist()
        if first and (role, place) != (Role.ADMINISTRATOR, WORKSPACE):
            raise InputError("the first user must be an administrator of the workspace: add one first")
        if role in (Role.ADMINISTRATOR, Role.EDITOR) and place != WORKSPACE:
            raise InputError(f"{role.value} is a role in the workspace, not in a conference: leave the conference out")
        known = None if first else self._row(name)
        digest = "" if known else self._hash(password())
        with self._file.writing() as connection:
            if known is None:
                connection.execute("INSERT INTO user VALUES (?, ?, '[]', 0)", (name, digest))
            connection.execute(_GRANT, (name, place, role.value))
            own = orjson.loads(connection.execute("SELECT people FROM user WHERE name = ?", (name,)).fetchone()[0])
            joined = orjson.dumps(list(dict.fromkeys([*own, *people]))).decode()
            connection.execute("UPDATE user SET people = ? WHERE name = ?", (joined, name))
        return known is None

    def grant(self, name: str, role: Role, place: str) -> None:
        """Give a user a role in a conference, or that of an editor for one kept submission.

        Raises:
            InputError: there is no such user.
        """
        name = self._known(name)
        with self._file.writing() as connection:
            connection.execute(_GRANT, (name, place, role.value))

    def list(self) -> list[User]:
        """All users, by name; tokens and sessions that have ended are not counted."""
        if not self.exist():
            return []
        with self._file.reading() as connection:
            rows = connection.execute("SELECT name, people, disabled FROM user ORDER BY name").fetchall()
            count = "SELECT count(*) FROM proof WHERE user = ? AND label != '' AND expires > ?"
            return [
                User(
                    name,
                    tuple(orjson.loads(people)),
                    bool(disabled),
                    {place: sorted(roles) for place, roles in _roles(connection, name).items()},
                    connection.execute(count, (name, self._clock())).fetchone()[0],
                )
                for name, people, disabled in rows
            ]

    def disable(self, name: str, *, undo: bool = False) -> None:
        """End all sessions and tokens of a user, who cannot sign in any more; history entries keep the name.

        Raises:
            InputError: there is no such user, or nobody would be left to administer.
        """
        name = self._known(name)
        with self._file.writing() as connection:
            connection.execute("UPDATE user SET disabled = ? WHERE name = ?", (int(not undo), name))
            connection.execute("DELETE FROM proof WHERE user = ?", (name,))
            left = connection.execute(
                "SELECT 1 FROM user JOIN role ON user = name WHERE role = ? AND NOT disabled", (Role.ADMINISTRATOR,)
            )
            if left.fetchone() is None:
                raise InputError(f"'{name}' is the only administrator: add another one first")

    def set_password(self, name: str, password: Callable[[], str]) -> None:
        """Give a user another password; sessions and tokens end.

        Raises:
            InputError: there is no such user, or the password is too short.
        """
        name = self._known(name)
        digest = self._hash(password())
        with self._file.writing() as connection:
            connection.execute("UPDATE user SET password = ? WHERE name = ?", (digest, name))
            connection.execute("DELETE FROM proof WHERE user = ?", (name,))

    def make_token(self, name: str, label: str, *, writes: bool, days: int) -> str:
        """A token for programs, which is told once.

        Raises:
            InputError: there is no such user, or they are disabled.
        """
        name = self._known(name)
        if self.by_name(name) is None:
            raise InputError(f"'{name}' is disabled")
        return self._prove(name, label or "token", days * 86_400.0, writes=writes)

    def sign_in(self, name: str, password: str) -> str | None:
        """Begin a session; None where name and password do not belong together.

        It takes as long for a name that does not exist.
        """
        row = self._row(_plain(name))
        try:
            self._hasher.verify(self._nobody if row is None else row[0], password)
        except (VerifyMismatchError, InvalidHashError):
            return None
        if row is None or row[1]:
            return None
        return self._prove(_plain(name), "", ABSOLUTE, writes=True)

    def sign_out(self, secret: str) -> None:
        """End the session of this token."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM proof WHERE digest = ?", (_digest(secret),))

    def by_session(self, secret: str) -> Viewer | None:
        """Whose session it is; None where there is none, or where it has ended."""
        return self._proven(secret, session=True)

    def by_token(self, secret: str) -> Viewer | None:
        """Whose token it is; None where there is none, or where it has ended."""
        return self._proven(secret, session=False) if secret.startswith(_TOKEN) else None

    def by_name(self, name: str) -> Viewer | None:
        """A user whom somebody else has proven; None where there is none, or where they are disabled."""
        with self._file.reading() as connection:
            return _viewer(connection, _plain(name), writes=True)

    def close(self) -> None:
        """Close the file, if it was opened."""
        if self._opened is not None:
            self._opened.close()

    def _proven(self, secret: str, *, session: bool) -> Viewer | None:
        digest, now = _digest(secret), self._clock()
        with self._file.reading() as connection:
            row = connection.execute("SELECT * FROM proof WHERE digest = ?", (digest,)).fetchone()
            if row is None or (row[2] == "") != session:
                return None
            _, name, _, writes, created, seen, expires = row
            # A clock that was set back would lengthen what has an end: such a session ends, too.
            if now >= expires or now < max(created, seen) - _SKEW or (session and now >= seen + IDLE):
                return None
            viewer = _viewer(connection, name, writes=bool(writes))
        if viewer is not None and abs(now - seen) > _NOTED:
            with self._file.writing() as connection:
                connection.execute("UPDATE proof SET seen = ? WHERE digest = ?", (now, digest))
        return viewer

    def _prove(self, name: str, label: str, seconds: float, *, writes: bool) -> str:
        secret, now = (_TOKEN if label else "") + secrets.token_urlsafe(32), self._clock()
        with self._file.writing() as connection:
            connection.execute("DELETE FROM proof WHERE expires < ?", (now,))
            row = (_digest(secret), name, label, int(writes), now, now, now + seconds)
            connection.execute("INSERT INTO proof VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return secret

    def _hash(self, password: str) -> str:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise InputError(f"the password has {len(password)} characters: give at least {SHORTEST_PASSWORD}")
        return self._hasher.hash(password)

    def _row(self, name: str) -> tuple[str, int] | None:
        with self._file.reading() as connection:
            row: tuple[str, int] | None = connection.execute(
                "SELECT password, disabled FROM user WHERE name = ?", (name,)
            ).fetchone()
        return row

    def _known(self, name: str) -> str:
        if not self.exist() or self._row(_plain(name)) is None:
            raise InputError(f"there is no user '{name}': 'panelist users list' shows all")
        return _plain(name)

    @property
    def _file(self) -> SqliteFile:
        if self._opened is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._opened = SqliteFile(self._path, SCHEMA)
        return self._opened


def _viewer(connection: sqlite3.Connection, name: str, *, writes: bool) -> Viewer | None:
    row = connection.execute("SELECT people FROM user WHERE name = ? AND NOT disabled", (name,)).fetchone()
    return None if row is None else Viewer(name, tuple(orjson.loads(row[0])), _roles(connection, name), writes)


def _roles(connection: sqlite3.Connection, name: str) -> dict[str, frozenset[Role]]:
    roles: dict[str, set[Role]] = defaultdict(set)
    for place, role in connection.execute("SELECT place, role FROM role WHERE user = ?", (name,)):
        roles[place].add(Role(role))
    return {place: frozenset(own) for place, own in roles.items()}


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()


def _checked_name(name: str) -> str:
    plain = _plain(name)
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable():
        raise InputError(f"give the user a name of 1 to {LONGEST_NAME} printable characters")
    return plain
