"""Sorting and writing through files gives what sorting and writing in memory gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.tables import external
from indexing.tables.arrays import StringTable, open_array, save_array
from indexing.tables.external import ArrayFile, ExternalSort, RowStartsFile, StringTableFile


@pytest.fixture
def few_rows(monkeypatch):
    """So little memory that everything goes through files."""
    monkeypatch.setattr(external, "ROWS", 5)


rows = st.lists(st.tuples(st.integers(0, 999), st.integers(-3, 3)), max_size=60)


@given(rows, st.integers(1, 2), st.integers(1, 60))
def test_rows_come_out_sorted_and_equal_ones_as_they_came(tmp_path_factory, pairs, keys, step):
    directory = tmp_path_factory.mktemp("sort")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external, "ROWS", 5)
        sort = ExternalSort(directory / "files", ("<i4", "<i2", "<i8"), keys, 1000)
        for start in range(0, len(pairs), step):
            part = pairs[start : start + step]
            first, second = np.array(part).T
            sort.add(first, second, np.arange(start, start + len(part)))
        chunks = [list(zip(*(column.tolist() for column in columns), strict=True)) for columns in sort.sorted()]
    expected = sorted(((*pair, number) for number, pair in enumerate(pairs)), key=lambda row: row[:keys])
    assert [row for chunk in chunks for row in chunk] == expected
    firsts = [{row[0] for row in chunk} for chunk in chunks]
    assert sum(map(len, firsts)) == len(set().union(*firsts))  # no key in two chunks
    assert not list(directory.glob("files/*"))


@pytest.mark.parametrize("bound", [1, 2, 1 << 64])
def test_any_bound_of_the_keys(tmp_path, few_rows, bound):
    values = np.array([bound - 1, 0] * 6, dtype=np.uint64)
    sort = ExternalSort(tmp_path / "sort", ("<u8",), 1, bound)
    sort.add(values)
    assert np.concatenate([column for (column,) in sort.sorted()]).tolist() == sorted(values.tolist())


@pytest.mark.parametrize(("kind", "width"), [("<i4", 0), ("?", 0), ("<u8", 2)])
@pytest.mark.parametrize("count", [0, 1, 12_345])
def test_an_array_in_pieces_is_the_file_of_the_whole(tmp_path, kind, width, count):
    whole = np.arange(count * max(width, 1)).reshape((count, width) if width else (count,)).astype(kind)
    save_array(tmp_path / "whole.npy", whole)
    file = ArrayFile(tmp_path / "pieces.npy", kind, width=width)
    for start in range(0, count, 1000):
        file.add(whole[start : start + 1000])
    file.close()
    assert (tmp_path / "pieces.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_row_starts_are_written_for_rows_without_entries(tmp_path, few_rows):
    file = RowStartsFile(tmp_path / "starts.npy")
    for entries in ([1, 1, 4], [], [5]):
        file.add(np.array(entries, dtype=np.int64))
    file.close(17)
    assert open_array(tmp_path / "starts.npy").tolist() == [0, 0, 2, 2, 2, 3, *[4] * 12]


def test_a_string_table_in_pieces_is_the_table_of_the_whole(tmp_path, few_rows):
    strings = [f"näme {number % 37}" for number in range(60)]
    StringTable.of(strings).save(tmp_path, "whole")
    file = StringTableFile(tmp_path, "pieces", tmp_path / "scratch")
    file.add_table(StringTable.of(strings[:23]))
    file.add(strings[23:30])
    file.add([])
    file.add(strings[30:])
    file.close()
    for part in ("blob", "offsets", "hashes", "order"):
        assert (tmp_path / f"pieces.{part}.npy").read_bytes() == (tmp_path / f"whole.{part}.npy").read_bytes()
