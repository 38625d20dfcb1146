"""The users of a workspace in a SQLite file: passwords, roles, sessions and personal tokens.

Passwords are stored as argon2 makes them, sessions and tokens, which are long random texts, by their SHA-256 only, so
that whoever reads the file can use none of them.
"""

import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import sha256

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from msgspec.structs import replace

from panelist.app.access.roles import WORKSPACE, Role, User
from panelist.errors import DeskError, InputError
from panelist.sqlite_file import Schema, SqliteFile
from panelist.workspace import Workspace

SHORTEST_PASSWORD, LONGEST_PASSWORD, LONGEST_NAME = 12, 1_000, 100
IDLE, ABSOLUTE = 2 * 3600.0, 24 * 3600.0  # seconds after which a session ends: since the last request, and in any case
_NOTED = 60.0  # seconds between two notes of the same session's last request
_SKEW = 300.0  # seconds by which a clock may be set back without ending sessions
_TOKEN = "panelist_"
Password = Callable[[], str]  # gives a password: who is asked for it may be a person

SCHEMA = Schema(
    noun="users' file",
    application_id=0x50414E55,  # "PANU"
    version=2,
    script="""
CREATE TABLE user (name TEXT PRIMARY KEY, password TEXT NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE proof (
    digest TEXT PRIMARY KEY, user TEXT NOT NULL, label TEXT NOT NULL, writes INTEGER NOT NULL,
    created REAL NOT NULL, seen REAL NOT NULL, expires REAL NOT NULL
) WITHOUT ROWID
""",
    error=DeskError,
    remedy="move the file away and add the users again",
    erasing=True,
)


class Users:
    """The users of a workspace; none where there is no file. Safe to share between threads."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = workspace.path / "users.sqlite", clock
        self._opened: SqliteFile | None = None
        self._hasher = PasswordHasher()
        self._any = False

    @cached_property
    def _nobody(self) -> str:
        """A password that nobody has, for names that do not exist; making it takes a tenth of a second."""
        return self._hasher.hash(secrets.token_urlsafe())

    def exist(self) -> bool:
        """Whether there is any user, so that everybody has to sign in; once there was one, that stays so."""
        if not self._any and self._path.exists():
            with self._file.reading() as connection:
                self._any = connection.execute("SELECT 1 FROM user").fetchone() is not None
        return self._any

    def add(
        self, name: str, password: Password | None, role: Role, *, scope: str = WORKSPACE, people: Iterable[str] = ()
    ) -> bool:
        """Add a user, or a role and ids of the person to one that is there; return whether the user is new.

        `password` gives that of a new user, None for who signs in at a provider or a proxy only. `people` are ids of
        the person in the corpus and in committees, ORCIDs, OpenReview profiles.
        """
        name, is_first = _plain(name), not self.exist()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise InputError(f"give the user a name of 1 to {LONGEST_NAME} printable characters")
        if is_first and (role, scope) != (Role.ADMINISTRATOR, WORKSPACE):
            raise InputError("the first user must be an administrator of the workspace: add one first")
        if role in (Role.ADMINISTRATOR, Role.EDITOR) and scope != WORKSPACE:
            raise InputError(f"{role.value} is a role in the workspace, not in a conference: leave the conference out")
        new = is_first or all(user.name != name for user in self.list())
        digest = self._hash(password()) if new and password is not None else ""
        with self._file.writing() as connection:
            if new and _find(connection, name) is not None:  # their roles and people must not be replaced
                raise InputError(f"somebody else has just added the user '{name}': try again")
            user = (User(name) if new else _existing(connection, name)).granted(role, scope)
            user = replace(user, people=tuple(dict.fromkeys([*user.people, *people])))
            _save(connection, user, password=digest)
        return new

    def grant(self, name: str, role: Role, scope: str) -> None:
        """Give a user a role in a conference, or that of an editor for one saved submission."""
        with self._file.writing() as connection:
            _save(connection, _existing(connection, name).granted(role, scope))

    def unshare(self, submission: str, names: Iterable[str]) -> None:
        """Share a saved submission with these users no more."""
        with self._file.writing() as connection:
            for name in names:
                user = _existing(connection, name)
                remaining = {paper: roles for paper, roles in user.roles.items() if paper != submission}
                _save(connection, replace(user, roles=remaining))

    def list(self) -> Sequence[User]:
        """All users, by name."""
        if not self.exist():
            return []
        with self._file.reading() as connection:
            return _all(connection)

    def disable(self, name: str, *, undo: bool = False) -> None:
        """End all sessions and tokens of a user, who cannot sign in any more; history entries keep the name."""
        with self._file.writing() as connection:
            user = _existing(connection, name)
            _save(connection, replace(user, disabled=not undo))
            connection.execute("DELETE FROM proof WHERE user = ?", (user.name,))
            active = (other.roles.get(WORKSPACE, frozenset()) for other in _all(connection) if not other.disabled)
            if not any(Role.ADMINISTRATOR in roles for roles in active):
                raise InputError(f"'{name}' is the only administrator: add another one first")

    def set_password(self, name: str, password: Password) -> None:
        """Give a user another password; sessions and tokens end."""
        with self._file.reading() as connection:
            name = _existing(connection, name).name
        digest = self._hash(password())
        with self._file.writing() as connection:
            connection.execute("UPDATE user SET password = ? WHERE name = ?", (digest, name))
            connection.execute("DELETE FROM proof WHERE user = ?", (name,))

    def make_token(self, name: str, label: str, *, writes: bool, days: int) -> str:
        """A token for programs, which is shown once."""
        if self.by_name(name) is None:
            raise InputError(f"there is no user '{name}', or they are disabled: 'panelist users list' shows all")
        return self._prove(_plain(name), label or "token", days * 86_400.0, writes=writes)

    def sign_in(self, name: str, password: str) -> str | None:
        """Begin a session; None, after as long a time, where name and password do not belong together."""
        nobody = self._nobody  # made for whatever name comes first
        with self._file.reading() as connection:
            row = connection.execute("SELECT password FROM user WHERE name = ?", (_plain(name),)).fetchone()
        try:
            self._hasher.verify((row and row[0]) or nobody, password)
        except VerifyMismatchError:
            return None
        return self.begin_session(name)

    def begin_session(self, name: str) -> str | None:
        """Begin a session of a user whom somebody else has proven; None where there is none, or they are disabled."""
        return self._prove(_plain(name), "", ABSOLUTE, writes=True) if self.by_name(name) else None

    def sign_out(self, secret: str) -> None:
        """End the session of this token."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM proof WHERE digest = ?", (_digest(secret),))

    def by_secret(self, secret: str, *, session: bool) -> User | None:
        """Whose session or token it is; None where there is none, or where it has ended."""
        digest, moment = _digest(secret), self._clock()
        with self._file.reading() as connection:
            row = connection.execute("SELECT * FROM proof WHERE digest = ?", (digest,)).fetchone()
            if row is None or (row[2] == "") != session:
                return None
            _, name, _, writes, created, seen, expires = row
            # A clock that was set back would lengthen what has an end: such a session ends, too.
            if moment >= expires or moment < max(created, seen) - _SKEW or (session and moment >= seen + IDLE):
                return None
            viewer = _active(connection, name, writes=bool(writes))
        if abs(moment - seen) > _NOTED:
            with self._file.writing() as connection:
                connection.execute("UPDATE proof SET seen = ? WHERE digest = ?", (moment, digest))
        return viewer

    def by_name(self, name: str) -> User | None:
        """A user whom somebody else has proven; None where there is none, or where they are disabled."""
        with self._file.reading() as connection:
            return _active(connection, _plain(name), writes=True)

    def close(self) -> None:
        """Close the file, if it was opened."""
        if self._opened is not None:
            self._opened.close()

    def _prove(self, name: str, label: str, seconds: float, *, writes: bool) -> str:
        secret, moment = (_TOKEN if label else "") + secrets.token_urlsafe(), self._clock()
        with self._file.writing() as connection:
            connection.execute("DELETE FROM proof WHERE expires < ?", (moment,))
            row = (_digest(secret), name, label, int(writes), moment, moment, moment + seconds)
            connection.execute("INSERT INTO proof VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return secret

    def _hash(self, password: str) -> str:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise InputError(f"the password has {len(password)} characters: give at least {SHORTEST_PASSWORD}")
        return self._hasher.hash(password)

    @property
    def _file(self) -> SqliteFile:
        if self._opened is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._opened = SqliteFile(self._path, SCHEMA)
        return self._opened


def _all(connection: sqlite3.Connection) -> list[User]:
    rows = connection.execute("SELECT record FROM user ORDER BY name")
    return [msgspec.json.decode(record, type=User) for (record,) in rows]


def _find(connection: sqlite3.Connection, name: str) -> User | None:
    row = connection.execute("SELECT record FROM user WHERE name = ?", (_plain(name),)).fetchone()
    return msgspec.json.decode(row[0], type=User) if row else None


def _existing(connection: sqlite3.Connection, name: str) -> User:
    if (user := _find(connection, name)) is None:
        raise InputError(f"there is no user '{name}': 'panelist users list' shows all")
    return user


def _save(connection: sqlite3.Connection, user: User, password: str = "") -> None:
    """Write the record of a user; the password is that of a new one."""
    record = msgspec.json.encode(user).decode()
    statement = "INSERT INTO user VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET record = excluded.record"
    connection.execute(statement, (user.name, password, record))


def _active(connection: sqlite3.Connection, name: str, *, writes: bool) -> User | None:
    user = _find(connection, name)
    return None if user is None or user.disabled else replace(user, writes=writes)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()
