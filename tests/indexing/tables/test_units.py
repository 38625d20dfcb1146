"""Unit numbers: stable, found by paper, told apart by text."""

import numpy as np
from tables_support import save_table

from indexing.tables.arrays import StringTable
from indexing.tables.units import Units, text_digests
from indexing.text import Text


def units_of(ids, live, texts=None):
    texts = texts or [Text(f"text {number}") for number in range(len(ids))]
    count = len(ids)
    return Units(
        StringTable.of(ids),
        text_digests(texts),
        np.array(live, dtype=np.bool_),
        np.arange(count, dtype=np.int16),
        np.arange(count, dtype=np.int32),
    )


def test_digests_depend_on_where_the_title_ends():
    digests = text_digests([Text("ab", "c"), Text("a", "bc"), Text("ab", "c"), Text("abc")])
    assert digests.shape == (4, 2)
    assert len({tuple(row) for row in digests.tolist()}) == 3
    assert (digests[0] == digests[2]).all()
    assert text_digests([]).shape == (0, 2)


def test_a_changed_paper_is_found_under_its_last_unit_and_a_removed_one_not():
    units = units_of(["a", "b", "a", "c"], [False, True, True, False])
    assert units.find(["a", "b", "c", "d"]).tolist() == [2, 1, -1, -1]
    assert units.live[2]  # the original is untouched


def test_a_unit_counts_as_the_same_only_with_the_same_text():
    units = units_of(["a", "b", "c"], [True, True, False], [Text("x"), Text("y"), Text("z")])
    wanted = text_digests([Text("x"), Text("other"), Text("z"), Text("x")])
    assert units.find_same(["a", "b", "c", "d"], wanted).tolist() == [0, -1, 2, -1]
    assert Units.empty().find_same(["a"], wanted[:1]).tolist() == [-1]
    assert Units.empty().find(["a"]).tolist() == [-1]


def test_saving_and_opening_changes_nothing(tmp_path):
    for units in (units_of(["a", "b"], [True, False]), Units.empty()):
        save_table(units, tmp_path)
        again = Units.open(tmp_path)
        assert again.paper_ids(range(len(units))) == units.paper_ids(range(len(units)))
        for name in ("digests", "live", "years", "citations"):
            assert np.array_equal(getattr(again, name), getattr(units, name))
