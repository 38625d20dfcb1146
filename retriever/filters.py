"""Filters: who may be on a panel at all, by country, institution, output and activity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import normalised
from retriever.careers import Careers


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked of a reviewer; the defaults ask nothing.

    Attributes:
        countries: two-letter codes of the current institution.
        institutions: names (up to case, accents and punctuation) or RORs of the current institution.
        min_papers: at least so many indexed papers.
        max_papers: at most so many.
        active_since: a paper in or after this year.
        min_relevant: at least so many papers among those that the search found.
        include: author ids who pass whatever the other filters say.
        exclude: author ids who never pass.
    """

    countries: tuple[str, ...] = ()
    institutions: tuple[str, ...] = ()
    min_papers: int | None = None
    max_papers: int | None = None
    active_since: int | None = None
    min_relevant: int | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def passing(
        self, index: Index, authors: NDArray[np.integer[Any]], relevant: NDArray[np.integer[Any]]
    ) -> NDArray[np.bool_]:
        """Which of these authors pass.

        Args:
            index: the index they are from.
            authors: author numbers.
            relevant: how many papers of each the search found.
        """
        mask = np.ones(len(authors), dtype=np.bool_)
        if self.min_relevant is not None:
            mask &= relevant >= self.min_relevant
        if self.min_papers is not None or self.max_papers is not None or self.active_since is not None:
            careers = Careers.of(index, authors)
            mask &= careers.papers >= (self.min_papers or 0)
            if self.max_papers is not None:
                mask &= careers.papers <= self.max_papers
            if self.active_since is not None:
                mask &= careers.last_years >= self.active_since
        if self.countries or self.institutions:
            mask &= self._placed(index, authors)
        if self.include:
            mask |= np.isin(authors, index.ownership.author_ids.find(self.include))
        if self.exclude:
            mask &= ~np.isin(authors, index.ownership.author_ids.find(self.exclude))
        return mask

    def _placed(self, index: Index, authors: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Who works at a wanted place: judged once for each institution that occurs."""
        places, position = np.unique(Careers.of(index, authors).institutions, return_inverse=True)
        countries = {country.casefold() for country in self.countries}
        wanted = {normalised(name) for name in self.institutions} | set(self.institutions)
        fits = np.zeros(len(places), dtype=np.bool_)
        for row, number in enumerate(places.tolist()):
            if number >= 0:
                place = index.affiliations[number]
                in_country = not countries or (place.country or "").casefold() in countries
                at_institution = not wanted or normalised(place.name) in wanted or place.ror in wanted
                fits[row] = in_country and at_institution
        return fits[position]
