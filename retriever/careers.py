"""Careers as the index shows them: papers, citations, first and last year and institution of authors, as arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from panelist.records import Diversity

_LEVELS = np.array([2, 4, 8, 16])


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
        from retriever.kernels.careers import careers

        owned, units, affiliations = index.ownership, index.units, index.affiliations
        return cls(
            *careers(
                np.ascontiguousarray(authors, dtype=np.int64),
                *(owned.author_starts, owned.author_units, units.years, units.citations),
                *(affiliations.starts, affiliations.units, affiliations.institutions, NO_YEAR),
            )
        )

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
