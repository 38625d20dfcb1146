"""The tables of an index made in memory, for tests; `indexing.jobs.join` makes them through files."""

import dataclasses

import numpy as np

from indexing.tables.affiliations import Affiliations, institution_tables
from indexing.tables.arrays import StringTable, save_array
from indexing.tables.ownership import Ownership, gather_rows


def starts_of(lengths):
    """The row pointers of a CSR matrix with rows of these lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def ownership_of(author_ids, unit_count, units, lengths, authors):
    """Build both directions.

    Args:
        author_ids: distinct ids, in any order; each must own something.
        unit_count: how many units there are, tombstones included.
        units: distinct unit numbers, in any order.
        lengths: how many authors each of `units` has.
        authors: positions in `author_ids`, unit after unit.
    """
    order = sorted(range(len(author_ids)), key=author_ids.__getitem__)
    number = np.empty(len(author_ids), dtype=np.int32)
    number[order] = np.arange(len(author_ids), dtype=np.int32)
    by_unit = np.zeros(unit_count, dtype=np.int64)
    by_unit[units] = lengths
    positions, _ = gather_rows(starts_of(lengths), np.argsort(units))
    unit_authors = number[authors[positions]] if len(positions) else np.empty(0, np.int32)
    owner = np.repeat(np.arange(unit_count, dtype=np.int32), by_unit)
    return Ownership(
        StringTable.of([author_ids[position] for position in order]),
        starts_of(by_unit),
        unit_authors,
        starts_of(np.bincount(unit_authors, minlength=len(author_ids))),
        owner[np.argsort(unit_authors, kind="stable")],
    )


def affiliations_of(institutions, author_count, authors, units, numbers):
    """Who worked where.

    Args:
        institutions: distinct by `institution_key`.
        author_count: how many authors the ownership table has.
        authors: author number of each affiliation.
        units: unit number of each affiliation.
        numbers: position in `institutions` of each affiliation.
    """
    order = np.lexsort((np.arange(len(authors)), units, authors))
    return Affiliations(
        **institution_tables(institutions),
        starts=starts_of(np.bincount(authors, minlength=author_count)),
        units=units[order].astype(np.int32),
        institutions=numbers[order].astype(np.int32),
    )


def save_table(table, directory):
    """Write the files that `Units`, `Ownership` or `Affiliations` open."""
    directory.mkdir(parents=True, exist_ok=True)
    for field in dataclasses.fields(table):
        part = getattr(table, field.name)
        if isinstance(part, StringTable):
            part.save(directory, field.name)
        else:
            save_array(directory / f"{field.name}.npy", part)
