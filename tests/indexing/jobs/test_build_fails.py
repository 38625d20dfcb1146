"""How the index job fails: it resumes, refuses in one line, repairs, and builds on nothing that is damaged."""

import dataclasses

import numpy as np
import pytest
from indexing_support import SHARD_SIZE, HashingEncoder, load_hashing, make_papers, open_built, revised, with_text

from indexing.index import open_index
from indexing.jobs import shards
from indexing.jobs.check import check_index
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import CorpusError, IndexDirectoryError, InputError, ModelError

PAPERS = make_papers(200)


def test_an_interrupted_build_goes_on_where_it_stopped_and_another_plan_starts_afresh(corpus, jobs, monkeypatch):
    encoder = shards.encoder_of(load_hashing, "hashing")
    encode = encoder.encode

    def interrupted(texts, progress=None):
        if encoder.encoded >= 3 * SHARD_SIZE:
            raise KeyboardInterrupt
        return encode(texts, progress)

    monkeypatch.setattr(encoder, "encode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        jobs.build(corpus, encoder="hashing", engine="bm25s")
    monkeypatch.undo()
    already = encoder.encoded
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    assert encoder.encoded == len(with_text(PAPERS))
    assert already >= 3 * SHARD_SIZE - 5
    (jobs.path / "build-stale").mkdir()
    jobs.build(corpus, encoder="hashing", engine="bm25s", k1=1.2)
    assert encoder.encoded == 2 * len(with_text(PAPERS))
    with open_built(jobs) as index:
        assert index.manifest.lexical.k1 == 1.2
    assert not list(jobs.path.glob("build-*"))


def test_a_corpus_that_changes_meanwhile_is_noticed(corpus, jobs):
    done = []

    def meddle(stage, count, total):
        if not done:
            done.append(True)
            corpus.upsert(make_papers(1, seed=3, first=900))

    with pytest.raises(CorpusError, match=r"corpus .*changed .*same command"):
        dataclasses.replace(jobs, progress=meddle).build(corpus, encoder="hashing", engine="bm25s")
    assert jobs.build(corpus, encoder="hashing", engine="bm25s").corpus == corpus.fingerprint()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoder": "no-such-model"}, ModelError, "unknown model 'no-such-model'"),
        ({"engine": "grep"}, InputError, r"engine 'grep'.* lucene, bm25s"),
        ({"dense": "tree"}, InputError, r"'tree'.* auto, flat, ivf, hnsw"),
    ],
)
def test_a_wrong_setting_is_refused_before_any_work_and_the_index_still_answers(corpus, jobs, changes, error, message):
    before = jobs.build(corpus, encoder="hashing", engine="bm25s")
    shards.encoder_of(load_hashing, "hashing").encoded = 0
    with pytest.raises(error, match=message):
        jobs.build(corpus, **{"encoder": "hashing", "engine": "bm25s", **changes})
    with open_built(jobs) as index:
        assert index.manifest == before
        assert check_index(index, corpus) == []


def test_nothing_to_index_is_said(tmp_path, jobs):
    with SqliteStore(tmp_path / "empty.sqlite") as corpus:
        with pytest.raises(InputError, match=r"nothing to index.* title"):
            jobs.build(corpus, encoder="hashing", engine="bm25s")
        corpus.upsert([revised(PAPERS[0], title=" ", abstract="")])
        with pytest.raises(InputError, match=r"nothing to index.* title"):
            jobs.build(corpus, encoder="hashing", engine="bm25s")


@pytest.mark.parametrize(("dimension", "revision"), [(8, "1"), (16, "2")])
def test_another_encoder_than_the_manifests_is_refused(corpus, jobs, dimension, revision):
    before = jobs.build(corpus, encoder="hashing", engine="bm25s")
    shards.encoder_of.cache_clear()
    other = dataclasses.replace(jobs, load=lambda name: HashingEncoder(name, dimension, revision))
    corpus.upsert(make_papers(1, seed=3, first=900))
    message = rf"16 dimensions\), .*revision {revision} .* {dimension} dimensions: rebuild"
    for job in (other.add, other.compact):
        with pytest.raises(ModelError, match=message):
            job(corpus)
    with open_index(jobs.path, load=other.load) as index:
        with pytest.raises(ModelError, match=message):
            index.encoder()
        assert index.manifest == before
        assert check_index(index) == []


def test_an_encoder_that_returns_nonsense_is_refused(corpus, jobs):
    class Broken(HashingEncoder):
        def encode(self, texts, progress=None):
            return super().encode(texts, progress) * np.nan

    broken = dataclasses.replace(jobs, load=lambda name: Broken(name, 16, "1"))
    with pytest.raises(ModelError, match="not finite"):
        broken.build(corpus, encoder="broken", engine="bm25s")


def test_jobs_on_no_index_say_how_to_build_one(tmp_path, corpus, jobs):
    command = f"build it with 'panelist index build --workspace {tmp_path}'"
    for job in (
        lambda: jobs.add(corpus),
        lambda: jobs.compact(corpus),
        lambda: jobs.remove(corpus, ["x"]),
        lambda: open_built(jobs),
    ):
        with pytest.raises(IndexDirectoryError) as error:
            job()
        assert command in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../elsewhere"])
def test_a_build_repairs_a_damaged_pointer(corpus, jobs, content):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    (jobs.path / "CURRENT").write_bytes(content)
    for job in (lambda: jobs.add(corpus), lambda: open_built(jobs)):
        with pytest.raises(IndexDirectoryError, match="panelist index build"):
            job()
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    with open_built(jobs) as index:
        assert check_index(index, corpus) == []
    assert len(list(jobs.path.glob("generation-*"))) == 1


@pytest.mark.parametrize("job", ["add", "compact", "remove"])
@pytest.mark.parametrize("name", ["vectors/exact.faiss", "units/years.npy", "ownership/unit_authors.npy"])
def test_nothing_is_built_on_a_damaged_index(corpus, jobs, job, name):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    with open_built(jobs) as index:
        victim, generation = index.path / name, index.path
    data = victim.read_bytes()
    victim.unlink()
    victim.write_bytes(data[:-64] + data[-32:] + data[-64:-32])  # of the same size: only a checksum tells
    corpus.upsert(make_papers(5, seed=9, first=500))
    run = {"add": jobs.add, "compact": jobs.compact, "remove": lambda corpus: jobs.remove(corpus, [PAPERS[0].id])}[job]
    with pytest.raises(IndexDirectoryError, match=rf"{name} .*checksum .*panelist index build"):
        run(corpus)
    assert [path.name for path in jobs.path.glob("generation-*")] == [generation.name]
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    jobs.add(corpus)
