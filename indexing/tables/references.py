"""Who cites what: for each work that is cited the units that cite it, inside the corpus and outside, as plain arrays.

A work is known by 64-bit hashes of its keys: an id, a DOI, a title (`panelist.corpus.reference_keys`). Works that one
unit alone cites, which are most, need no row pointer and are stored apart. The row of a unit is the transpose, computed
when it is asked for: a look-up needs the columns only, and to store both would take a fifth more space.

Two texts are alike as far as they cite the same works, rare ones above all (Kessler 1963, bibliographic coupling):

    cos(a, b) = Σ w² over works that both cite / (|a| · |b|)       w = ln(1 + N / n),   |a|² = Σ w² over what a cites

N units cite anything, n of them this work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import Table
from indexing.tables.ownership import gather_ranges


def key_hashes(keys: Sequence[str]) -> NDArray[np.uint64]:
    """A 64-bit hash of each key, never 0: its bytes times odd random numbers, added up (multilinear hashing)."""
    return row_hashes([keys])


def row_hashes(rows: Iterable[Sequence[str]]) -> NDArray[np.uint64]:
    """`key_hashes` of the keys of all rows, one after the other; row by row, memory is read once."""
    from indexing.tables.reference_kernel import add_bytes

    rows = [row for row in rows if row]
    blob = np.frombuffer("\0".join([*map("\0".join, rows), ""]).encode("utf-8", "surrogatepass"), np.uint8)
    ends = np.flatnonzero(blob == 0)
    if len(ends) > sum(map(len, rows)):  # names and references of strangers may have the mark between keys
        return row_hashes([[key.replace("\0", "\ufffd") for key in row] for row in rows])
    longest = int(np.diff(ends, prepend=-1).max(initial=1))
    return np.maximum(_mixed(add_bytes(blob, ends, _factors(1 << longest.bit_length()))), np.uint64(1))


@lru_cache(maxsize=4)
def _factors(count: int) -> NDArray[np.uint64]:
    return _mixed(np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit spread over all bits (the last steps of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def rarity(citing: NDArray[np.integer[Any]], citing_units: int) -> NDArray[np.float64]:
    """The weight w of works by the number of units that cite them; a work that none cites counts as cited once."""
    weights: NDArray[np.float64] = np.log1p(citing_units / np.maximum(citing, 1))
    return weights


@dataclass(frozen=True, slots=True)
class References(Table):
    """What the live units cite."""

    hashes: NDArray[np.uint64]  # (works) ascending: those that several units cite; their positions are the work numbers
    starts: NDArray[np.integer[Any]]  # (works + 1) row pointers into `units`
    units: NDArray[np.int32]  # the units that cite each of them
    single_hashes: NDArray[np.uint64]  # (singles) ascending: the works that one unit cites
    single_units: NDArray[np.int32]  # (singles) that unit
    norms: NDArray[np.float32]  # (units) |a| of each unit, 0 for those that cite nothing

    @property
    def entries(self) -> int:
        """How many references there are in all."""
        return len(self.units) + len(self.single_units)

    def citing(
        self, hashes: NDArray[np.uint64], limit: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every (row in `hashes`, unit that cites this work), row by row within each kind of work.

        Works that more than `limit` units cite are left out.
        """
        rows, numbers = _positions(self.hashes, hashes)
        begins, ends = (self.starts[numbers + step].astype(np.int64) for step in (0, 1))
        counts = ends - begins
        if limit is not None and (counts > limit).any():
            rare = counts <= limit
            rows, begins, counts = rows[rare], begins[rare], counts[rare]
        entries = gather_ranges(begins, counts)
        single_rows, singles = _positions(self.single_hashes, hashes)
        units = np.concatenate([self.units[entries], self.single_units[singles]])
        return np.concatenate([np.repeat(rows, counts), single_rows]), units.astype(np.int64)

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The transpose: row pointers by unit, and the numbers of the works that each cites with others, ascending."""
        cuts = self.starts.astype(np.int64)
        works = np.repeat(np.arange(len(self.hashes), dtype=np.int32), cuts[1:] - cuts[:-1])
        order = np.argsort(self.units, kind="stable")
        return np.append(0, np.cumsum(np.bincount(self.units, minlength=len(self.norms)))), works[order]

    @classmethod
    def read(cls, directory: Path) -> References | None:
        """Memory-map the table in `directory`; None where no paper of the corpus has references."""
        return cls.open(directory) if directory.is_dir() else None


def _positions(table: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of `hashes` that are in the ascending table, and where."""
    if len(table) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    positions = np.minimum(np.searchsorted(table, hashes), len(table) - 1)
    rows = np.flatnonzero(table[positions] == hashes)
    return rows, positions[rows]
