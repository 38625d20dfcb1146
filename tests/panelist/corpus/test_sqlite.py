"""What is particular to the SQLite store: transactions, threads, and files that are not as they should be."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import panelist.corpus.sqlite as sqlite_module
from panelist.corpus.sqlite import SCHEMA, SqliteStore
from panelist.errors import CorpusError, InputError
from panelist.records import Author, Authorship, Paper
from panelist.workspace import Workspace


def papers(count: int, title: str = "Title") -> list[Paper]:
    return [Paper(f"w{i:05d}", title, authorships=(Authorship(Author(f"a{i % 7}", "A")),)) for i in range(count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A corpus of 500 papers, closed again."""
    path = tmp_path / "corpus.sqlite"
    with SqliteStore(path) as store:
        store.upsert(papers(500))
    return path


def read_and_write(path: Path) -> None:
    with SqliteStore(path) as store:
        list(store.iter_papers())
        store.upsert(papers(1))


def line_of(path: Path) -> str:
    """What a user is told of a file that cannot be used."""
    with pytest.raises(CorpusError) as caught:
        read_and_write(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_corpus_outlives_its_process_in_one_file(path: Path) -> None:
    assert [each.name for each in path.parent.iterdir()] == ["corpus.sqlite"]
    with SqliteStore(path) as store:
        assert store.counts().papers == 500
        assert store.papers(["w00007"])["w00007"] == papers(8)[7]


@pytest.mark.parametrize(
    ("version", "mend"), [(0, "panelist import openalex PATH --workspace NEW"), (9, "pip install --upgrade panelist")]
)
def test_another_schema_version_is_refused(path: Path, version: int, mend: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    line = line_of(path)
    assert f"has schema version {version}, this Panelist reads version {SCHEMA.version}" in line
    assert mend in line


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, " * 100)
    assert "is not a corpus" in line_of(path)
    assert path.read_text() == "not a database, " * 100


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "photos.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE photo (id)")
    connection.close()
    before = path.read_bytes()
    assert "another program's SQLite file" in line_of(path)
    assert path.read_bytes() == before


def test_a_truncated_file_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:30_000])
    assert "is damaged" in line_of(path)


def test_noise_inside_the_file_is_an_error_of_one_line(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    assert "is damaged" in line_of(path)


@pytest.mark.parametrize("damage", [b'{"w00007"', b'["w0000\xff"', b"[1234567."], ids=["json", "utf-8", "type"])
def test_a_damaged_paper_is_an_error_of_one_line(path: Path, damage: bytes) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b'["w00007"', damage))
    with SqliteStore(path) as store, pytest.raises(CorpusError, match="is damaged"):
        store.papers(["w00007"])


@pytest.mark.parametrize("path", ["/proc/corpus.sqlite", "/proc/missing/corpus.sqlite", "/proc"])
def test_a_path_that_cannot_be_written_is_an_error_of_one_line(path: str) -> None:
    assert "must exist and be writable" in line_of(Path(path))


def test_a_locked_corpus_can_be_read_but_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panelist.sqlite_file._LOCK_SECONDS", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with SqliteStore(path) as store:
        assert store.counts().papers == 500
        with pytest.raises(CorpusError, match="another process: try again"):
            store.upsert(papers(1, "New"))
        other.execute("ROLLBACK")
        assert store.upsert(papers(1, "New")) == 1
    other.close()


def test_a_batch_is_written_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("the disk went away")

    with SqliteStore(path) as store:
        before = (list(store.iter_papers()), store.counts(), store.fingerprint())
        with monkeypatch.context() as patch:
            patch.setattr(sqlite_module, "_update_fingerprint", full)
            with pytest.raises(CorpusError, match="cannot be used: the disk"):
                store.upsert(papers(600, "New"))
            with pytest.raises(CorpusError, match="cannot be used: the disk"):
                store.delete(["w00001"])
        assert (list(store.iter_papers()), store.counts(), store.fingerprint()) == before


def test_an_iteration_sees_the_corpus_of_its_beginning(path: Path) -> None:
    with SqliteStore(path) as store:
        reader = store.iter_papers()
        first = next(reader)
        store.delete(each.id for each in papers(500)[1:])
        assert [first, *reader] == papers(500)
        assert list(store.iter_papers()) == papers(1)


def test_an_iteration_that_is_abandoned_gives_its_connection_back(path: Path) -> None:
    with SqliteStore(path) as store:
        for _ in range(300):  # more than a process may have files open, were they kept
            next(store.iter_papers())
        store.upsert(papers(1, "New"))
        assert next(store.iter_papers()).title == "New"


def test_threads_read_whole_batches_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panelist.corpus.store._BATCH", 50)
    done = threading.Event()
    with SqliteStore(tmp_path / "corpus.sqlite") as store:

        def read() -> set[tuple[int, int]]:
            seen = set()
            while not done.is_set():
                titles = [paper.title for paper in store.iter_papers()]
                seen.add((len(titles) % 50, sum(title == "odd" for title in titles) % 50))
            return seen

        with ThreadPoolExecutor(6) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            writers = [pool.submit(store.upsert, papers(1000, title)) for title in ("odd", "even", "odd")]
            try:
                assert [writer.result() for writer in writers] == [1000] * 3
            finally:
                done.set()
            assert set().union(*(reader.result() for reader in readers)) == {(0, 0)}
        assert store.counts().papers == 1000
        for _ in range(2):  # whoever wrote last: the fingerprint follows the papers
            store.upsert(papers(1000, "even"))
        with SqliteStore(tmp_path / "fresh.sqlite") as fresh:
            fresh.upsert(papers(1000, "even"))
            assert store.fingerprint() == fresh.fingerprint()


def test_an_empty_file_is_no_corpus_until_something_is_imported(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.corpus_path.touch()
    with pytest.raises(InputError, match="no corpus in workspace"):
        workspace.open_corpus()
    assert workspace.corpus_path.stat().st_size == 0
    with workspace.open_corpus(create=True) as store:
        store.upsert(papers(3, "some"))
    with workspace.open_corpus() as store:
        assert store.counts().papers == 3
