"""Exact and approximate search against a plain sort of all inner products, in float64."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.dense import build_vector_index, open_vector_index
from indexing.hits import NO_UNIT


def unit_length(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dimension = draw(st.integers(1, 70))
    distinct = unit_length(rng.standard_normal((draw(st.integers(1, 80)), dimension)))
    vectors = distinct[rng.integers(len(distinct), size=draw(st.integers(1, 300)))]  # duplicates: ties
    queries = unit_length(rng.standard_normal((draw(st.sampled_from([1, 2, 3, 4, 9, 130])), dimension)))
    queries[0] = vectors[0]
    k = draw(st.integers(1, 320))
    length = draw(st.sampled_from([None, 0, len(vectors) // 2, len(vectors), len(vectors) + 7]))
    allowed = None if length is None else rng.random(length) < draw(st.floats(0, 1))
    return vectors, queries, k, allowed


def agrees(hits, vectors, queries, k, allowed, coarse=0.0):
    """Whether the hits are the best, in order, each with its score: ties, equal vectors that is, by unit number.

    `coarse`: how much codes of 8 bits differ; vectors that are as near as the last hit up to that may take its place.
    """
    mask = np.zeros(len(vectors), dtype=bool)
    mask[: len(vectors) if allowed is None else len(allowed)] = True if allowed is None else allowed[: len(vectors)]
    units = np.flatnonzero(mask)
    exact = queries.astype(np.float64) @ vectors[units].astype(np.float64).T
    _, same = np.unique(vectors[units], axis=0, return_inverse=True)
    count = min(k, len(units))
    assert (hits.units[:, count:] == NO_UNIT).all()
    assert (hits.scores[:, count:] == -np.inf).all()
    for row in range(len(queries)):
        found = hits.units[row, :count]
        positions = np.searchsorted(units, found)
        np.testing.assert_array_equal(units[positions], found)
        assert len(set(found.tolist())) == count
        np.testing.assert_allclose(hits.scores[row, :count], exact[row, positions], atol=2e-6)
        np.testing.assert_allclose(exact[row, positions], np.sort(exact[row])[::-1][:count], atol=coarse + 2e-6)
        assert (np.diff(hits.scores[row, :count]) <= 0).all()
        tied = np.diff(hits.scores[row, :count]) == 0
        assert (np.diff(found)[tied] > 0).all()
        for group in np.unique(same[positions]):  # of equal vectors the lowest numbers are taken
            members = units[same == group]
            taken = np.sort(found[same[positions] == group])
            score = exact[row, np.searchsorted(units, members[0])]
            if coarse and score <= exact[row, positions[-1]] + coarse:
                continue
            np.testing.assert_array_equal(taken, members[: len(taken)])


@settings(max_examples=60)
@given(cases())
def test_flat_is_brute_force(tmp_path_factory, case):
    vectors, queries, k, allowed = case
    path = tmp_path_factory.mktemp("flat")
    build_vector_index(vectors, path, "flat")
    hits = open_vector_index(path, vectors).search(queries, k, allowed=allowed)
    agrees(hits, vectors, queries, k, allowed)


@settings(max_examples=40)
@given(cases())
def test_flat_gives_the_same_in_any_batch(tmp_path_factory, case):
    vectors, queries, k, allowed = case
    path = tmp_path_factory.mktemp("flat")
    build_vector_index(vectors, path, "flat")
    index = open_vector_index(path, vectors)
    batch = index.search(queries, k, allowed=allowed)
    for row in range(min(len(queries), 9)):
        single = index.search(queries[row : row + 1], k, allowed=allowed)
        np.testing.assert_array_equal(single.units[0], batch.units[row])
        np.testing.assert_array_equal(single.scores[0], batch.scores[row])


@settings(max_examples=25)
@given(cases())
def test_lists_probed_in_full_are_brute_force(tmp_path_factory, case):
    vectors, queries, k, allowed = case
    path = tmp_path_factory.mktemp("ivf")
    build_vector_index(vectors, path, "ivf")
    index = open_vector_index(path, vectors)
    index.efforts = [10**6, 10**6]
    agrees(index.search(queries, k, allowed=allowed), vectors, queries, k, allowed, coarse=0.01)
