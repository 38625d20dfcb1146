"""Exact and approximate vector search: recall, masks, growth, damaged files."""

import json
import os
import shutil

import numpy as np
import pytest

from indexing.dense import build_vector_index, open_vector_index
from indexing.dense.faiss_flat import ExactIndex
from indexing.hits import NO_UNIT
from panelist.errors import IndexDirectoryError, InputError

APPROXIMATE = ["ivf", "hnsw"]


def unit_length(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(count, dimension, clusters, seed):
    """Embedding-like: a mixture of Gaussians on the sphere, of unequal weights and spreads."""
    centres = unit_length(np.random.default_rng(0).standard_normal((clusters, dimension)))
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, clusters + 1) ** 0.5
    topic = rng.choice(clusters, size=count, p=weights / weights.sum())
    spread = (0.5 + topic % 3 / 4)[:, None] / np.sqrt(dimension)
    return unit_length(centres[topic] + spread * rng.standard_normal((count, dimension)))


def recall(truth, found):
    return np.mean([len(np.intersect1d(a, b)) / len(a) for a, b in zip(truth.units, found.units, strict=True)])


@pytest.fixture(scope="module")
def vectors():
    return clustered(30_000, 64, 300, seed=1)


@pytest.fixture(scope="module")
def queries():
    return clustered(200, 64, 300, seed=2)


@pytest.fixture(scope="module", params=[*APPROXIMATE, "milvus"])
def approximate(request, vectors, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param)
    kind = request.getfixturevalue("milvus") if request.param == "milvus" else request.param
    assert build_vector_index(vectors, path, kind) == request.param
    return open_vector_index(path, vectors)


@pytest.mark.parametrize("k", [10, 100, 1000])
def test_approximate_search_finds_nearly_all_of_the_exact_one(vectors, queries, approximate, k):
    truth = ExactIndex(vectors).search(queries, k)
    assert recall(truth, approximate.search(queries, k)) >= 0.97


def test_recall_among_allowed_units(vectors, queries, approximate):
    allowed = np.random.default_rng(3).random(len(vectors)) < 0.75  # above the size that is scored exactly
    truth = ExactIndex(vectors).search(queries, 100, allowed=allowed)
    found = approximate.search(queries, 100, allowed=allowed)
    assert allowed[found.units].all()
    assert recall(truth, found) >= 0.97


def test_small_pool_is_exact(vectors, queries, approximate):
    allowed = np.zeros(len(vectors), dtype=bool)
    allowed[np.random.default_rng(4).choice(len(vectors), 150, replace=False)] = True
    truth = ExactIndex(vectors).search(queries, 100, allowed=allowed)
    found = approximate.search(queries, 100, allowed=allowed)
    assert (found.units != NO_UNIT).all()
    np.testing.assert_array_equal(truth.units, found.units)


def test_pool_far_from_the_query_still_fills_the_answer(vectors, approximate, monkeypatch):
    monkeypatch.setattr("indexing.dense.faiss_flat._SMALL_POOL", 0)
    query = vectors[:1]
    allowed = np.zeros(len(vectors), dtype=bool)
    allowed[np.argsort(vectors @ query[0])[:500]] = True
    found = approximate.search(query, 100, allowed=allowed)
    np.testing.assert_array_equal(found.units, ExactIndex(vectors).search(query, 100, allowed=allowed).units)


def test_scores_are_exact_and_the_same_in_any_batch(vectors, queries, approximate):
    batch = approximate.search(queries, 100)
    np.testing.assert_allclose(batch.scores, np.einsum("qd,qkd->qk", queries, vectors[batch.units]), rtol=1e-5)
    for row in range(0, 200, 20):
        single = approximate.search(queries[row : row + 1], 100)
        np.testing.assert_array_equal(single.units[0], batch.units[row])
        np.testing.assert_array_equal(single.scores[0], batch.scores[row])


def test_depth_beyond_the_index_is_padded(vectors, approximate):
    found = approximate.search(vectors[:2], len(vectors) + 5)
    assert (np.sort(found.units[:, :-5], axis=1) == np.arange(len(vectors))).all()
    assert (found.units[:, -5:] == NO_UNIT).all()


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_growing_on_a_hard_linked_base(tmp_path, vectors, queries, kind):
    old, new = tmp_path / "old", tmp_path / "new"
    build_vector_index(vectors[:4000], old, kind)
    before = (old / "index.faiss").read_bytes()
    shutil.copytree(old, new, copy_function=os.link)
    build_vector_index(vectors[:6000], new, kind, base=new)
    assert (old / "index.faiss").read_bytes() == before
    found = open_vector_index(new, vectors[:6000]).search(queries, 100)
    assert recall(ExactIndex(vectors[:6000]).search(queries, 100), found) >= 0.97
    trained = [json.loads((path / "index.json").read_text())["trained"] for path in (old, new)]
    assert trained == [4000, 4000], "the base's structure was kept"
    build_vector_index(vectors[:8000], new, kind, base=new)
    assert json.loads((new / "index.json").read_text())["trained"] == 8000, "twice as many: trained anew"


def test_building_again_gives_the_same_file(tmp_path, vectors):
    for name in ("a", "b"):
        build_vector_index(vectors[:5000], tmp_path / name, "ivf")
    assert (tmp_path / "a" / "index.faiss").read_bytes() == (tmp_path / "b" / "index.faiss").read_bytes()


def test_kind_is_chosen_by_size(tmp_path, monkeypatch):
    few = unit_length(np.ones((3, 8)))
    assert build_vector_index(few, tmp_path / "flat") == "flat"
    assert open_vector_index(tmp_path / "flat", few).kind == "flat"
    assert not (tmp_path / "flat" / "index.faiss").exists()
    monkeypatch.setattr("indexing.dense.FLAT_UP_TO", 2)
    assert build_vector_index(few, tmp_path / "ivf") == "ivf"
    assert open_vector_index(tmp_path / "ivf", few).kind == "ivf"
    with pytest.raises(InputError, match=r"'lsh'.*auto, flat, ivf, hnsw"):
        build_vector_index(few, tmp_path, "lsh")


@pytest.mark.parametrize("kind", ["flat", *APPROXIMATE])
def test_search_without_vectors_finds_nothing(tmp_path, kind):
    nothing = np.empty((0, 8), dtype=np.float32)
    build_vector_index(nothing, tmp_path, kind)
    found = open_vector_index(tmp_path, nothing).search(np.ones((2, 8), dtype=np.float32), 3)
    assert (found.units == NO_UNIT).all()
    assert found.units.shape == (2, 3)


@pytest.mark.parametrize("factory", ["PCAR64,IVF16,SQ8", "HNSW16,Flat", "SQ8"])
def test_any_structure_of_the_factory_is_searched(tmp_path, vectors, queries, factory):
    some = vectors[:4000]
    assert build_vector_index(some, tmp_path, factory) == factory
    index = open_vector_index(tmp_path, some)
    truth, found = ExactIndex(some).search(queries, 100), index.search(queries, 100)
    assert recall(truth, found) >= 0.95
    assert index.recall >= 0.95
    allowed = np.random.default_rng(3).random(len(some)) < 0.5
    assert allowed[index.search(queries, 100, allowed=allowed).units].all()


def test_a_structure_that_cannot_be_learnt_is_refused_in_one_line(tmp_path, vectors):
    with pytest.raises(InputError, match=r"'IVF256,PQ16' from 100 vectors .*: choose a smaller") as error:
        build_vector_index(vectors[:100], tmp_path, "IVF256,PQ16")
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match=r"'OPQ7,PQ7' of 64 dimensions"):
        build_vector_index(vectors[:100], tmp_path, "OPQ7,PQ7")


def test_a_base_without_vectors_is_built_anew(tmp_path, vectors):
    build_vector_index(vectors[:0], tmp_path, "ivf")
    build_vector_index(vectors[:2000], tmp_path, "ivf", base=tmp_path)
    found = open_vector_index(tmp_path, vectors[:2000]).search(vectors[:3], 1)
    assert found.units.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("damage", ["cut", "gone", "garbage", "settings"])
def test_a_damaged_file_is_named(tmp_path, vectors, damage):
    build_vector_index(vectors[:2000], tmp_path, "ivf")
    victim = tmp_path / ("index.json" if damage == "settings" else "index.faiss")
    content = victim.read_bytes()
    victim.unlink()
    if damage == "cut":
        victim.write_bytes(content[:-1000])
    elif damage == "garbage":
        victim.write_bytes(bytes(len(content)))
    elif damage == "settings":
        victim.write_text("{")
    with pytest.raises(IndexDirectoryError, match=rf"{victim.name}.*panelist index build"):
        open_vector_index(tmp_path, vectors[:2000])


def test_number_of_vectors_that_differs_from_the_index_is_refused(tmp_path, vectors):
    build_vector_index(vectors[:100], tmp_path)
    with pytest.raises(IndexDirectoryError, match="100 vectors, but there are 99"):
        open_vector_index(tmp_path, vectors[:99])


def test_queries_of_wrong_dimension_or_depth_are_refused(tmp_path, vectors):
    build_vector_index(vectors[:100], tmp_path)
    index = open_vector_index(tmp_path, vectors[:100])
    with pytest.raises(InputError, match="64 dimensions"):
        index.search(np.ones((1, 63), dtype=np.float32), 5)
    with pytest.raises(InputError, match="at least 1"):
        index.search(vectors[:1], 0)


@pytest.mark.parametrize("precision", [np.float32, np.float16])
@pytest.mark.parametrize("dimension", [1, 8, 16, 17, 100, 384])
def test_a_score_has_the_same_bits_from_one_query_a_pool_and_a_batch(dimension, precision):
    rng = np.random.default_rng(dimension)
    vectors = unit_length(rng.standard_normal((150, dimension)))[np.arange(301) % 150].astype(precision)  # ties
    queries = unit_length(rng.standard_normal((1_600, dimension)))
    index = ExactIndex(vectors)
    batch = index.search(queries, 40)
    for row in range(20):
        query = queries[row : row + 1]
        for other in (index.search(query, 40), index.search(query, 40, allowed=np.ones(301, bool))):
            np.testing.assert_array_equal(other.units[0], batch.units[row])
            np.testing.assert_array_equal(other.scores[0], batch.scores[row])
