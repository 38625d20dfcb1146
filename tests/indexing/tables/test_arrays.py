"""String tables and arrays on disk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.tables import arrays
from indexing.tables.arrays import StringTable, open_array, pack, save_array, unpack

strings = st.lists(st.text(max_size=8), max_size=20)


@given(strings)
def test_packing_and_unpacking_changes_nothing(values):
    assert unpack(*pack(values)) == values


@given(strings, st.text(max_size=8))
def test_a_table_finds_the_last_position_of_a_string_as_a_list_would(values, other):
    table = StringTable.of(values)
    assert len(table) == len(values)
    assert table.all() == values
    wanted = [*values, other]
    expected = [len(values) - 1 - values[::-1].index(value) if value in values else -1 for value in wanted]
    assert table.find(wanted).tolist() == expected


def test_strings_that_share_a_hash_are_told_apart(monkeypatch):
    lengths = lambda values: np.array([len(value) for value in values], dtype=np.uint64)  # noqa: E731
    monkeypatch.setattr(arrays, "string_hashes", lengths)
    table = StringTable.of(["ab", "cd", "e", "ab", "fg"])
    assert table.find(["ab", "cd", "fg", "e", "zz", "z"]).tolist() == [3, 1, 4, 2, -1, -1]


@pytest.mark.parametrize("values", [[], [""], ["W1", "näme", "https://openalex.org/W2"]])
def test_a_saved_table_opens_as_it_was(tmp_path, values):
    StringTable.of(values).save(tmp_path, "ids")
    table = StringTable.open(tmp_path, "ids")
    assert table.all() == values
    assert table.take(range(len(values))) == values
    assert table.find(values).tolist() == list(range(len(values)))


def test_a_position_beyond_the_end_is_refused():
    with pytest.raises(IndexError):
        StringTable.of(["a"])[1]


@pytest.mark.parametrize("shape", [(0,), (0, 2), (3,), (2, 3)])
@pytest.mark.parametrize("kind", [np.bool_, np.int16, np.uint64, np.float32])
def test_arrays_come_back_read_only(tmp_path, shape, kind):
    array = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    save_array(tmp_path / "a.npy", array)
    again = open_array(tmp_path / "a.npy")
    assert again.dtype == array.dtype
    assert np.array_equal(again, array)
    if array.size:
        with pytest.raises(ValueError, match="read-only"):
            again[0] = 1
