"""Who worked where: the institutions of every authorship as arrays, for conflicts, filters and diversity.

An institution is identified by its ROR, else by its normalised name. Two of them with the same normalised name, one
with a ROR and one without, stay two, but share a name number: that is a *possible* match, for people to judge.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import StringTable, Table, save_array
from panelist.records import Institution

_SEPARATORS = re.compile(r"[\W_]+")


@lru_cache(maxsize=1 << 16)  # the same few institutions come with thousands of papers
def normalised(name: str) -> str:
    """A name without case, accents and punctuation, and without a leading 'the'."""
    plain = name.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _SEPARATORS.sub(" ", plain).strip().removeprefix("the ")


def institution_key(institution: Institution) -> str:
    """What identifies an institution."""
    return institution.ror or normalised(institution.name)


@dataclass(frozen=True, slots=True)
class Affiliations(Table):
    """For each author the institutions that their live units give, unit by unit."""

    keys: StringTable  # the `institution_key` of each institution; its position is the institution's number
    names: StringTable
    rors: StringTable  # empty where there is none
    countries: StringTable  # of two letters, empty where unknown
    plain_names: StringTable  # the distinct normalised names
    lineages: StringTable  # the ids of each institution and of those that it is part of, empty where unknown
    name_numbers: NDArray[np.int32]  # (institutions) the position of each one's normalised name in `plain_names`
    starts: NDArray[np.int64]  # (authors + 1) row pointers into the two arrays below
    units: NDArray[np.int32]  # the unit that names the institution, ascending in each row
    institutions: NDArray[np.int32]  # institution numbers

    def __getitem__(self, number: int) -> Institution:
        """The institution of this number."""
        ror, country, lineage = self.rors[number], self.countries[number], self.lineages[number]
        return Institution(self.names[number], ror or None, country or None, lineage)

    def of_author(self, author: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The affiliations of one author: units, and the institution that each of them gives."""
        entries = slice(self.starts[author], self.starts[author + 1])
        return self.units[entries], self.institutions[entries]


def save_institutions(institutions: Sequence[Institution], directory: Path) -> None:
    """Write those of `Affiliations`' files that describe institutions; these are distinct by `institution_key`."""
    for name, column in institution_tables(institutions).items():
        if isinstance(column, StringTable):
            column.save(directory, name)
        else:
            save_array(directory / f"{name}.npy", column)


def institution_tables(institutions: Sequence[Institution]) -> dict[str, Any]:
    """The parts of `Affiliations` that describe institutions, by name."""
    groups: dict[str, int] = {}
    numbers = [groups.setdefault(normalised(institution.name), len(groups)) for institution in institutions]
    return {
        "keys": StringTable.of(list(map(institution_key, institutions))),
        "names": StringTable.of([institution.name for institution in institutions]),
        "rors": StringTable.of([institution.ror or "" for institution in institutions]),
        "countries": StringTable.of([institution.country or "" for institution in institutions]),
        "plain_names": StringTable.of(list(groups)),
        "lineages": StringTable.of([institution.lineage for institution in institutions]),
        "name_numbers": np.array(numbers, dtype=np.int32),
    }
