"""Unit -> authors and author -> units, against plain dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from indexing_support import units_of
from tables_support import ownership_of, save_table

from indexing.tables.ownership import Ownership

papers = st.dictionaries(st.integers(0, 15), st.lists(st.sampled_from("jihgfedcba"), max_size=4, unique=True))


def owned(authors_by_unit, unit_count=16):
    ids = list(dict.fromkeys(author for authors in authors_by_unit.values() for author in authors))
    return ownership_of(
        ids,
        unit_count,
        np.array(list(authors_by_unit), dtype=np.int64),
        np.array([len(authors) for authors in authors_by_unit.values()], dtype=np.int64),
        np.array([ids.index(author) for authors in authors_by_unit.values() for author in authors], dtype=np.int32),
    )


def as_dictionaries(ownership):
    ids = ownership.author_ids.all()
    units = range(len(ownership.unit_starts) - 1)
    by_unit = {unit: [ids[author] for author in ownership.authors_of(unit)] for unit in units}
    by_author = {author: units_of(ownership, number).tolist() for number, author in enumerate(ids)}
    return {unit: authors for unit, authors in by_unit.items() if authors}, by_author


@given(papers)
def test_every_author_of_every_unit_is_found_both_ways(authors_by_unit):
    ownership = owned(authors_by_unit)
    by_unit, by_author = as_dictionaries(ownership)
    assert by_unit == {unit: authors for unit, authors in authors_by_unit.items() if authors}
    authors = sorted({author for row in authors_by_unit.values() for author in row})
    assert list(by_author) == authors  # numbered in the order of their ids
    for author in authors:
        assert by_author[author] == sorted(unit for unit, row in authors_by_unit.items() if author in row)


@given(papers, st.lists(st.integers(0, 15), max_size=6))
def test_pairs_are_the_rows_one_after_another(authors_by_unit, units):
    ownership = owned(authors_by_unit)
    places, authors = ownership.pairs(np.array(units, dtype=np.int64))
    expected = [(place, author) for place, unit in enumerate(units) for author in authors_by_unit.get(unit, [])]
    assert list(zip(places.tolist(), ownership.author_ids.take(authors), strict=True)) == expected


def test_saving_and_opening_changes_nothing(tmp_path):
    ownership = owned({0: ["b", "a"], 3: ["a"]})
    save_table(ownership, tmp_path)
    assert as_dictionaries(Ownership.open(tmp_path)) == as_dictionaries(ownership)
