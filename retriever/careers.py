"""Careers as the index shows them: papers, citations, first and last year and institution of authors, as arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.ownership import gather_rows
from indexing.tables.units import NO_YEAR
from panelist.records import Diversity

_LEVELS = np.array([2, 4, 8, 16])
_LATE = 1 << 16  # later than any year


@dataclass(frozen=True, slots=True)
class Careers:
    """One entry per author; years are `NO_YEAR` where no paper has one, institutions -1 where none is known."""

    papers: NDArray[np.int64]
    citations: NDArray[np.int64]
    first_years: NDArray[np.int64]
    last_years: NDArray[np.int64]
    institutions: NDArray[np.int64]

    @classmethod
    def of(cls, index: Index, authors: NDArray[np.integer[Any]]) -> Careers:
        """The careers of these authors, each of whom owns at least one unit.

        An author's institution is the one that their most recent unit names first.
        """
        entries, papers = gather_rows(index.ownership.author_starts, authors)
        units, begins = index.ownership.author_units[entries], np.cumsum(papers) - papers
        years = index.units.years[units].astype(np.int64)
        citations = np.add.reduceat(np.maximum(index.units.citations[units], 0).astype(np.int64), begins)
        first = np.minimum.reduceat(np.where(years == NO_YEAR, _LATE, years), begins)
        first[first == _LATE] = NO_YEAR
        table, institutions = index.affiliations, np.full(len(authors), -1, dtype=np.int64)
        entries, counts = gather_rows(table.starts, authors)
        rows, named = np.repeat(np.arange(len(authors)), counts), table.units[entries].astype(np.int64)
        recency = index.units.years[named].astype(np.int64) << 32 | named
        latest = np.zeros(len(authors), dtype=np.int64)
        np.maximum.at(latest, rows, recency)
        # Backwards, so that of the latest unit the institution is written last that is named first.
        chosen = np.flatnonzero(recency == latest[rows])[::-1]
        institutions[rows[chosen]] = table.institutions[entries[chosen]]
        return cls(papers, citations, first, np.maximum.reduceat(years, begins), institutions)

    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """All fields, in their order."""
        return self.papers, self.citations, self.first_years, self.last_years, self.institutions

    def seniority(self) -> NDArray[np.int64]:
        """A level from 0 to 4: 1, 2–3, 4–7, 8–15, 16 or more papers."""
        return np.searchsorted(_LEVELS, self.papers, side="right")


def diversity_of(
    institutions: Iterable[Hashable], countries: Iterable[Hashable], papers: Sequence[int], citations: Sequence[int]
) -> Diversity:
    """How varied some people are; σ is the population standard deviation, as in exHarmony.

    Of institutions and countries, those that are known are given, in any form that tells them apart.
    """
    return Diversity(len(set(institutions)), len(set(countries)), _deviation(citations), _deviation(papers))


def _deviation(counts: Sequence[int]) -> float:
    """σ = √(n · Σ x² − (Σ x)²) / n, in whole numbers up to the root."""
    size = len(counts)
    return math.sqrt(size * sum(count * count for count in counts) - sum(counts) ** 2) / size if size else 0.0
