"""The embedded corpus store: one SQLite file, no server."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from panelist.corpus.documents import (
    DIGEST_BYTES,
    Encoded,
    authors_of,
    batches,
    combine,
    decode,
    encode,
    latest,
    merge,
)
from panelist.corpus.names import normalise_name
from panelist.corpus.store import Coauthorship, CorpusCounts, version_error
from panelist.errors import CorpusError
from panelist.records import Author, Paper

SCHEMA_VERSION = 1
_APPLICATION_ID = 0x50414E4C  # "PANL": tells our files from anybody else's SQLite
_BATCH = 2_000  # papers a transaction
_IDS = 500  # ids a statement, far below SQLite's smallest limit of variables

# Papers and authors have integer keys, so that an authorship is a few bytes. The payload is the paper's last column:
# queries that do not want it never read its pages.
_SCHEMA = """
CREATE TABLE paper (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    year INTEGER,
    has_abstract INTEGER NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX paper_without_abstract ON paper (has_abstract) WHERE has_abstract = 0;
CREATE TABLE author (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    orcid TEXT,
    normal_name TEXT NOT NULL
);
CREATE INDEX author_normal_name ON author (normal_name);
CREATE TABLE authorship (
    paper INTEGER NOT NULL,
    author INTEGER NOT NULL,
    PRIMARY KEY (paper, author)
) WITHOUT ROWID;
CREATE INDEX authorship_author ON authorship (author);
CREATE TABLE state (fingerprint BLOB NOT NULL);
"""


class SqliteStore:
    """A corpus in one SQLite file; a `CorpusStore`.

    Any number of threads and processes may read while one writes; a second writer waits for its turn, up to
    `lock_timeout` seconds. Each thread gets a connection of its own.
    """

    def __init__(self, path: Path, *, lock_timeout: float = 30.0) -> None:
        """Open the corpus at `path`, creating it where there is none.

        Raises:
            CorpusError: the file cannot be opened, is no corpus, or has another schema version.
        """
        self.path = path
        self._lock_timeout = lock_timeout
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False
        try:
            with self._errors():
                self._prepare()
        except CorpusError:
            self.close()
            raise

    def upsert(self, papers: Iterable[Paper]) -> int:
        """Add or replace papers, in transactions of some thousand: see `CorpusStore.upsert`."""
        count = 0
        for batch in batches(papers, _BATCH):
            encoded = [encode(paper) for paper in latest(batch).values()]
            with self._writing() as connection:
                _write(connection, encoded)
            count += len(batch)
        return count

    def delete(self, paper_ids: Iterable[str]) -> int:
        """Remove papers and the authors that are left without any, in transactions of some thousand."""
        count = 0
        for batch in batches(paper_ids, _BATCH):
            with self._writing() as connection:
                known = _known(connection, batch)
                _delete_orphans(connection, _detach(connection, [key for key, _ in known.values()]))
                connection.executemany("DELETE FROM paper WHERE key = ?", [(key,) for key, _ in known.values()])
                _update_fingerprint(connection, [digest for _, digest in known.values()])
            count += len(known)
        return count

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """The papers with these ids."""
        with self._reading() as connection:
            rows = _select(connection, "SELECT id, payload FROM paper WHERE id IN ({})", paper_ids)
            return {paper_id: decode(payload) for paper_id, payload in rows}

    def iter_papers(self) -> Iterator[Paper]:
        """All papers in ascending order of id: a snapshot, whatever is written meanwhile."""
        # A connection of its own keeps the snapshot apart from what this thread writes while it reads.
        with self._errors(), closing(self._connect()) as connection:
            for (payload,) in connection.execute("SELECT payload FROM paper ORDER BY id"):
                yield decode(payload)

    def authors(self, author_ids: Sequence[str]) -> dict[str, Author]:
        """The authors with these ids."""
        with self._reading() as connection:
            rows = _select(connection, "SELECT id, name, orcid FROM author WHERE id IN ({})", author_ids)
            return {row[0]: Author(*row) for row in rows}

    def papers_of(self, author_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each author the ids of their papers, in ascending order."""
        query = """
            SELECT author.id, paper.id FROM author
            JOIN authorship ON authorship.author = author.key JOIN paper ON paper.key = authorship.paper
            WHERE author.id IN ({})"""
        papers: dict[str, list[str]] = {}
        with self._reading() as connection:
            for author_id, paper_id in _select(connection, query, author_ids):
                papers.setdefault(author_id, []).append(paper_id)
        return {author_id: tuple(sorted(ids)) for author_id, ids in papers.items()}

    def find_authors(self, name: str) -> list[Author]:
        """Authors of this name up to case, accents and spacing, by id."""
        normal_name = normalise_name(name)
        if not normal_name:
            return []
        query = "SELECT id, name, orcid FROM author WHERE normal_name = ? ORDER BY id"
        with self._reading() as connection:
            return [Author(*row) for row in connection.execute(query, (normal_name,))]

    def coauthorships(self, author_ids: Sequence[str], since: int | None = None) -> list[Coauthorship]:
        """Who wrote what with these authors, in or after `since`, by author, co-author and paper."""
        query = """
            SELECT author.id, coauthor.id, paper.id, paper.year FROM author
            JOIN authorship ON authorship.author = author.key
            JOIN paper ON paper.key = authorship.paper
            JOIN authorship AS other ON other.paper = paper.key AND other.author <> author.key
            JOIN author AS coauthor ON coauthor.key = other.author
            WHERE author.id IN ({}) AND (paper.year IS NULL OR ? IS NULL OR paper.year >= ?)"""
        with self._reading() as connection:
            return [Coauthorship(*row) for row in sorted(_select(connection, query, author_ids, since, since))]

    def counts(self) -> CorpusCounts:
        """Papers, authors, and papers without an abstract."""
        query = """
            SELECT (SELECT count(*) FROM paper), (SELECT count(*) FROM author),
                   (SELECT count(*) FROM paper WHERE has_abstract = 0)"""
        with self._reading() as connection:
            return CorpusCounts(*connection.execute(query).fetchone())

    def fingerprint(self) -> str:
        """A digest of all papers, kept up to date with every write."""
        with self._reading() as connection:
            value: bytes = connection.execute("SELECT fingerprint FROM state").fetchone()[0]
            return value.hex()

    def close(self) -> None:
        """Close the connections of all threads."""
        self._closed = True
        while self._connections:
            self._connections.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        connection = self._connection()
        connection.execute("PRAGMA journal_mode = WAL")
        if _version(connection) is None:
            # Another process may be here at the same time: look again once the file is ours.
            connection.execute("BEGIN IMMEDIATE")
            try:
                if _version(connection) is None:
                    for statement in _SCHEMA.split(";"):
                        connection.execute(statement)
                    connection.execute("INSERT INTO state VALUES (?)", (bytes(DIGEST_BYTES),))
                    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            finally:
                connection.execute("COMMIT")
        version = _version(connection)
        if version == 0:
            raise CorpusError(f"'{self.path}' is another program's SQLite file: choose another workspace directory")
        if version != SCHEMA_VERSION:
            raise version_error(f"'{self.path}'", version, SCHEMA_VERSION)

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise CorpusError(f"the corpus '{self.path}' is closed: open it again")
        # Threads do not share connections, but whoever closes the store closes them all.
        connection = sqlite3.connect(
            self.path, timeout=self._lock_timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None or self._closed:
            connection = self._local.connection = self._connect()
            self._connections.append(connection)
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            connection = self._connection()
            connection.execute("BEGIN")  # all statements of one call see the same corpus
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CorpusError(_explain(self.path, error)) from error


def _version(connection: sqlite3.Connection) -> int | None:
    """The schema version, 0 where the file is not ours, None where it is empty."""
    if connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION_ID:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    return 0 if connection.execute("SELECT 1 FROM sqlite_schema").fetchone() else None


def _select(connection: sqlite3.Connection, query: str, ids: Iterable[str], *more: object) -> Iterator[tuple[Any, ...]]:
    """The rows of a query with `{}` in the place of ids, however many; `more` follows them."""
    statement = query.format(",".join("?" * _IDS))
    for some in batches(dict.fromkeys(ids), _IDS):
        # Always the same number of variables, so that the statement is prepared once: NULL equals nothing.
        yield from connection.execute(statement, [*some, *[None] * (_IDS - len(some)), *more])


def _known(connection: sqlite3.Connection, paper_ids: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    rows = _select(connection, "SELECT id, key, digest FROM paper WHERE id IN ({})", paper_ids)
    return {paper_id: (key, digest) for paper_id, key, digest in rows}


def _write(connection: sqlite3.Connection, encoded: list[Encoded]) -> None:
    """Write papers with distinct ids; those that are there already in the same words cost no more than a look."""
    author_keys = _write_authors(connection, authors_of(each.paper for each in encoded))
    known = _known(connection, [each.paper.id for each in encoded])
    changed = [each for each in encoded if known.get(each.paper.id, (0, b""))[1] != each.digest]
    replaced = [known[each.paper.id] for each in changed if each.paper.id in known]
    orphans = _detach(connection, [key for key, _ in replaced])
    next_key = _next_key(connection, "paper")
    papers, authorships = [], []
    for paper, payload, digest in changed:
        if paper.id in known:
            key = known[paper.id][0]
        else:
            key, next_key = next_key, next_key + 1
        papers.append((key, paper.id, paper.year, bool(paper.abstract), digest, payload))
        authorships += [(key, author) for author in {author_keys[each.author.id] for each in paper.authorships}]
    connection.executemany("INSERT OR REPLACE INTO paper VALUES (?, ?, ?, ?, ?, ?)", papers)
    connection.executemany("INSERT INTO authorship VALUES (?, ?)", authorships)
    _delete_orphans(connection, orphans)
    _update_fingerprint(connection, [digest for _, digest in replaced] + [each.digest for each in changed])


def _write_authors(connection: sqlite3.Connection, authors: dict[str, Author]) -> dict[str, int]:
    """Add authors, or rename those that are there; the key of each by id."""
    rows = _select(connection, "SELECT key, id, name, orcid FROM author WHERE id IN ({})", authors)
    known = {author_id: (key, Author(author_id, name, orcid)) for key, author_id, name, orcid in rows}
    keys = {author_id: key for author_id, (key, _) in known.items()}
    next_key = _next_key(connection, "author")
    changed = []
    for author_id, author in authors.items():
        if author_id in known:
            before = known[author_id][1]
            author = merge(before, author)
            if author == before:
                continue
        else:
            keys[author_id], next_key = next_key, next_key + 1
        changed.append((keys[author_id], author.id, author.name, author.orcid, normalise_name(author.name)))
    connection.executemany("INSERT OR REPLACE INTO author VALUES (?, ?, ?, ?, ?)", changed)
    return keys


def _next_key(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT coalesce(max(key), 0) + 1 FROM {table}").fetchone()[0])


def _detach(connection: sqlite3.Connection, paper_keys: list[int]) -> set[int]:
    """Take these papers away from their authors; the keys of those authors."""
    authors: set[int] = set()
    for key in paper_keys:
        authors.update(
            author for (author,) in connection.execute("SELECT author FROM authorship WHERE paper = ?", (key,))
        )
    connection.executemany("DELETE FROM authorship WHERE paper = ?", [(key,) for key in paper_keys])
    return authors


def _delete_orphans(connection: sqlite3.Connection, author_keys: set[int]) -> None:
    """Remove those of these authors who have no paper any more."""
    statement = "DELETE FROM author WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM authorship WHERE author = ?1)"
    connection.executemany(statement, [(key,) for key in author_keys])


def _update_fingerprint(connection: sqlite3.Connection, digests: list[bytes]) -> None:
    value = int.from_bytes(connection.execute("SELECT fingerprint FROM state").fetchone()[0])
    connection.execute("UPDATE state SET fingerprint = ?", (combine(value, digests).to_bytes(DIGEST_BYTES),))


def _explain(path: Path, error: sqlite3.Error) -> str:
    """One line for a user: what is wrong with the file and what to do."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_NOTADB:
            return f"'{path}' is not a corpus (no SQLite file): move it away, or choose another workspace"
        case sqlite3.SQLITE_CORRUPT:
            return f"the corpus '{path}' is damaged ({error}): restore it from a copy, or delete it and import again"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"the corpus '{path}' is being written by another process: try again when that has finished"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"the corpus '{path}' cannot be opened for writing ({error}): check the directory's permissions"
        case sqlite3.SQLITE_FULL:
            return f"no space is left for the corpus '{path}': free some and run the same command again"
    return f"the corpus '{path}' cannot be used: {error}"
