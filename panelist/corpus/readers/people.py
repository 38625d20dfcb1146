"""Authors in one cell of a table: ids or names, separated as chairs' exports separate them."""

from __future__ import annotations

import re

from panelist.corpus.readers.fields import FieldError
from panelist.records import Author

_SEPARATORS = re.compile(r"[;|\n]")
_COMMAS = re.compile(r",|\band\b")
_IDS = re.compile(r"[;|,\s]+")
_REMARKS = re.compile(r"\([^)]*\)|\*")  # affiliations, and the asterisk of the corresponding author


def read_people(ids: str, people: str) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """The authors known by id, and the names of those who are not.

    Entries are separated by semicolons, bars or line breaks; where there are none of these, by commas and "and", except
    that "Lovelace, Ada" is one person. Remarks in parentheses and asterisks are dropped. Among `people` an entry
    without whitespace is an id, because ids have none and most names have; an unknown id is then searched as a name.

    Args:
        ids: a cell of ids, separated by whitespace, commas, semicolons or bars; perhaps empty.
        people: a cell of ids or names, perhaps empty; beside `ids`, the names of these.

    Raises:
        FieldError: there are not as many names as ids.
    """
    known, entries = [one for one in _IDS.split(ids) if one], _entries(people)
    if not known:
        return tuple(Author(e, e) for e in entries if " " not in e), tuple(e for e in entries if " " in e)
    if entries and len(known) != len(entries):
        raise FieldError(f"{len(entries)} authors, but {len(known)} author ids: give one id for each, or none")
    named = zip(known, entries or known, strict=True)
    return tuple(Author(one, name) for one, name in named), ()


def _entries(cell: str) -> list[str]:
    cell = _REMARKS.sub(" ", cell)
    parts = _SEPARATORS.split(cell)
    if len(parts) == 1 and not _is_reversed(cell):
        parts = _COMMAS.split(cell)
    names = [part.split(",", 1)[1] + " " + part.split(",", 1)[0] if _is_reversed(part) else part for part in parts]
    return [" ".join(name.split()) for name in names if name.strip()]


def _is_reversed(name: str) -> bool:
    """Whether this is one name, the last name first."""
    last, comma, first = name.partition(", ")
    plain = not any(character.isdigit() or character in "~@:/_" for character in name)
    return bool(comma) and plain and "," not in first and len(first.split()) == 1 and bool(last.strip())
