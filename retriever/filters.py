"""Filters: who may be on a panel at all, by country, institution, output and activity."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import normalised
from retriever.careers import Careers
from retriever.history.seen import Seen
from retriever.stages import RankedAuthors


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked of a reviewer; the defaults ask nothing.

    Attributes:
        countries: two-letter codes of the current institution.
        institutions: names (up to case, accents and punctuation) or RORs of the current institution.
        min_papers: the least number of indexed papers.
        max_papers: the greatest number of indexed papers.
        active_since: a paper in or after this year.
        min_relevant: the least number of papers among those that the search found.
        rest: the least number of days since their last review, where that is known; who has one open does not rest.
        at_most: nobody with this number of reviews in twelve months, those that are open with them, or more.
        include: author ids who pass whatever the other filters say.
        exclude: author ids who never pass.
        only: author ids; nobody else passes. Unlike a pool, it changes neither the search nor the scores.
    """

    countries: tuple[str, ...] = ()
    institutions: tuple[str, ...] = ()
    min_papers: int | None = None
    max_papers: int | None = None
    active_since: int | None = None
    min_relevant: int | None = None
    rest: int = 0
    at_most: int | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    @property
    def load(self) -> tuple[int, int | None]:
        """The days of rest, and the number of reviews a year."""
        return self.rest, self.at_most

    def passing(
        self, index: Index, ranked: RankedAuthors, rows: NDArray[np.int64], seen: Seen | None = None
    ) -> NDArray[np.int64]:
        """Those of these rows whose authors pass."""
        authors = ranked.authors[rows]
        mask = np.ones(len(rows), dtype=np.bool_)
        if self.min_relevant is not None:
            mask &= ranked.counts(rows) >= self.min_relevant
        if self.min_papers is not None or self.max_papers is not None or self.active_since is not None:
            careers = Careers.of(index, authors)
            mask &= careers.papers >= (self.min_papers or 0)
            if self.max_papers is not None:
                mask &= careers.papers <= self.max_papers
            if self.active_since is not None:
                mask &= careers.last_years >= self.active_since
        if self.countries or self.institutions:
            mask &= self._at_institution(index, authors)
        if seen is not None:
            mask &= ~seen.tired(authors, *self.load)
        if self.include:
            mask |= np.isin(authors, index.ownership.author_ids.find(self.include))
        if self.exclude:
            mask &= ~np.isin(authors, index.ownership.author_ids.find(self.exclude))
        if self.only is not None:
            mask &= np.isin(authors, index.ownership.author_ids.find(self.only))
        return rows[mask]

    def _at_institution(self, index: Index, authors: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Who is at a wanted institution, or in a wanted country: judged once for each institution that occurs."""
        numbers, position = np.unique(Careers.of(index, authors).institutions, return_inverse=True)
        countries = {country.casefold() for country in self.countries}
        names = {normalised(name) for name in self.institutions} | set(self.institutions)
        fits = np.zeros(len(numbers), dtype=np.bool_)
        for row, number in enumerate(numbers.tolist()):
            if number >= 0:
                institution = index.affiliations[number]
                in_country = not countries or (institution.country or "").casefold() in countries
                at_institution = not names or normalised(institution.name) in names or institution.ror in names
                fits[row] = in_country and at_institution
        return fits[position]
