"""Who cites what, against plain dictionaries."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.jobs.join import write_references
from indexing.tables.references import References, key_hashes

rows = st.lists(st.sets(st.sampled_from([f"doi:10.1/{n}" for n in range(12)]), max_size=6), min_size=1, max_size=9)


def table_of(cited, directory):
    """The table of units that cite these keys; None where there is nothing to keep."""
    keys = [key for row in cited for key in sorted(row)]
    units = np.repeat(np.arange(len(cited)), [len(row) for row in cited])
    write_references(directory / "table", directory / "scratch", [(key_hashes(keys), units)], len(cited))
    return References.read(directory / "table")


@given(rows)
def test_every_citation_is_found_from_both_sides(tmp_path_factory, cited):
    table = table_of(cited, tmp_path_factory.mktemp("table"))
    if not any(cited):
        assert table is None  # a corpus without references costs nothing
        return
    keys = sorted({key for row in cited for key in row})
    found = table.citing(key_hashes([*keys, "doi:10.1/unknown"]))
    pairs = {(keys[row], unit) for row, unit in zip(*(one.tolist() for one in found), strict=True)}
    assert pairs == {(key, unit) for unit, row in enumerate(cited) for key in row}
    assert len(found[0]) == table.entries == len(pairs)
    hashes = dict(zip(key_hashes(keys).tolist(), keys, strict=True))
    times = Counter(key for row in cited for key in row)
    starts, works = table.rows()
    for unit, row in enumerate(cited):
        shared = [hashes[table.hashes[number]] for number in works[starts[unit] : starts[unit + 1]]]
        assert sorted(shared) == sorted(key for key in row if times[key] > 1)


def test_the_norm_of_a_unit_weighs_rare_works_most(tmp_path):
    table = table_of([{"a", "b"}, {"a"}, set()], tmp_path)
    common, rare = math.log1p(2 / 2), math.log1p(2 / 1)
    assert table.norms.tolist() == pytest.approx([math.hypot(common, rare), common, 0])


def test_a_large_table_is_sorted_through_files(tmp_path, monkeypatch):
    cited = [{f"doi:10.1/{n % (unit + 1)}" for n in range(20)} for unit in range(60)]
    small = table_of(cited, tmp_path / "small")
    monkeypatch.setattr("indexing.tables.external.ROWS", 50)
    large = table_of(cited, tmp_path / "large")
    for field in dataclasses.fields(small):
        assert np.array_equal(np.sort(getattr(small, field.name)), np.sort(getattr(large, field.name)))


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=30), unique=True, max_size=30))
def test_hashes_of_keys_differ_and_do_not_depend_on_their_neighbours(keys):
    hashes = key_hashes(keys)
    assert len(set(hashes.tolist())) == len(keys)
    assert 0 not in hashes.tolist()
    assert [int(key_hashes([key])[0]) for key in keys] == hashes.tolist()


def test_hashes_are_the_same_everywhere():
    assert key_hashes(["doi:10.7554/elife.00003"]).tolist() == [4297564736837867550]


def test_a_character_of_zero_in_a_key_is_like_any_other():
    hashes = key_hashes(["a\0b", "a", "b", "a\0b"])
    assert len(set(hashes.tolist())) == 3
    assert hashes[0] == hashes[3]
    assert key_hashes(["a"])[0] == hashes[1]
