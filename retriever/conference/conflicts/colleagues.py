"""Colleagues: which reviewers are, or recently were, at an institution of a submission or of its authors.

A ROR identifies an institution, and two different RORs tell two apart whatever they are called. So names are compared
only where one of the two has no ROR, and what they then suggest is a possible match, for people to judge: equal names,
acronyms, a department in front, a wrong letter (`retriever.conference.institution_names`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from indexing.tables.affiliations import Affiliations, normalised
from indexing.tables.units import NO_YEAR
from panelist.corpus.identity import comparable
from panelist.records import Institution
from retriever.conference.authors import AuthorMatch
from retriever.conference.institution_names import InstitutionNames
from retriever.conference.people import Source


class Institutions:
    """The institutions of a source, by ROR, by lineage and by name. Safe to share between threads."""

    def __init__(self, table: Affiliations) -> None:
        self._table = table

    def with_ror(self, ror: str) -> list[int]:
        """The numbers of the institutions with this ROR, however it is written."""
        return self._by_ror.get(comparable(ror), [])

    def related(self, institution: Institution) -> set[int]:
        """The numbers of the institutions that this one is part of, and of those that are part of it."""
        same = self.with_ror(institution.ror) if institution.ror else []
        related: set[int] = set()
        for lineage in {institution.lineage, *(self._table.lineages[number] for number in same)} - {""}:
            related.update(self._lineages.get(comparable(lineage.split()[0]), ()))  # itself and its parts
            for identity in map(comparable, lineage.split()):
                related.update(number for number in self._lineages.get(identity, ()) if self._own(number) == identity)
        return related - {*same}

    def named_like(self, name: str) -> frozenset[int]:
        """The numbers of the names that are this one up to case and punctuation, or may mean the same institution."""
        equal = self._table.plain_names.find([normalised(name)])
        return self._names.like(name) | {*equal[equal >= 0].tolist()}

    @cached_property
    def _by_ror(self) -> dict[str, list[int]]:
        return _by_id(self._table.rors.all())

    @cached_property
    def _lineages(self) -> dict[str, list[int]]:
        """By id, the numbers of the institution and of all that are part of it."""
        return _by_id(self._table.lineages.all())

    def _own(self, number: int) -> str:
        return comparable(self._table.lineages[number].split()[0])

    @cached_property
    def _names(self) -> InstitutionNames:
        return InstitutionNames(zip(self._table.name_numbers.tolist(), self._table.names.all(), strict=True))


class Owner(Struct, frozen=True, gc=False):
    """Whose an institution is, in words; of somebody known by name only, that name, and the id if there is one."""

    words: str
    author: str = ""
    key: str = ""

    @classmethod
    def of(cls, person: AuthorMatch) -> Self:
        """An author of the submission."""
        return cls(str(person)) if person.certain else cls(str(person), person.name, person.key or "")


def _by_id(ids: Iterable[str]) -> dict[str, list[int]]:
    """The positions at which each id is one of those that stand there with blanks between them."""
    numbers: dict[str, list[int]] = {}
    for number, some in enumerate(ids):
        for identity in some.split():
            numbers.setdefault(comparable(identity), []).append(number)
    return numbers


@dataclass(frozen=True, slots=True)
class Workplaces:
    """Institutions of a submission and of its authors, and whose they are."""

    # by the number of an institution with a ROR, of people known by id
    certain: dict[int, Owner] = field(default_factory=dict)
    possible: dict[int, list[Owner]] = field(default_factory=dict)  # the same, of people known by name
    names: dict[int, list[Owner]] = field(default_factory=dict)  # by the number of a name, of institutions with a ROR
    # by the number of a name, of institutions without one
    names_without_ror: dict[int, list[Owner]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.certain, self.possible, self.names, self.names_without_ror))

    def add(self, institutions: Institutions, institution: Institution, owner: Owner, *, certain: bool) -> None:
        """Add an institution, as far as the source has it or its name, of somebody who is certain or known by name."""
        relative = structs.replace(owner, words=f"{owner.words}, of {institution.name}: one is part of the other")
        same = dict.fromkeys(institutions.with_ror(institution.ror) if institution.ror else (), owner)
        for number, whose in (dict.fromkeys(institutions.related(institution), relative) | same).items():
            if certain:
                self.certain.setdefault(number, whose)
            else:
                self.possible.setdefault(number, []).append(whose)
        names = self.names if institution.ror else self.names_without_ror
        for number in institutions.named_like(institution.name):
            names.setdefault(number, []).append(owner)

    def colleagues(
        self, source: Source, authors: NDArray[np.integer[Any]], since: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The recent affiliations of these authors that are, certainly or possibly, with one of the workplaces.

        Returns:
            Positions in `authors`, positions in the `units` and `institutions` of the affiliations, and whether it is
            certainly so.
        """
        from retriever.kernels.conflicts import colleagues

        table = source.affiliations
        numbers = (self.certain, self.possible, self.names, self.names_without_ror)
        return colleagues(
            np.ascontiguousarray(authors, dtype=np.int64),
            *(table.starts, table.units, table.institutions, source.years, since, NO_YEAR),
            *(table.name_numbers, table.rors.offsets),
            *(np.array(list(number), dtype=np.int64) for number in numbers),
        )

    def whose(self, affiliations: Affiliations, institution: int, *, certain: bool) -> list[Owner]:
        """Whose workplace a matching institution is."""
        if certain:
            return [self.certain[institution]]
        name = int(affiliations.name_numbers[institution])
        owners = [*self.possible.get(institution, ()), *self.names_without_ror.get(name, ())]
        return owners if affiliations.rors[institution] else owners + self.names.get(name, [])  # two RORs tell apart
