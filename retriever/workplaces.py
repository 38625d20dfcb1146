"""Shared papers and workplaces: which reviewers wrote with, are, or lately were where the authors of a submission are.

A ROR identifies an institution, and two different RORs tell two apart whatever they are called. So names are compared
only where one of the two has no ROR, and what they then suggest is a possible match, for people to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.compiled import kernels, worthwhile
from indexing.index import Index
from indexing.tables.affiliations import Affiliations, institution_key, normalised
from indexing.tables.ownership import gather_rows
from indexing.tables.units import NO_YEAR
from panelist.records import Institution


@dataclass(frozen=True, slots=True)
class Workplaces:
    """Institutions, and whose they are.

    Attributes:
        certain: by the number of an institution with a ROR, of people known by id.
        possible: the same, of people known by name.
        names: by the number of a name, of institutions with a ROR.
        loose_names: by the number of a name, of institutions without one.
    """

    certain: dict[int, str] = field(default_factory=dict)
    possible: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    loose_names: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.certain, self.possible, self.names, self.loose_names))

    def add_given(self, affiliations: Affiliations, given: Sequence[Institution], who: str) -> None:
        """Add institutions that are not from the index, as far as they or their names are known to it."""
        numbers = affiliations.keys.find([institution_key(place) for place in given]).tolist()
        names = affiliations.plain_names.find([normalised(place.name) for place in given]).tolist()
        for place, number, name in zip(given, numbers, names, strict=True):
            if place.ror and number >= 0:
                self.certain.setdefault(number, who)
            if name >= 0:
                (self.names if place.ror else self.loose_names).setdefault(name, who)

    def add(self, affiliations: Affiliations, number: int, who: str, *, certain: bool) -> None:
        """Add an institution of the index."""
        name = int(affiliations.name_numbers[number])
        cuts = affiliations.rors.offsets
        if cuts[number + 1] > cuts[number]:  # it has a ROR
            (self.certain if certain else self.possible).setdefault(number, who)
            self.names.setdefault(name, who)
        else:
            self.loose_names.setdefault(name, who)

    def among(
        self, index: Index, authors: NDArray[np.integer[Any]], since: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Where the whereabouts of these authors are among the workplaces.

        Returns:
            Places in `authors`, places in the `units` and `institutions` of the index's affiliations, and whether it is
            certainly so.
        """
        table = index.affiliations
        if worthwhile():
            numbers = (self.certain, self.possible, self.names, self.loose_names)
            rows, places, sure = kernels("retriever.walks").colleagues(
                authors.astype(np.int64, copy=False),
                *(table.starts, table.units, table.institutions, index.units.years, since, NO_YEAR),
                *(table.name_numbers, table.rors.offsets),
                *(np.array(list(one), dtype=np.int64) for one in numbers),
            )
            return rows, places, sure
        rows, places = whereabouts(index, authors, since)
        sure, maybe = self.match(table, table.institutions[places])
        matched = np.flatnonzero(sure | maybe)
        return rows[matched], places[matched], sure[matched]

    def match(
        self, affiliations: Affiliations, institutions: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which of these institution numbers are certainly, and which are possibly, among the workplaces."""
        names = affiliations.name_numbers[institutions]
        cuts = affiliations.rors.offsets
        without_ror = cuts[institutions + 1] == cuts[institutions]
        maybe = _among(institutions, self.possible) | _among(names, self.loose_names)
        maybe |= without_ror & _among(names, self.names)
        return _among(institutions, self.certain), maybe

    def whose(self, affiliations: Affiliations, institution: int, *, certain: bool) -> str:
        """Whose workplace a matching institution is."""
        if certain:
            return self.certain[institution]
        name = int(affiliations.name_numbers[institution])
        return self.possible.get(institution) or self.loose_names.get(name) or self.names[name]


def _among(numbers: NDArray[np.integer[Any]], wanted: dict[int, str]) -> NDArray[np.bool_]:
    return np.isin(numbers, list(wanted)) if wanted else np.zeros(len(numbers), dtype=np.bool_)


def whereabouts(
    index: Index, authors: NDArray[np.integer[Any]], since: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Affiliations of these authors since a year, and those on their latest paper however old it is.

    Returns:
        Places in `authors`, and places in the `units` and `institutions` of the index's affiliations.
    """
    table = index.affiliations
    if worthwhile():
        rows, places = kernels("retriever.walks").whereabouts(
            authors.astype(np.int64, copy=False), table.starts, table.units, index.units.years, since, NO_YEAR
        )
        return rows, places
    rows, places = table.entries(authors)
    years = index.units.years[table.units[places]]
    kept = recent(years, since)
    if not kept.all():
        latest = np.full(len(authors), NO_YEAR, dtype=years.dtype)
        np.maximum.at(latest, rows, years)
        kept |= years == latest[rows]
    return rows[kept], places[kept]


def together(
    index: Index, authors: NDArray[np.int64], others: NDArray[np.integer[Any]], since: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """What these authors have written since a year with any of `others`, who are in ascending order.

    Returns:
        Places in `authors`, the number of the other one, and the unit; in the order of authors, units, author lists.
    """
    owned, years = index.ownership, index.units.years
    if worthwhile():
        rows, found, written = kernels("retriever.walks").together(
            authors,
            others.astype(np.int32, copy=False),
            *(owned.author_starts, owned.author_units, owned.unit_starts, owned.unit_authors),
            *(years, since, NO_YEAR),
        )
        return rows, found, written
    places, lengths = gather_rows(owned.author_starts, authors)
    units, rows = owned.author_units[places], np.repeat(np.arange(len(authors)), lengths)
    kept = recent(years[units], since)
    pairs, written_by = owned.pairs(units[kept])
    found = np.isin(written_by, others)  # few of a consortium's hundreds
    return rows[kept][pairs[found]], written_by[found], units[kept][pairs[found]]


def recent(years: NDArray[np.int16], since: int) -> NDArray[np.bool_]:
    """Which years are `since` or later; a paper without a year may be, so it counts."""
    mask: NDArray[np.bool_] = (years >= since) | (years == NO_YEAR)
    return mask
