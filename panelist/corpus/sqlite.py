"""The embedded corpus store: one SQLite file, no server."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from panelist.corpus.documents import DIGEST_BYTES, StoredPaper, authors_of, batches, combine_digests, decode_paper
from panelist.corpus.history import StoredEvent
from panelist.corpus.names import plain_name
from panelist.corpus.store import REIMPORT, CorpusCounts, CorpusStore
from panelist.errors import CorpusError
from panelist.records import Author, Paper
from panelist.sqlite_file import Schema, SqliteFile

_IDS = 500  # ids per statement, below the smallest limit of variables that SQLite is built with

# Papers and authors have integer keys, so that an authorship is a few bytes. The payload is the paper's last column:
# queries that do not want it never read its pages.
SCHEMA = Schema(
    noun="corpus",
    application_id=0x50414E4C,  # "PANL"
    version=2,
    script=f"""
CREATE TABLE paper (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, year INTEGER, has_abstract INTEGER NOT NULL,
    digest BLOB NOT NULL, payload BLOB NOT NULL
);
CREATE INDEX paper_without_abstract ON paper (has_abstract) WHERE has_abstract = 0;
CREATE TABLE author (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, orcid TEXT, normal_name TEXT NOT NULL
);
CREATE INDEX author_normal_name ON author (normal_name);
CREATE INDEX author_orcid ON author (orcid) WHERE orcid IS NOT NULL;
CREATE TABLE authorship (paper INTEGER NOT NULL, author INTEGER NOT NULL, PRIMARY KEY (paper, author)) WITHOUT ROWID;
CREATE INDEX authorship_author ON authorship (author);
CREATE TABLE state (fingerprint BLOB NOT NULL);
INSERT INTO state VALUES (zeroblob({DIGEST_BYTES}))
""",
    error=CorpusError,
    remedy=REIMPORT,
)

# Made by the first event, so that a corpus without a history is as it always was.
_HISTORY = """
CREATE TABLE IF NOT EXISTS history (
    paper TEXT NOT NULL, role TEXT NOT NULL, person TEXT NOT NULL, digest BLOB NOT NULL, payload BLOB NOT NULL,
    PRIMARY KEY (paper, role, person)
) WITHOUT ROWID"""
_WRITE_EVENT = """
INSERT INTO history VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
SET digest = excluded.digest, payload = excluded.payload WHERE digest != excluded.digest"""
_DELETE_EVENT = "DELETE FROM history WHERE paper = ? AND role = ? AND person = ?"
_WRITE_PAPER = """
INSERT INTO paper (id, year, has_abstract, digest, payload) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
SET year = excluded.year, has_abstract = excluded.has_abstract, digest = excluded.digest, payload = excluded.payload"""
_WRITE_AUTHOR = """
INSERT INTO author (id, name, orcid, normal_name) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
SET name = excluded.name, orcid = coalesce(excluded.orcid, orcid), normal_name = excluded.normal_name
WHERE name != excluded.name OR excluded.orcid IS NOT NULL AND excluded.orcid IS NOT orcid"""


class SqliteStore(CorpusStore):
    """A corpus in one SQLite file.

    Any number of threads and processes may read while one writes; a second writer waits for its turn, half a minute
    at most.
    """

    def __init__(self, path: Path) -> None:
        """Open the corpus at `path`, creating it where there is none."""
        self._file = SqliteFile(path, SCHEMA)

    def _write(self, rows: list[StoredPaper]) -> None:
        with self._file.writing() as connection:
            _write(connection, rows)

    def _delete(self, paper_ids: list[str]) -> int:
        with self._file.writing() as connection:
            stored = _stored(connection, paper_ids)
            keys = [(key,) for key, _ in stored.values()]
            authors = _detach(connection, keys)
            connection.executemany("DELETE FROM paper WHERE key = ?", keys)
            _delete_orphans(connection, authors)
            _update_fingerprint(connection, [digest for _, digest in stored.values()])
        return len(stored)

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """The papers with these ids."""
        with self._file.reading() as connection:
            rows = _select(connection, "SELECT payload FROM paper WHERE id IN ({})", paper_ids)
            papers = [decode_paper(payload) for (payload,) in rows]
        return {paper.id: paper for paper in papers}

    def iter_papers(self) -> Iterator[Paper]:
        """All papers in ascending order of id, as they were when the iteration began."""
        query = "SELECT payload FROM paper ORDER BY id"
        with self._file.reading() as connection, closing(connection.execute(query)) as rows:
            for (payload,) in rows:
                yield decode_paper(payload)

    def _authors_with(self, field: str, values: Sequence[str]) -> list[Author]:
        query = f"SELECT id, name, orcid FROM author WHERE {field} IN ({{}})"
        with self._file.reading() as connection:
            return sorted((Author(*row) for row in _select(connection, query, values)), key=lambda author: author.id)

    def _shared_orcids(self) -> list[str]:
        digits = "substr(replace(rtrim(upper(orcid), '/'), '-', ''), -16)"
        groups = f"FROM author WHERE orcid IS NOT NULL GROUP BY {digits} HAVING count(*) > 1"
        with self._file.reading() as connection:
            rows = connection.execute(f"SELECT json_group_array(orcid) {groups}").fetchall()
        return [orcid for (written,) in rows for orcid in orjson.loads(written)]

    def _authorships(self, author_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        query = """
            SELECT author.id, paper.id FROM author
            JOIN authorship ON authorship.author = author.key
            JOIN paper ON paper.key = authorship.paper
            WHERE author.id IN ({})"""
        with self._file.reading() as connection:
            yield from _select(connection, query, author_ids)

    def _papers_with(self, doi: str) -> list[Paper]:
        text = orjson.dumps(doi).decode()[1:-1]  # as it stands in the payload
        pattern = "".join(f"\\{letter}" if letter in "%_\\" else letter for letter in text)
        query = "SELECT payload FROM paper WHERE CAST(payload AS TEXT) LIKE ? ESCAPE '\\' ORDER BY id"
        with self._file.reading() as connection:
            return [decode_paper(payload) for (payload,) in connection.execute(query, (f"%{pattern}%",))]

    def counts(self) -> CorpusCounts:
        """Papers, authors, and papers without an abstract."""
        query = """
            SELECT (SELECT count(*) FROM paper), (SELECT count(*) FROM author),
                   (SELECT count(*) FROM paper WHERE has_abstract = 0)"""
        with self._file.reading() as connection:
            return CorpusCounts(*connection.execute(query).fetchone())

    def fingerprint(self) -> str:
        """A digest of all papers, kept up to date by every write."""
        with self._file.reading() as connection:
            return _fingerprint(connection).hex()

    def _events(self) -> Iterator[tuple[Any, bytes, bytes]]:
        query = "SELECT paper, role, person, digest, payload FROM history ORDER BY paper, role, person"
        with self._file.reading() as connection:
            if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'history'").fetchone():
                with closing(connection.execute(query)) as rows:
                    for *key, digest, payload in rows:
                        yield key, digest, payload

    def _write_events(self, rows: list[StoredEvent]) -> int:
        changed = 0
        with self._file.writing() as connection:
            connection.execute(_HISTORY)
            for row in rows:
                paper_and_role = (row.paper, row.role)
                connection.executemany(_DELETE_EVENT, ((*paper_and_role, key) for key in row.older))
                changed += connection.execute(
                    _WRITE_EVENT, (*paper_and_role, row.key, row.digest, row.payload)
                ).rowcount
        return changed

    def _erase_events(self, keys: list[Any]) -> None:
        with self._file.writing() as connection:
            connection.execute("PRAGMA secure_delete = 1")  # the bytes are overwritten
            connection.executemany(_DELETE_EVENT, keys)
        self._file.erase_log()

    def close(self) -> None:
        """Close the file of the corpus."""
        self._file.close()


def _select(connection: sqlite3.Connection, query: str, ids: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query with `{}` instead of the ids, however many they are.

    Not by `json_each`: SQLite ends a JSON string at a zero byte, and another id would be meant.
    """
    for batch in batches(dict.fromkeys(ids), _IDS):
        yield from connection.execute(query.format(",".join("?" * len(batch))), batch)


def _stored(connection: sqlite3.Connection, paper_ids: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    """Key and digest of those of these papers that are there."""
    rows = _select(connection, "SELECT id, key, digest FROM paper WHERE id IN ({})", paper_ids)
    return {paper_id: (key, digest) for paper_id, key, digest in rows}


def _write(connection: sqlite3.Connection, rows: list[StoredPaper]) -> None:
    """Write papers with distinct ids. Those that are there already, the same in every field, cost only the look."""
    author_keys = _write_authors(connection, authors_of(rows))
    stored = _stored(connection, [row.id for row in rows])
    changed = [row for row in rows if row.id not in stored or stored[row.id][1] != row.digest]
    replaced = [stored[row.id] for row in changed if row.id in stored]
    detached = _detach(connection, [(key,) for key, _ in replaced])
    values = [(row.id, row.year, row.has_abstract, row.digest, row.payload) for row in changed]
    connection.executemany(_WRITE_PAPER, values)
    written = _stored(connection, [row.id for row in changed])
    # A set: somebody may be named twice on one paper.
    authorships = {(written[row.id][0], author_keys[author.id]) for row in changed for author in row.authors}
    connection.executemany("INSERT INTO authorship VALUES (?, ?)", sorted(authorships))
    _delete_orphans(connection, detached)
    _update_fingerprint(connection, [digest for _, digest in replaced] + [row.digest for row in changed])


def _write_authors(connection: sqlite3.Connection, authors: dict[str, Author]) -> dict[str, int]:
    """Add authors, and rename those whose names have changed; the key of each by id."""
    # In order of id, so that neighbours in the index of ids are written together.
    ordered = sorted(authors.values(), key=lambda author: author.id)
    values = [(author.id, author.name, author.orcid, plain_name(author.name)) for author in ordered]
    connection.executemany(_WRITE_AUTHOR, values)
    return dict(_select(connection, "SELECT id, key FROM author WHERE id IN ({})", authors))


def _detach(connection: sqlite3.Connection, paper_keys: list[tuple[int]]) -> set[tuple[int]]:
    """Take these papers away from their authors; returns the keys of these authors."""
    authors: set[tuple[int]] = set()
    for key in paper_keys:
        authors.update(connection.execute("SELECT author FROM authorship WHERE paper = ?", key))
    connection.executemany("DELETE FROM authorship WHERE paper = ?", paper_keys)
    return authors


def _delete_orphans(connection: sqlite3.Connection, author_keys: set[tuple[int]]) -> None:
    statement = "DELETE FROM author WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM authorship WHERE author = ?1)"
    connection.executemany(statement, author_keys)


def _fingerprint(connection: sqlite3.Connection) -> bytes:
    value: bytes = connection.execute("SELECT fingerprint FROM state").fetchone()[0]
    return value


def _update_fingerprint(connection: sqlite3.Connection, digests: list[bytes]) -> None:
    connection.execute("UPDATE state SET fingerprint = ?", (combine_digests([_fingerprint(connection), *digests]),))
