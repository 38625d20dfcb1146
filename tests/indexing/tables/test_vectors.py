"""The file of vectors that generations share."""

import numpy as np

from indexing.tables.vectors import append_vectors, open_vectors, vector_bytes


def rows(*values):
    return np.array([[value, value + 0.5] for value in values], dtype=np.float32)


def test_blocks_become_rows(tmp_path):
    path = tmp_path / "deep" / "rows.f32"
    assert append_vectors(path, 0, 2, [rows(1), rows(), rows(2, 3)]) == 3
    assert np.array_equal(open_vectors(path, 3, 2), rows(1, 2, 3))
    assert open_vectors(path, 0, 2).shape == (0, 2)
    assert path.stat().st_size == vector_bytes(path, 3, 2) == 24


def test_an_earlier_generation_never_sees_what_is_appended_to_the_shared_file(tmp_path):
    append_vectors(tmp_path / "old.f32", 0, 2, [rows(1, 2)])
    before = open_vectors(tmp_path / "old.f32", 2, 2)
    (tmp_path / "new.f32").hardlink_to(tmp_path / "old.f32")
    append_vectors(tmp_path / "new.f32", 2, 2, [rows(8, 8, 8)])  # a build that is killed here …
    append_vectors(tmp_path / "new.f32", 2, 2, [rows(3)])  # … and done again
    assert np.array_equal(before, rows(1, 2))
    assert np.array_equal(open_vectors(tmp_path / "old.f32", 2, 2), rows(1, 2))
    assert np.array_equal(open_vectors(tmp_path / "new.f32", 3, 2), rows(1, 2, 3))
