"""Careers as the index shows them: papers, citations, first and last year of authors, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.ownership import gather_rows
from indexing.units import NO_YEAR


@dataclass(frozen=True, slots=True)
class Careers:
    """One entry an author; years are `NO_YEAR` where no paper has one."""

    papers: NDArray[np.int64]
    citations: NDArray[np.int64]
    first_years: NDArray[np.int64]
    last_years: NDArray[np.int64]

    @classmethod
    def of(cls, index: Index, authors: NDArray[np.integer[Any]]) -> Careers:
        """The careers of these authors, each of whom owns at least one unit."""
        places, lengths = gather_rows(index.ownership.author_starts, authors)
        if len(authors) == 0:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing, nothing, nothing)
        begins = np.cumsum(lengths) - lengths
        units = index.ownership.author_units[places]
        years = index.units.years[units].astype(np.int64)
        known = np.where(years == NO_YEAR, np.iinfo(np.int64).max, years)
        first = np.minimum.reduceat(known, begins)
        return cls(
            lengths,
            np.add.reduceat(index.units.citations[units].astype(np.int64), begins),
            np.where(first == np.iinfo(np.int64).max, NO_YEAR, first),
            np.maximum.reduceat(years, begins),
        )

    def seniority(self) -> NDArray[np.int64]:
        """A level from 0 to 4: 1, 2–3, 4–7, 8–15, 16 or more papers."""
        return np.minimum(np.log2(np.maximum(self.papers, 1)).astype(np.int64), 4)
