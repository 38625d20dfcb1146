"""Colleagues: which reviewers are, or recently were, at an institution of a submission or of its authors.

A ROR identifies an institution, and two different RORs tell two apart whatever they are called. So names are compared
only where one of the two has no ROR, and what they then suggest is a possible match, for people to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import Affiliations, institution_key, normalised
from indexing.tables.units import NO_YEAR
from panelist.records import Institution


@dataclass(frozen=True, slots=True)
class Workplaces:
    """Institutions of a submission and of its authors, and whose they are.

    Attributes:
        certain: by the number of an institution with a ROR, of people known by id.
        possible: the same, of people known by name.
        names: by the number of a name, of institutions with a ROR.
        names_without_ror: by the number of a name, of institutions without one.
    """

    certain: dict[int, str] = field(default_factory=dict)
    possible: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    names_without_ror: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.certain, self.possible, self.names, self.names_without_ror))

    def add_given(self, affiliations: Affiliations, given: Sequence[Institution], who: str) -> None:
        """Add institutions that are not from the index, as far as they or their names are known to it."""
        numbers = affiliations.keys.find([institution_key(one) for one in given]).tolist()
        names = affiliations.plain_names.find([normalised(one.name) for one in given]).tolist()
        for institution, number, name in zip(given, numbers, names, strict=True):
            if institution.ror and number >= 0:
                self.certain.setdefault(number, who)
            if name >= 0:
                (self.names if institution.ror else self.names_without_ror).setdefault(name, who)

    def add(self, affiliations: Affiliations, number: int, who: str, *, certain: bool) -> None:
        """Add an institution of the index."""
        name = int(affiliations.name_numbers[number])
        offsets = affiliations.rors.offsets
        if offsets[number + 1] > offsets[number]:  # it has a ROR
            (self.certain if certain else self.possible).setdefault(number, who)
            self.names.setdefault(name, who)
        else:
            self.names_without_ror.setdefault(name, who)

    def colleagues(
        self, index: Index, authors: NDArray[np.integer[Any]], since: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The recent affiliations of these authors that are, certainly or possibly, with one of the workplaces.

        Returns:
            Positions in `authors`, positions in the `units` and `institutions` of the index's affiliations, and whether
            it is certainly so.
        """
        from retriever.kernels.colleagues import colleagues

        table = index.affiliations
        numbers = (self.certain, self.possible, self.names, self.names_without_ror)
        return colleagues(
            np.ascontiguousarray(authors, dtype=np.int64),
            *(table.starts, table.units, table.institutions, index.units.years, since, NO_YEAR),
            *(table.name_numbers, table.rors.offsets),
            *(np.array(list(one), dtype=np.int64) for one in numbers),
        )

    def whose(self, affiliations: Affiliations, institution: int, *, certain: bool) -> str:
        """Whose workplace a matching institution is."""
        if certain:
            return self.certain[institution]
        name = int(affiliations.name_numbers[institution])
        return self.possible.get(institution) or self.names_without_ror.get(name) or self.names[name]


def recent_affiliations(
    index: Index, authors: NDArray[np.int64], since: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Affiliations of these authors since a year, and those on their latest paper however old it is.

    Returns:
        Positions in `authors`, and positions in the `units` and `institutions` of the index's affiliations.
    """
    from retriever.kernels import colleagues as kernels

    table = index.affiliations
    return kernels.recent_affiliations(authors, table.starts, table.units, index.units.years, since, NO_YEAR)
