"""The index job: what it makes, and how it updates it."""

import dataclasses
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import indexing_support as support
import numpy as np
import pytest
from indexing_support import load_hashing, make_papers, open_built, revised, search, units_of, with_text

from indexing.index import open_index
from indexing.jobs import shards
from indexing.jobs.build import IndexJobs
from indexing.jobs.check import check_index
from indexing.jobs.executors import Workers
from indexing.tables.names import name_code
from indexing.tables.references import key_hashes
from panelist.corpus.reference_keys import doi_key
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper

ENGINES = ["bm25s", pytest.param("lucene", marks=pytest.mark.java)]
PAPERS = make_papers(200)


def built_anew(tmp_path, corpus, engine="bm25s"):
    """A fresh index of the same corpus, to compare with."""
    fresh = IndexJobs(tmp_path / "fresh", load=load_hashing, shard_size=1_000)
    fresh.build(corpus, encoder="hashing", engine=engine)
    return open_built(fresh)


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
        for key in (paper_id, paper.doi and doi_key(paper.doi)):
            assert not key or index.names.papers(key_hashes([key])).tolist() == [unit]
        for number, name in zip(index.ownership.authors_of(unit), authors, strict=True):
            assert number in index.names.people([name_code(f"Author {name[2:]}")])[1]
    cited = {(key, paper.id) for paper in papers.values() for key in paper.references}
    keys = sorted({key for key, _ in cited})
    rows, units = index.references.citing(key_hashes(keys))
    assert sorted(zip((keys[row] for row in rows), index.units.paper_ids(units), strict=True)) == sorted(cited)
    assert index.manifest.counts.references == len(cited)


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
    removed = jobs.remove(corpus, gone)
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
    jobs.remove(corpus, gone)
    assert jobs.compact(corpus).counts.papers == len(everything) - 3
    jobs.remove(corpus, sorted(everything)[3:4])
    encoder = shards.encoder_of(load_hashing, "hashing")
    encoder.encoded = 0
    jobs.add(corpus)
    with open_built(jobs) as index:
        assert_same_contents(index, everything)
    assert encoder.encoded == 3  # the fourth has left its vector behind


def test_removing_what_is_not_there_removes_nothing(corpus, jobs):
    before = jobs.build(corpus, encoder="hashing", engine="bm25s")
    with pytest.raises(InputError, match=r"not in the index: nobody;.* nothing"):
        jobs.remove(corpus, [PAPERS[0].id, "nobody"])
    with open_built(jobs) as index:
        assert index.manifest == before


def test_the_vectors_are_shared_with_the_previous_generation(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    corpus.upsert(make_papers(5, seed=9, first=500))
    with open_built(jobs) as before:
        jobs.add(corpus)
        with open_built(jobs) as after:
            assert (after.path / "vectors/exact.faiss").samefile(before.path / "vectors/exact.faiss")
            assert len(after.vectors) > len(before.vectors)


def test_half_precision_takes_half_the_space_and_finds_the_same(tmp_path, corpus, jobs):
    whole = jobs.build(corpus, encoder="hashing", engine="bm25s")
    half = dataclasses.replace(jobs, path=tmp_path / "half")
    manifest = half.build(corpus, encoder="hashing", engine="bm25s", precision="float16")
    assert manifest.parts()["vectors"] - 81 == (whole.parts()["vectors"] - 45) / 2  # without the headers
    corpus.upsert(make_papers(5, seed=9, first=500))
    for one in (jobs, half):
        one.add(corpus)
        one.remove(corpus, [PAPERS[8].id])
        one.compact(corpus)
    with open_built(jobs) as full, open_built(half) as index:
        assert index.manifest.dense.precision == "float16"
        assert index.vectors.dtype == np.float16
        assert check_index(index, corpus) == []
        np.testing.assert_allclose(index.vectors, full.vectors, atol=5e-4)
        expected = search(full, corpus)
        for query, hits in search(index, corpus).items():
            np.testing.assert_allclose([hit[0] for hit in hits], [hit[0] for hit in expected[query]], atol=1e-3)
    with pytest.raises(InputError, match=r"precision .*'float8'.* float32, float16"):
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
        assert [index.affiliations[number] for number in (0, 1)] == [
            Institution("University of Nowhere", country="NO"),
            Institution("Elsewhere"),
        ]


def employments(index):
    """Who is said to work where by which paper, free of numbers."""
    table, authors = index.affiliations, index.ownership.author_ids
    return [
        (authors[author], index.units.paper_ids([unit])[0], table[number])
        for author in range(len(authors))
        for unit, number in np.stack(table.of_author(author), axis=1).tolist()
    ]


def test_a_removal_keeps_the_employers_of_the_papers_that_stay(tmp_path, jobs):
    def paper(number):
        places = [Institution(f"Place {number % 3}", f"ror:{number % 3}"), Institution("Elsewhere", country="XA")]
        writers = [Authorship(Author(f"a:{n}", f"A {n}"), tuple(places[: n % 3])) for n in (number % 5, 7, number % 2)]
        return Paper(f"p:{number}", "a title", "", 2000, tuple(writers))

    with SqliteStore(tmp_path / "employed.sqlite") as store:
        store.upsert([paper(number) for number in range(70)])
        jobs.build(store, encoder="hashing", engine="bm25s")
        gone = [f"p:{number}" for number in (0, 1, 2, 33, 69)]
        jobs.remove(store, gone)
        store.delete(gone)
        with open_built(jobs) as index, built_anew(tmp_path, store) as fresh:
            assert sorted(employments(index), key=str) == sorted(employments(fresh), key=str)
            assert not [line for line in check_index(index) if "by text" not in line]


def test_all_papers_can_be_removed(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    assert jobs.remove(corpus, sorted(with_text(PAPERS))).counts.papers == 0
    with open_built(jobs) as index:
        assert index.lexical().search(["bada1"], 3, allowed=index.live).units.tolist() == [[-1, -1, -1]]
        assert len(index.ownership.author_ids) == 0
