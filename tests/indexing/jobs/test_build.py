"""The index job: what it makes, how it updates it, how it fails."""

import dataclasses
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import indexing_support as support
import msgspec
import numpy as np
import pytest
from indexing_support import SHARD_SIZE, HashingEncoder, load_hashing, make_papers, search, units_of

from indexing.index import open_index
from indexing.jobs import shards
from indexing.jobs.build import IndexJobs
from indexing.jobs.check import check_index
from indexing.jobs.executors import Workers
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import CorpusError, IndexDirectoryError, InputError, ModelError
from panelist.records import Author, Authorship, Institution, Paper

ENGINES = ["bm25s", pytest.param("lucene", marks=pytest.mark.java)]
PAPERS = make_papers(200)


@pytest.fixture
def corpus(tmp_path):
    with SqliteStore(tmp_path / "corpus.sqlite") as store:
        store.upsert(PAPERS)
        yield store


@pytest.fixture
def jobs(tmp_path):
    shards.encoder_of.cache_clear()
    return IndexJobs(tmp_path / "index", load=load_hashing, shard_size=SHARD_SIZE)


def open_built(jobs):
    return open_index(jobs.path, load=load_hashing)


def built_anew(tmp_path, corpus, engine="bm25s"):
    """A fresh index of the same corpus, to compare with."""
    fresh = IndexJobs(tmp_path / "fresh", load=load_hashing, shard_size=1_000)
    fresh.build(corpus, encoder="hashing", engine=engine)
    return open_built(fresh)


def revised(paper, **changes):
    return msgspec.structs.replace(paper, **changes)


def with_text(papers):
    return {paper.id: paper for paper in papers if paper.title or paper.abstract}


def assert_same_contents(index, papers):
    """Every paper is there once, with its year, citations and all its authors, in order, found both ways."""
    live = np.flatnonzero(index.live)
    assert sorted(index.units.paper_ids(live)) == sorted(papers)
    for paper_id, paper in papers.items():
        (unit,) = index.units.find([paper_id])
        assert index.units.citations[unit] == paper.cited_by_count
        assert index.units.years[unit] == (paper.year or 0)
        authors = [authorship.author.id for authorship in paper.authorships]
        assert index.ownership.author_ids.take(index.ownership.authors_of(unit)) == authors
        for number in index.ownership.author_ids.find(authors):
            assert unit in units_of(index.ownership, number)


def assert_same_answers(index, fresh, corpus):
    """The same hits and scores; of Lucene with tombstones only the same first hits, at about the same scores.

    Lucene counts a removed text in its document frequencies until it merges the segment, or the index is compacted.
    """
    found, expected = search(index, corpus), search(fresh, corpus)
    if index.manifest.lexical.engine == "lucene":
        for key in [key for key in expected if key[0] == "lexical"]:
            (score, first), (expected_score, expected_first) = found.pop(key)[0], expected.pop(key)[0]
            assert first == expected_first
            assert score == pytest.approx(expected_score, rel=0.1)
    assert found == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_that_only_grew_answers_exactly_like_one_built_anew(tmp_path, corpus, jobs, engine):
    jobs.build(corpus, encoder="hashing", engine=engine)
    for start in (200, 230):
        corpus.upsert(make_papers(30, seed=start, first=start))
        jobs.add(corpus)
    with open_built(jobs) as index, built_anew(tmp_path, corpus, engine) as fresh:
        assert search(index, corpus) == search(fresh, corpus)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_build_indexes_every_paper_that_has_a_text(corpus, jobs, engine):
    manifest = jobs.build(corpus, encoder="hashing", engine=engine)
    papers = with_text(PAPERS)
    assert 0 < len(papers) < len(PAPERS)
    assert manifest.counts.papers == manifest.counts.units == len(papers)
    assert manifest.counts.skipped == len(PAPERS) - len(papers)
    assert manifest.counts.tombstones == 0
    assert manifest.corpus == corpus.fingerprint()
    with open_built(jobs) as index:
        assert index.manifest == manifest
        assert_same_contents(index, papers)
        assert index.units.paper_ids(range(len(papers))) == sorted(papers)
        assert index.vectors.shape == (len(papers), 16)
        assert check_index(index, corpus) == []
        (without_abstract,) = index.units.find(
            [next(paper.id for paper in PAPERS if paper.title and not paper.abstract)]
        )
        hits = index.dense().search(index.vectors[[without_abstract]], 1)
        assert hits.units.tolist() == [[without_abstract]]
    assert sorted(path.name for path in jobs.path.iterdir()) == ["CURRENT", "generation-000001", "lock", "lock.holder"]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_updated_index_answers_like_one_built_anew(tmp_path, corpus, jobs, engine):
    first = jobs.build(corpus, encoder="hashing", engine=engine)
    papers = with_text(PAPERS)
    changed, reattributed, gone = sorted(papers)[10:20], sorted(papers)[30:40], sorted(papers)[50:60]
    corpus.upsert(make_papers(40, seed=5, first=200))
    corpus.upsert(
        revised(papers[paper], abstract=papers[paper].abstract + " novel words", year=2024) for paper in changed
    )
    corpus.upsert(revised(papers[paper], authorships=papers[changed[0]].authorships) for paper in reattributed)
    corpus.delete(gone)
    encoder = shards.encoder_of(load_hashing, "hashing")
    encoder.encoded = 0
    now = with_text(corpus.iter_papers())
    with open_built(jobs) as before:
        numbers = dict(zip(before.units.paper_ids(range(len(before.units))), range(len(before.units)), strict=True))
        updated = jobs.add(corpus)
        new = len(now) - (len(papers) - len(gone))
        assert encoder.encoded == new + len(changed)
        assert updated.counts.tombstones == len(gone) + len(changed)
        assert updated.counts.units == first.counts.units + new + len(changed)
        assert updated.corpus == corpus.fingerprint()
        assert_same_contents(before, papers)  # the reader of the old generation notices nothing
        assert check_index(before) == []
    with open_built(jobs) as index, built_anew(tmp_path, corpus, engine) as fresh:
        assert_same_contents(index, now)
        assert check_index(index, corpus) == []
        kept = sorted(set(papers) & set(now) - set(changed))
        assert index.units.find(kept).tolist() == [numbers[paper] for paper in kept]
        assert_same_answers(index, fresh, corpus)
        assert index.ownership.author_ids.all() == fresh.ownership.author_ids.all()
    assert jobs.add(corpus) == updated  # nothing to do


@pytest.mark.parametrize("engine", ENGINES)
def test_removing_and_compacting_leave_what_a_build_without_the_papers_would(tmp_path, corpus, jobs, engine):
    jobs.build(corpus, encoder="hashing", engine=engine)
    gone = sorted(with_text(PAPERS))[::7]
    removed = jobs.remove(gone)
    assert removed.counts.tombstones == len(gone)
    corpus.delete(gone)
    now = with_text(corpus.iter_papers())
    encoder = shards.encoder_of(load_hashing, "hashing")
    encoder.encoded = 0
    with built_anew(tmp_path, corpus, engine) as fresh:
        encoder.encoded = 0
        with open_built(jobs) as index:
            assert_same_contents(index, now)
            assert check_index(index, corpus) == []
            assert_same_answers(index, fresh, corpus)
        compacted = jobs.compact(corpus)
        assert encoder.encoded == 0
        assert compacted.counts.units == compacted.counts.papers == len(now)
        with open_built(jobs) as index:
            assert_same_contents(index, now)
            assert search(index, corpus) == search(fresh, corpus)
            assert np.array_equal(index.vectors, fresh.vectors)


def test_add_brings_back_a_removed_paper_and_compact_does_not(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    everything = with_text(PAPERS)
    gone = sorted(everything)[:3]
    jobs.remove(gone)
    assert jobs.compact(corpus).counts.papers == len(everything) - 3
    jobs.remove(sorted(everything)[3:4])
    encoder = shards.encoder_of(load_hashing, "hashing")
    encoder.encoded = 0
    jobs.add(corpus)
    with open_built(jobs) as index:
        assert_same_contents(index, everything)
    assert encoder.encoded == 3  # the fourth has left its vector behind


def test_removing_what_is_not_there_removes_nothing(corpus, jobs):
    before = jobs.build(corpus, encoder="hashing", engine="bm25s")
    with pytest.raises(InputError, match="not in the index: nobody; nothing was removed"):
        jobs.remove([PAPERS[0].id, "nobody"])
    with open_built(jobs) as index:
        assert index.manifest == before


def test_the_vectors_are_shared_with_the_previous_generation(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    corpus.upsert(make_papers(5, seed=9, first=500))
    with open_built(jobs) as before:
        jobs.add(corpus)
        with open_built(jobs) as after:
            assert (after.path / "vectors/rows.f32").samefile(before.path / "vectors/rows.f32")
            assert len(after.vectors) > len(before.vectors)


def test_half_precision_takes_half_the_space_and_finds_the_same(tmp_path, corpus, jobs):
    whole = jobs.build(corpus, encoder="hashing", engine="bm25s")
    half = dataclasses.replace(jobs, path=tmp_path / "half")
    manifest = half.build(corpus, encoder="hashing", engine="bm25s", precision="float16")
    assert 2 * manifest.parts()["vectors"] == whole.parts()["vectors"]
    corpus.upsert(make_papers(5, seed=9, first=500))
    for one in (jobs, half):
        one.add(corpus)
        one.remove([PAPERS[8].id])
        one.compact(corpus)
    with open_built(jobs) as full, open_built(half) as index:
        assert index.manifest.dense.precision == "float16"
        assert index.vectors.dtype == np.float16
        assert check_index(index, corpus) == []
        np.testing.assert_allclose(index.vectors, full.vectors, atol=5e-4)
        expected = search(full, corpus)
        for query, hits in search(index, corpus).items():
            np.testing.assert_allclose([hit[0] for hit in hits], [hit[0] for hit in expected[query]], atol=1e-3)
    with pytest.raises(InputError, match="unknown precision of vectors 'float8': choose one of float32, float16"):
        jobs.build(corpus, encoder="hashing", precision="float8")


def test_any_executor_makes_the_same_index(tmp_path, corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    with ThreadPoolExecutor(3) as executor:
        other = dataclasses.replace(jobs, path=tmp_path / "threads", workers=Workers(executor, 3))
        other.build(corpus, encoder="hashing", engine="bm25s")
    script = [sys.executable, support.__file__, tmp_path, "build", "--executor", "processes:2"]
    os.rename(jobs.path, tmp_path / "alone")
    subprocess.run(script, check=True, capture_output=True)
    with (
        open_index(tmp_path / "alone") as alone,
        open_index(tmp_path / "threads") as threads,
        open_built(jobs) as processes,
    ):
        assert alone.manifest.files == threads.manifest.files == processes.manifest.files


def test_progress_ends_at_all_papers(corpus, jobs):
    seen = {}
    noting = dataclasses.replace(jobs, progress=lambda stage, done, total: seen.update({stage: (done, total)}))
    noting.build(corpus, encoder="hashing", engine="bm25s")
    assert list(seen) == ["papers", "arrays", "bm25s index", "vector index", "checksums"]
    texts = len(with_text(PAPERS))
    assert list(seen.values()) == [(200, 200), (1, 1), (texts, texts), (texts, texts), (1, 1)]


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


def test_a_corpus_that_changes_meanwhile_is_noticed(corpus, jobs, monkeypatch):
    done = []

    def meddle(stage, count, total):
        if not done:
            done.append(True)
            corpus.upsert(make_papers(1, seed=3, first=900))

    with pytest.raises(CorpusError, match="changed while it was being indexed: run the same command again"):
        dataclasses.replace(jobs, progress=meddle).build(corpus, encoder="hashing", engine="bm25s")
    assert jobs.build(corpus, encoder="hashing", engine="bm25s").corpus == corpus.fingerprint()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoder": "no-such-model"}, ModelError, "unknown model 'no-such-model'"),
        ({"engine": "grep"}, InputError, "unknown lexical engine 'grep': choose one of lucene, bm25s"),
        ({"dense": "tree"}, InputError, "unknown kind of vector index 'tree': choose one of auto, flat, ivf, hnsw"),
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
        with pytest.raises(InputError, match="there is nothing to index"):
            jobs.build(corpus, encoder="hashing", engine="bm25s")
        corpus.upsert([revised(PAPERS[0], title=" ", abstract="")])
        with pytest.raises(InputError, match="there is nothing to index"):
            jobs.build(corpus, encoder="hashing", engine="bm25s")


@pytest.mark.parametrize(("dimension", "revision"), [(8, "1"), (16, "2")])
def test_another_encoder_than_the_manifests_is_refused(corpus, jobs, dimension, revision):
    before = jobs.build(corpus, encoder="hashing", engine="bm25s")
    shards.encoder_of.cache_clear()
    other = dataclasses.replace(jobs, load=lambda name: HashingEncoder(name, dimension, revision))
    corpus.upsert(make_papers(1, seed=3, first=900))
    message = (
        rf"16 dimensions\), but the one at hand has revision {revision} and {dimension} dimensions: rebuild the index"
    )
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
        lambda: jobs.remove(["x"]),
        lambda: open_built(jobs),
    ):
        with pytest.raises(IndexDirectoryError) as error:
            job()
        assert command in str(error.value)


def test_an_institution_is_in_the_country_that_most_papers_give(jobs, tmp_path):
    places = [Institution("University of Nowhere", country=country) for country in (None, "NO", "SE", "NO", None, None)]
    papers = [
        Paper(f"p{number}", f"Title {number}", authorships=(Authorship(Author(f"a{number}", "A"), (place,)),))
        for number, place in enumerate([*places, Institution("Elsewhere")])
    ]
    with SqliteStore(tmp_path / "places.sqlite") as corpus:
        corpus.upsert(papers)
        jobs.build(corpus, encoder="hashing", engine="bm25s")
    with open_built(jobs) as index:
        assert len(index.affiliations.keys) == 2
        assert index.affiliations.take([0, 1]) == [
            Institution("University of Nowhere", country="NO"),
            Institution("Elsewhere"),
        ]


def employments(index):
    """Who is said to work where by which paper, free of numbers."""
    table, authors = index.affiliations, index.ownership.author_ids
    rows, entries = table.entries(np.arange(len(authors)))
    papers, employers = index.units.paper_ids(table.units[entries]), table.take(table.institutions[entries])
    return list(zip(authors.take(rows), papers, employers, strict=True))


def test_a_removal_keeps_the_employers_of_the_papers_that_stay(tmp_path, jobs):
    def paper(number):
        places = [Institution(f"Place {number % 3}", f"ror:{number % 3}"), Institution("Elsewhere", country="XA")]
        writers = [Authorship(Author(f"a:{n}", f"A {n}"), tuple(places[: n % 3])) for n in (number % 5, 7, number % 2)]
        return Paper(f"p:{number}", "a title", "", 2000, tuple(writers))

    with SqliteStore(tmp_path / "employed.sqlite") as store:
        store.upsert([paper(number) for number in range(70)])
        jobs.build(store, encoder="hashing", engine="bm25s")
        gone = [f"p:{number}" for number in (0, 1, 2, 33, 69)]
        jobs.remove(gone)
        store.delete(gone)
        with open_built(jobs) as index, built_anew(tmp_path, store) as fresh:
            assert sorted(employments(index), key=str) == sorted(employments(fresh), key=str)
            assert not [line for line in check_index(index) if "by text" not in line]


def test_all_papers_can_be_removed(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    assert jobs.remove(sorted(with_text(PAPERS))).counts.papers == 0
    with open_built(jobs) as index:
        assert index.lexical().search(["bada1"], 3, allowed=index.live).units.tolist() == [[-1, -1, -1]]
        assert len(index.ownership.author_ids) == 0


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
@pytest.mark.parametrize("name", ["vectors/rows.f32", "units/years.npy", "ownership/unit_authors.npy"])
def test_nothing_is_built_on_a_damaged_index(corpus, jobs, job, name):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    with open_built(jobs) as index:
        victim, generation = index.path / name, index.path
    data = victim.read_bytes()
    victim.unlink()
    victim.write_bytes(data[:-64] + data[-32:] + data[-64:-32])  # of the same size: only a checksum tells
    corpus.upsert(make_papers(5, seed=9, first=500))
    run = {"add": jobs.add, "compact": jobs.compact, "remove": lambda _: jobs.remove([PAPERS[0].id])}[job]
    with pytest.raises(IndexDirectoryError, match=rf"{name} has another checksum .*panelist index build"):
        run(corpus)
    assert [path.name for path in jobs.path.glob("generation-*")] == [generation.name]
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    jobs.add(corpus)
