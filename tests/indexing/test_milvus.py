"""An index on a real Milvus server: builds, updates, kills, and what is said when something is wrong."""

import json
import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from indexing_support import SHARD_SIZE, Runner, load_hashing, make_papers, open_built, search
from milvus_support import LiteServer, binary
from waiting import until

from indexing.dense import build_vector_index, open_vector_index
from indexing.dense.faiss_flat import ExactIndex
from indexing.index import open_index
from indexing.jobs import shards
from indexing.jobs.build import IndexJobs
from indexing.jobs.check import check_index
from indexing.jobs.deep import LEAST, lexical_agreement, vector_agreement
from indexing.jobs.executors import open_workers
from indexing.lexical import open_lexical, write_lexical
from indexing.milvus.address import Address, address_of
from indexing.milvus.server import DEEPEST, Filter, Server
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import EngineError, IndexDirectoryError, InputError
from panelist.workspace import Workspace

PAPERS = make_papers(200)
SECRET = "correct-horse"


@pytest.fixture
def server(tmp_path):
    """A server of the test's own, to be killed."""
    if binary() is None:
        pytest.skip("no Milvus server (install milvus-lite)")
    (tmp_path / "server").mkdir()
    server = LiteServer(tmp_path / "server").start()
    yield server
    server.kill()


def collections(engine):
    return set(Server(address_of(engine)).client.list_collections())


def answered(index, corpus):
    """What an index answers, None as long as its server does not."""
    with suppress(EngineError):
        return search(index, corpus)


def assert_same_first(found, expected, tolerance=0.02):
    """The same papers, and nearly the same scores; near-ties may change places."""
    for key, hits in expected.items():
        assert {paper for _, paper in found[key][:5]} <= {paper for _, paper in hits}
        np.testing.assert_allclose([score for score, _ in found[key]], [score for score, _ in hits], rtol=tolerance)


def test_build_update_remove_and_compact_answer_as_a_local_index(tmp_path, corpus, jobs, milvus):
    before = collections(milvus)
    manifest = jobs.build(corpus, encoder="hashing", engine=milvus)
    assert manifest.lexical.engine == manifest.dense.wanted == str(address_of(milvus))
    assert manifest.dense.kind == "milvus"
    local = IndexJobs(tmp_path / "local", load=load_hashing, shard_size=SHARD_SIZE)
    local.build(corpus, encoder="hashing", engine="bm25s")
    with open_built(jobs) as old, open_built(local) as expected:
        assert check_index(old, corpus) == []
        words = lexical_agreement(old, corpus)
        assert (words.texts, words.found, words.best) == (manifest.counts.papers, 1.0, 1.0)
        assert words.difference < 1e-3
        first = search(old, corpus)
        assert_same_first(first, search(expected, corpus))
        corpus.delete([PAPERS[4].id])
        corpus.upsert(make_papers(60, seed=1, first=200))
        jobs.add(corpus)
        jobs.remove(corpus, [PAPERS[8].id])
        local.add(corpus)
        local.remove(corpus, [PAPERS[8].id])
        # Its own rows only, though the collection has grown; frequencies count the new rows too.
        with SqliteStore(tmp_path / "old.sqlite") as was:
            was.upsert(PAPERS)
            assert_same_first(search(old, was), first, tolerance=0.15)
    with open_built(jobs) as new, open_built(local) as expected:
        assert check_index(new, corpus) == []
        assert_same_first(search(new, corpus), search(expected, corpus), tolerance=0.05)
    assert len(collections(milvus) - before) == 1
    jobs.compact(corpus)
    with open_built(jobs) as new:
        assert new.manifest.counts.tombstones == 0
        assert check_index(new, corpus) == []
        assert lexical_agreement(new, corpus).found == vector_agreement(new).found == 1
        Server(address_of(milvus)).delete_after(*(collections(milvus) - before), 150)
        assert lexical_agreement(new, corpus).found < LEAST, "rows that the server lost are seen"
        assert vector_agreement(new).found < LEAST
    assert len(collections(milvus) - before) == 1, "what the old generations needed is dropped"


def test_a_killed_build_resumes_and_leaves_no_collection_behind(tmp_path, milvus):
    workspace = Workspace(tmp_path / "w")
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(PAPERS)
    before = collections(milvus)
    runner = Runner(tmp_path / "output")
    options = ("--engine", milvus)
    touches = runner.finish(workspace, "build", *options)
    with workspace.open_corpus() as corpus, open_index(workspace.index_path, load=load_hashing) as index:
        expected = search(index, corpus)
    for moment in (touches // 2, touches - 12):
        runner.kill(workspace, "build", moment, *options)
        with open_index(workspace.index_path, load=load_hashing) as index, workspace.open_corpus() as corpus:
            assert search(index, corpus) == expected, "the old generation serves"
        runner.finish(workspace, "build", *options)
        with open_index(workspace.index_path, load=load_hashing) as index, workspace.open_corpus() as corpus:
            assert check_index(index, corpus) == []
            assert search(index, corpus) == expected
    runner.close()
    assert len(collections(milvus) - before) == 1


def test_a_killed_server_loses_nothing_that_was_committed(tmp_path, server, corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine=server.engine)
    with open_built(jobs) as index:
        expected = search(index, corpus)
        server.kill()
        with pytest.raises(EngineError, match=rf"{server.port} .*not answer: start"):
            index.lexical().search(["bada1"], 3)
        with pytest.raises(EngineError, match=rf"{server.port} .*not answer: start"):
            index.dense().search(index.vectors[:1], 3)
        server.start()
        assert until(lambda: answered(index, corpus)) == expected, "it is back, and so are we"
    with write_lexical(tmp_path / "more", server.engine) as writer:
        writer.add([0], ["graph"])
        writer.commit()
        writer.add([1], ["mouse"])
        server.kill()
        server.start()
        writer.add([2], ["mouse"])
    with open_lexical(tmp_path / "more", server.engine) as more:
        assert sorted(more.search(["mouse graph"], 3).units[0].tolist()) == [0, 1, 2]


def test_a_missing_collection_and_a_damaged_state_name_the_command(tmp_path, corpus, jobs, milvus):
    jobs.build(corpus, encoder="hashing", engine=milvus)
    with open_built(jobs) as index:
        state = json.loads((index.path / "lexical" / "milvus.json").read_text())
        Server(address_of(milvus)).drop(state["collection"])
        with pytest.raises(IndexDirectoryError, match=rf"{state['collection']}.*panelist index build"):
            index.lexical()
    (tmp_path / "milvus.json").write_text("{}")
    with pytest.raises(IndexDirectoryError, match=r"milvus\.json.*panelist index build"):
        open_lexical(tmp_path, milvus)


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("milvus://127.0.0.1:1", r"127\.0\.0\.1:1 .*answer.*PANELIST_MILVUS_URI"),
        ("milvus://", r"not .*address .*milvus://HOST:PORT"),
        ("milvus://host:port", "is not the address"),
        ("milvus:host", "is not the address"),
        ("milvus", "which Milvus server"),
        (f"milvus://root:{SECRET}@db.example", r"password.*PANELIST_MILVUS_URI"),
        (f"milvus://root:{SECRET}@", "is not the address"),
    ],
)
def test_a_wrong_address_is_one_line_without_the_password(corpus, jobs, monkeypatch, engine, message):
    monkeypatch.delenv("PANELIST_MILVUS_URI", raising=False)
    with pytest.raises((EngineError, InputError), match=message) as caught:
        jobs.build(corpus, encoder="hashing", engine=engine)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_is_neither_stored_nor_logged(corpus, jobs, milvus, monkeypatch, caplog):
    address = address_of(milvus)
    monkeypatch.setenv("PANELIST_MILVUS_URI", f"milvus://root:{SECRET}@{address.host}:{address.port}")
    jobs.build(corpus, encoder="hashing", engine="milvus")
    with open_built(jobs) as index:
        assert check_index(index, corpus) == []
        assert index.manifest.lexical.engine == f"milvus://{address.host}:{address.port}"
    stored = [path for path in jobs.path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert stored == []
    assert SECRET not in caplog.text
    monkeypatch.setenv("PANELIST_MILVUS_URI", f"milvus://root:{SECRET}@127.0.0.1:1")
    with open_built(jobs) as index, pytest.raises(EngineError) as caught:
        index.lexical()
    assert SECRET not in str(caught.value)


def test_an_old_server_is_refused(monkeypatch, milvus):
    from pymilvus import MilvusClient

    monkeypatch.setattr(MilvusClient, "get_server_version", lambda self, **_: "v2.3.5")
    with pytest.raises(EngineError, match=r"v2\.3\.5: 2\.5 or newer"):
        Server(address_of(milvus))


def test_an_old_server_forgets_vectors_that_no_generation_needs(monkeypatch, corpus, jobs, milvus):
    from pymilvus import MilvusClient

    before = collections(milvus)
    with monkeypatch.context() as old:
        old.setattr(MilvusClient, "get_server_version", lambda self, **_: "v2.3.5")
        for _ in range(2):
            jobs.build(corpus, encoder="hashing", engine="bm25s", dense=milvus)
    assert len(collections(milvus) - before) == 1


def test_connecting_leaves_the_logging_of_the_process_alone(tmp_path, milvus):
    code = (
        "import logging, sys\n"
        "from indexing.milvus.address import address_of\nfrom indexing.milvus.server import Server\n"
        "logging.basicConfig(filename=sys.argv[1], filemode='w')\n"
        "Server(address_of(sys.argv[2]))\nlogging.warning('still here')\n"
        "print(logging.getLogger('pymilvus').handlers, logging.getLogger('pymilvus.milvus_client').handlers)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "log"), milvus]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (printed.stdout, printed.stderr) == ("[] []\n", "")
    assert (tmp_path / "log").read_text() == "WARNING:root:still here\n"


def test_addresses_of_milvus_are_parsed():
    assert address_of("milvus://host") == Address(False, "host", 19_530)
    assert str(address_of("milvuss://host:1/papers")) == "milvuss://host:1/papers"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_filters_share_the_allowed_units_between_them(monkeypatch, share):
    monkeypatch.setattr("indexing.milvus.server._IDS", 7)
    mask = np.random.default_rng(1).random(60) < share
    units = Filter.of(mask)
    assert units.count == mask.sum()
    passed = [unit for expression in units.expressions for unit in range(70) if eval(expression, {"unit": unit})]
    assert sorted(passed) == np.flatnonzero(mask).tolist()


def test_a_mask_in_several_filters_is_searched_exactly(tmp_path, milvus, monkeypatch):
    monkeypatch.setattr("indexing.milvus.server._IDS", 7)
    contents = ["graph " * (1 + number % 5) + "mouse" for number in range(60)]
    with write_lexical(tmp_path, milvus) as writer:
        writer.add(range(60), contents)
    with open_lexical(tmp_path, milvus) as index:
        allowed = np.arange(60) % 2 == 0
        everything = [unit for unit in index.search(["graph"], 60).units[0].tolist() if allowed[unit]]
        assert index.search(["graph"], 10, allowed=allowed).units[0].tolist() == everything[:10]


def test_depth_beyond_the_limit_of_the_server_is_refused(tmp_path, milvus, monkeypatch):
    with write_lexical(tmp_path / "l", milvus) as writer:
        writer.add(range(30), ["graph"] * 30)
    monkeypatch.setattr("indexing.milvus.server.DEEPEST", 20)
    with open_lexical(tmp_path / "l", milvus) as index, pytest.raises(InputError, match="at most 20"):
        index.search(["graph"], 25)
    assert DEEPEST == 16_384


def test_vectors_are_added_to_those_of_the_base(tmp_path, milvus):
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((600, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    build_vector_index(vectors[:400], tmp_path / "old", milvus)
    build_vector_index(vectors, tmp_path / "new", milvus, base=tmp_path / "old")
    states = [json.loads((tmp_path / name / "milvus.json").read_text()) for name in ("old", "new")]
    assert states[0]["collection"] == states[1]["collection"]
    for name, rows in (("old", 400), ("new", 600)):
        index = open_vector_index(tmp_path / name, vectors[:rows])
        exact = ExactIndex(vectors[:rows]).search(vectors[:9], 20)
        np.testing.assert_array_equal(index.search(vectors[:9], 20).units, exact.units)
    with pytest.raises(IndexDirectoryError):
        open_vector_index(tmp_path / "new", vectors[:500])
    assert os.path.exists(tmp_path / "new" / "index.json")


def test_a_build_with_workers_answers_as_one_without(tmp_path, corpus, milvus):
    answers = {}
    for name, executor in (("here", None), ("there", "processes:2")):
        shards.encoder_of.cache_clear()
        with open_workers(executor) as workers:
            jobs = IndexJobs(tmp_path / name, load=load_hashing, workers=workers, shard_size=SHARD_SIZE)
            jobs.build(corpus, encoder="hashing", engine=milvus)
            corpus.upsert(make_papers(40, seed=2, first=300))
            jobs.add(corpus)
        with open_built(jobs) as index:
            assert check_index(index, corpus) == []
            answers[name] = search(index, corpus)
            assert json.loads((index.path / "lexical" / "milvus.json").read_text())["last"] == len(index.units) - 1
        corpus.delete([paper.id for paper in make_papers(40, seed=2, first=300)])
    assert_same_first(answers["there"], answers["here"])
