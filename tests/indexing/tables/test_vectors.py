"""The file of vectors that generations share: a flat index of FAISS."""

import faiss
import numpy as np
import pytest

from indexing.tables.vectors import append_vectors, count_vectors, open_vectors, vector_bytes
from panelist.errors import IndexDirectoryError

BOTH = pytest.mark.parametrize("precision", ["float32", "float16"])


def rows(*values):
    return np.array([[value, value + 0.5] for value in values], dtype=np.float32)


@BOTH
def test_the_file_is_the_one_that_faiss_writes(tmp_path, precision):
    vectors = np.random.default_rng(1).normal(size=(37, 20)).astype(np.float32)
    kind = "Flat" if precision == "float32" else "SQfp16"
    index = faiss.index_factory(20, kind, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(vectors)
    faiss.write_index(index, str(tmp_path / "theirs"))
    append_vectors(tmp_path / "ours", precision, 0, 20, [vectors[:30], vectors[30:]])
    count_vectors(tmp_path / "ours", precision, 37, 20)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@BOTH
def test_blocks_become_rows(tmp_path, precision):
    path = tmp_path / "deep" / "file"
    assert append_vectors(path, precision, 0, 2, [rows(1), rows(), rows(2, 3)]) == 3
    assert np.array_equal(open_vectors(path, precision, 3, 2), rows(1, 2, 3))
    assert open_vectors(path, precision, 0, 2).shape == (0, 2)
    assert path.stat().st_size == vector_bytes(precision, 3, 2)


def test_an_earlier_generation_never_sees_what_is_appended_to_the_shared_file(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    append_vectors(old, "float32", 0, 2, [rows(1, 2)])
    count_vectors(old, "float32", 2, 2)
    before = open_vectors(old, "float32", 2, 2)
    new.hardlink_to(old)
    append_vectors(new, "float32", 2, 2, [rows(8, 8, 8)])  # a build that is killed here …
    assert faiss.read_index(str(old)).ntotal == 2
    append_vectors(new, "float32", 2, 2, [rows(3)])  # … and done again
    assert np.array_equal(before, rows(1, 2))
    assert np.array_equal(open_vectors(old, "float32", 2, 2), rows(1, 2))
    assert np.array_equal(open_vectors(new, "float32", 3, 2), rows(1, 2, 3))
    count_vectors(new, "float32", 3, 2)
    assert faiss.read_index(str(new)).ntotal == 3


@pytest.mark.parametrize("harm", [0, 5, 20, 34, 40, -1])
def test_a_damaged_header_is_refused(tmp_path, harm):
    path = tmp_path / "file"
    append_vectors(path, "float32", 0, 2, [])
    data = bytearray(path.read_bytes())
    if harm >= 0:
        data[harm] ^= 1
    path.write_bytes(data[: harm if harm < 0 else None])
    with pytest.raises(IndexDirectoryError, match="damaged"):
        open_vectors(path, "float32", 0, 2)
