"""What is particular to the MongoDB store: the server, its documents, and what it refuses."""

from pathlib import Path

import pymongo
import pytest

from panelist.corpus.mongo import MongoStore
from panelist.errors import CorpusError, InputError
from panelist.records import Author, Authorship, Paper
from panelist.workspace import Workspace

PAPER = Paper("w.1$", "Dots. and $igns", "An abstract.", 2020, (Authorship(Author("a.b", "Ada")),))


def test_papers_are_documents_that_others_can_query(mongo_uri: str, mongo_database: str) -> None:
    with MongoStore(mongo_uri, database=mongo_database) as store:
        store.upsert([PAPER])
    with MongoStore(mongo_uri, database=mongo_database) as store:
        assert store.papers(["w.1$"]) == {"w.1$": PAPER}
    with pymongo.MongoClient(mongo_uri) as client:
        document = client[mongo_database].papers.find_one({"author_ids": {"$in": ["a.b"]}})
        assert document["title"] == "Dots. and $igns"
        author = {"id": "a.b", "name": "Ada", "orcid": None, "email": None}
        assert document["authorships"] == [{"author": author, "institutions": []}]
        fields = {key for index in client[mongo_database].papers.list_indexes() for key in index["key"]}
        assert fields >= {"_id", "author_ids"}


def test_looking_creates_nothing(mongo_uri: str, mongo_database: str) -> None:
    with MongoStore(mongo_uri, database=mongo_database) as store:
        assert store.counts().papers == 0
        store.fingerprint()
    with pymongo.MongoClient(mongo_uri) as client:
        assert client[mongo_database].meta.count_documents({}) == 0


@pytest.mark.parametrize(
    ("version", "mend"), [(0, "panelist import openalex PATH --workspace NEW"), (9, "pip install --upgrade panelist")]
)
def test_another_schema_version_is_refused(mongo_uri: str, mongo_database: str, version: int, mend: str) -> None:
    with MongoStore(mongo_uri, database=mongo_database) as store:
        store.upsert([PAPER])
    with pymongo.MongoClient(mongo_uri) as client:
        client[mongo_database].meta.update_one({"_id": "corpus"}, {"$set": {"schema_version": version}})
    with pytest.raises(CorpusError) as caught:
        MongoStore(mongo_uri, database=mongo_database)
    assert f"has schema version {version}, this Panelist reads version 2" in str(caught.value)
    assert mend in str(caught.value)


def test_a_fingerprint_survives_a_writer_that_was_killed(
    mongo_uri: str, mongo_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with MongoStore(mongo_uri, database=mongo_database) as store:
        store.upsert([PAPER])
        before = store.fingerprint()
        monkeypatch.setattr(store, "_delete_orphans", killed)
        with pytest.raises(KeyboardInterrupt):
            store.delete([PAPER.id])
        monkeypatch.undo()
        assert store.fingerprint() == "0" * 32
        store.upsert([PAPER])
        assert store.fingerprint() == before


def test_a_server_that_does_not_answer_is_an_error_of_one_line() -> None:
    with pytest.raises(CorpusError) as caught:
        MongoStore("mongodb://ada:secret@127.0.0.1:9/?appName=x", database="d", timeout=0.3)
    assert str(caught.value) == (
        "no MongoDB server answers at mongodb://127.0.0.1:9/: start it, or unset PANELIST_MONGO_URI to use SQLite"
    )


@pytest.mark.parametrize(
    ("uri", "database"), [("http://x", "d"), ("mongodb://", "d"), ("mongodb://127.0.0.1:9", "a b")]
)
def test_an_address_or_name_that_is_none_is_an_error_of_one_line(uri: str, database: str) -> None:
    with pytest.raises(CorpusError) as caught:
        MongoStore(uri, database=database, timeout=0.3)
    assert "\n" not in str(caught.value)


def test_a_paper_that_no_document_can_hold_is_an_error_of_one_line(mongo_uri: str, mongo_database: str) -> None:
    with MongoStore(mongo_uri, database=mongo_database) as store:
        with pytest.raises(InputError, match=r"^paper 'w1' has 17,000,\d+ bytes.* 16,777,216"):
            store.upsert([Paper("w1", "x" * 17_000_000)])
        long = Paper("w2", "x" * 15_000_000)
        store.upsert([long])
        assert store.papers(["w2"]) == {"w2": long}


def test_a_workspace_without_a_corpus_on_the_server_is_refused(
    mongo_uri: str, mongo_database: str, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / mongo_database, mongo=mongo_uri)
    with pytest.raises(InputError, match="no corpus in workspace"):
        workspace.open_corpus()
    with workspace.open_corpus(create=True) as store:
        store.upsert([PAPER])
    with workspace.open_corpus() as store:
        assert store.counts().papers == 1
