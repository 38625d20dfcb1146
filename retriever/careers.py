"""Careers as the index shows them: papers, citations, first and last year and workplace of authors, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import kernels, worthwhile
from indexing.index import Index
from indexing.tables.ownership import gather_rows
from indexing.tables.units import NO_YEAR

_LEVELS = np.array([2, 4, 8, 16])


@dataclass(frozen=True, slots=True)
class Careers:
    """One entry an author; years are `NO_YEAR` where no paper has one, current institutions -1 where none is known."""

    papers: NDArray[np.int64]
    citations: NDArray[np.int64]
    first_years: NDArray[np.int64]
    last_years: NDArray[np.int64]
    institutions: NDArray[np.int64]

    @classmethod
    def of(cls, index: Index, authors: NDArray[np.integer[Any]]) -> Careers:
        """The careers of these authors, each of whom owns at least one unit."""
        owned, units, places = index.ownership, index.units, index.affiliations
        if worthwhile():
            return cls(
                *kernels("retriever.walks").careers(
                    authors.astype(np.int64, copy=False),
                    *(owned.author_starts, owned.author_units, units.years, units.citations),
                    *(places.starts, places.units, places.institutions, NO_YEAR),
                )
            )
        rows, lengths = gather_rows(owned.author_starts, authors)
        begins = np.cumsum(lengths) - lengths
        written = owned.author_units[rows]
        years = units.years[written].astype(np.int64)
        known = np.where(years == NO_YEAR, np.iinfo(np.int64).max, years)
        first = _reduced(np.minimum, known, begins)
        return cls(
            lengths,
            _reduced(np.add, units.citations[written].astype(np.int64), begins),
            np.where(first == np.iinfo(np.int64).max, NO_YEAR, first),
            _reduced(np.maximum, years, begins),
            places.current(authors, units.years),
        )

    def take(self, rows: NDArray[np.int64] | slice) -> Careers:
        """The careers of some of the authors."""
        return Careers(*(column[rows] for column in self.columns()))

    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """All fields, in their order."""
        return self.papers, self.citations, self.first_years, self.last_years, self.institutions

    def seniority(self) -> NDArray[np.int64]:
        """A level from 0 to 4: 1, 2–3, 4–7, 8–15, 16 or more papers."""
        return np.searchsorted(_LEVELS, self.papers, side="right")


def _reduced(function: np.ufunc, values: NDArray[np.int64], begins: NDArray[np.int64]) -> NDArray[np.int64]:
    return function.reduceat(values, begins) if len(begins) else values
