"""Who wrote what: unit -> authors and author -> units as compressed sparse rows, so that aggregation is array work.

Papers are indexed once, and this table makes them represent each of their authors: every author of every live unit is
found through it. Authors are numbered in ascending order of id, so a tie broken by author number is broken by id.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import StringTable, Table


def gather_rows(
    starts: NDArray[np.int64], rows: NDArray[np.integer[Any]], limit: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions of the entries of some rows, or of the first `limit` of each, in the flat array of a CSR matrix.

    They come row after row in the order of `rows`, and with them the number of entries of each row.
    """
    begins = starts[rows]
    lengths = starts[rows + 1] - begins
    if limit is not None:
        lengths = np.minimum(lengths, limit)
    return gather_ranges(begins, lengths), lengths


def gather_ranges(begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of ranges of these lengths, one after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(begins - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


@dataclass(frozen=True, eq=False)
class NumberedPeople:
    """Some people, of whom something is known."""

    authors: NDArray[np.int64]  # (people) ascending author numbers

    def find(self, authors: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """The position of each of these authors among the people; -1 for those who are not among them."""
        if len(self.authors) == 0:
            return np.full(len(authors), -1, dtype=np.int64)
        positions: NDArray[np.int64] = self._positions[np.minimum(authors, len(self._positions) - 1)].astype(np.int64)
        return positions - 1

    @cached_property
    def _positions(self) -> NDArray[np.int32]:
        """Of each author number the position, from 1; 0 for everybody else, and at the end."""
        positions = np.zeros(int(self.authors[-1]) + 2, dtype=np.int32)
        positions[self.authors] = np.arange(1, len(self.authors) + 1)
        return positions


@dataclass(frozen=True, slots=True)
class Ownership(Table):
    """The authors of every live unit, and the live units of every author; tombstones own nothing."""

    author_ids: StringTable  # ascending; their positions are the author numbers
    unit_starts: NDArray[np.int64]  # (units + 1) row pointers into `unit_authors`
    unit_authors: NDArray[np.int32]  # author numbers, in each row in the order of the paper's author list
    author_starts: NDArray[np.int64]  # (authors + 1) row pointers into `author_units`
    author_units: NDArray[np.int32]  # unit numbers, ascending in each row

    def authors_of(self, unit: int) -> NDArray[np.int32]:
        """The author numbers of one unit, in the order of the author list."""
        return self.unit_authors[self.unit_starts[unit] : self.unit_starts[unit + 1]]

    def units_of(self, author: int) -> NDArray[np.int32]:
        """The units of one author, ascending."""
        return self.author_units[self.author_starts[author] : self.author_starts[author + 1]]

    def coauthors_of(self, author: int) -> set[int]:
        """Everybody who wrote a unit with this author."""
        return {*self.pairs(self.units_of(author))[1].tolist()} - {author}

    def pairs(self, units: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Every (row in `units`, author number) pair of these units, as two flat arrays, row by row."""
        positions, lengths = gather_rows(self.unit_starts, units)
        return np.repeat(np.arange(len(units)), lengths), self.unit_authors[positions]
