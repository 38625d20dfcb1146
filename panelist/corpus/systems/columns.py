"""The columns and words in the files of conference and journal systems, by Panelist's own names: `columns.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

Columns = Mapping[str, tuple[str, ...]]
"""The columns of a file, each with the names that it may have in a header."""
NONE: Columns = MappingProxyType({})

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _columns(table: Mapping[str, Sequence[str]]) -> Columns:
    lists = {f"${name}": names for name, names in _TABLES["names"].items()}
    return {field: tuple(chain(*(lists.get(name, [name]) for name in names))) for field, names in table.items()}


def _by_word(table: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
    return {word: name for name, words in table.items() for word in words}


_OF_AUTHOR = {
    "given": "given name",
    "family": "family name",
    "email": "email",
    "orcid": "orcid id",
    "place": "affiliation",
}
AUTHOR_COLUMNS = tuple(tuple(f"{field} {number}" for field in _OF_AUTHOR) for number in range(1, 41))
"""The columns of each author in a row that has some for each (OJS); at most 40 authors are read."""

PAPER = _columns(_TABLES["names"])["paper"]
SUBMISSIONS = _columns(_TABLES["submissions"])
MORE_SUBMISSIONS: Columns = {
    **_columns(_TABLES["more_submissions"]),
    **{
        f"{field} {number}": (f"{name} (author {number})", f"{name.removesuffix(' id')} (author {number})")
        for number in range(1, len(AUTHOR_COLUMNS) + 1)
        for field, name in _OF_AUTHOR.items()
    },
}
PAIRS: Mapping[str, Columns] = {kind: _columns(table) for kind, table in _TABLES["pairs"].items()}
MORE_PAIRS, PEOPLE = _columns(_TABLES["more_pairs"]), _columns(_TABLES["people"])
REVIEWS, HISTORY = _columns(_TABLES["reviews"]), _columns(_TABLES["history"])
OUTCOMES, HANDLING = _by_word(_TABLES["outcomes"]), _by_word(_TABLES["handling"])
ROLES = _by_word(_TABLES["roles"])
BID_WORDS: Mapping[str, float] = _TABLES["bids"]
RECOMMENDATIONS: Mapping[str, float] = _TABLES["recommendations"]

EASYCHAIR = "easychair:"
"""Before the number by which EasyChair knows a person, as an author and on the committee."""

CONFLICT = "conflict"
"""The word for a conflict among bids (EasyChair), actions and in a column of its own (HotCRP)."""

ASSIGNING = frozenset(_TABLES["assigning"])
"""HotCRP's actions that assign a review."""


class Header(NamedTuple):
    """A header, with the columns that were looked for."""

    line: int
    names: list[str]  # as they are compared
    positions: dict[str, int]  # of the columns that it has, by Panelist's names


def position(names: Sequence[str], aliases: Sequence[str]) -> int:
    """Where a header has a column under the first of its names that it has; -1 where under none."""
    return next((names.index(alias) for alias in aliases if alias in names), -1)


def positions_of(names: Sequence[str], columns: Columns) -> dict[str, int]:
    """Where a header has which of the columns."""
    return {column: index for column, aliases in columns.items() if (index := position(names, aliases)) >= 0}


def name_in(cells: Mapping[str, str]) -> str:
    """The name of a person in a row: in one cell, else in two."""
    return cells.get("name") or f"{cells.get('first', '')} {cells.get('last', '')}".strip()


def plain_header(names: Sequence[str]) -> list[str]:
    """The names of a header as they are compared."""
    return [" ".join(name.strip().strip('"').lower().split()) for name in names]
