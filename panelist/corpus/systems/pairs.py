"""Tables about pairs and people in the systems' own forms, as rows of Panelist's own form.

Conflicts, bids, assignments and quotas come out as lines without a header, the committee with one. A conflict stated
among bids is the bid `conflict`, which readers take for what it is; as constraints, such a file gives only these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from panelist.corpus.systems.columns import ASSIGNING, CONFLICT, MORE_PAIRS, PAIRS, PEOPLE, ROLES, plain, position
from panelist.errors import InputError

Rows: TypeAlias = Iterable[tuple[int, list[str]]]
"""Rows with their lines."""

_BEFORE = 4
"""Rows that may stand before a header, as in CMT's workbooks."""


def native_rows(rows: Rows, kind: str) -> Iterator[tuple[int, list[str]]]:
    """Rows as a file of Panelist's own has them; they pass unchanged where no header of a system precedes them.

    Args:
        rows: all rows of the file.
        kind: `constraint`, `bid`, `score` or `max`, the name of the last column.
    """
    rows = iter(rows)
    head = list(islice(rows, _BEFORE + 1))
    for at, (_, row) in enumerate(head):
        columns = _columns(plain(row), kind)
        if columns is not None:
            for line, cells in chain(head[at + 1 :], rows):
                values = _values(cells, columns)
                if any(values.values()) and (native := _CONVERTERS[kind](values)) is not None:
                    yield line, native
            return
    yield from chain(head, rows)


def native_pairs(path: Path, rows: Rows, kind: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file as `native_rows` gives them, of CMT's XML too; `rows` are those of any other file.

    Raises:
        InputError: it is XML of another form.
    """
    return _xml_rows(path, kind) if _is_xml(path) else native_rows(rows, kind)


def native_table(rows: Rows, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The committee's rows with a header of Panelist's own, of which only `columns` are kept.

    A file with the column `reviewer` is Panelist's own and passes unchanged.
    """
    rows = iter(rows)
    head = list(islice(rows, _BEFORE + 1))
    for at, (first, row) in enumerate(head):
        names = plain(row)
        places = {field: place for field, aliases in PEOPLE.items() if (place := position(names, aliases)) >= 0}
        if "reviewer" in names or not {"reviewer", "last"} <= places.keys():
            continue
        kept = [name for name in columns if name in places or name == "name"]
        yield first, kept
        for line, cells in chain(head[at + 1 :], rows):
            values = _values(cells, places)
            if any(values.values()):  # without an id the row is refused by its reader, not passed over here
                yield line, [_about(values, name) for name in kept]
        return
    yield from chain(head, rows)


def _values(cells: Sequence[str], places: Mapping[str, int]) -> dict[str, str]:
    """The cells by column; those that a short row lacks are empty."""
    return {name: cells[place].strip() if place < len(cells) else "" for name, place in places.items()}


def _is_xml(path: Path) -> bool:
    """Whether a file is XML, by its content."""
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _xml_rows(path: Path, kind: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of CMT's XML: submissions with the e-mail addresses of people, and perhaps scores; lines are not known.

    Raises:
        InputError: it cannot be parsed, or is not of that form.
    """
    try:
        content = path.read_bytes()
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise InputError(f"'{path}' declares a document type, which no system writes: give the file as it came")
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise InputError(f"'{path}' is not XML: {error}") from error
    for submission in root.iter("submission"):
        for person in submission:
            paper, who = submission.get("submissionId"), person.get("email")
            if paper is None or who is None:
                raise InputError(f"'{path}': expected <submission submissionId=…> with <user email=…> inside")
            value = "-1" if kind == "constraint" else person.get("score") or person.get("bid")
            yield 0, [paper, who, *filter(None, [value])]


def _columns(names: list[str], kind: str) -> dict[str, int] | None:
    """Where a header of this kind has each column; None where it is no such header."""
    needed = {field: position(names, aliases) for field, aliases in PAIRS[kind].items()}
    if min(needed.values()) < 0:
        return None
    more = {field: position(names, aliases) for field, aliases in MORE_PAIRS.items()}
    return needed | {field: place for field, place in more.items() if place >= 0 and field not in needed}


def _conflict(values: dict[str, str]) -> list[str] | None:
    """A conflict, or a constraint where the file has them; bids, preferences and actions that are none are left out."""
    said = [values[field].lower() for field in ("bid", "action") if field in values]
    if (said or "conflict" in values) and not (CONFLICT in said or values.get("conflict")):
        return None
    return [values["paper"], values["reviewer"], values.get("constraint") or "-1"]


def _bid(values: dict[str, str]) -> list[str] | None:
    """A bid; a conflict is the bid `conflict`, which counts as none."""
    if values.get("action", "preference") not in ("preference", "pref", "reviewpreference"):
        return None
    bid = CONFLICT if values.get("conflict") else values["bid"]
    return [values["paper"], values["reviewer"], bid] if bid else None


def _score(values: dict[str, str]) -> list[str] | None:
    if "action" in values and values["action"].lower() not in ASSIGNING:
        return None
    return [values["paper"], values["reviewer"], *filter(None, [values.get("score", "")])]


def _quota(values: dict[str, str]) -> list[str] | None:
    if not values["max"]:
        return None
    return [values["reviewer"], values["max"], *filter(None, [values.get("min", "")])]


_CONVERTERS = {"constraint": _conflict, "bid": _bid, "score": _score, "max": _quota}


def _about(values: dict[str, str], name: str) -> str:
    """One cell of somebody's row."""
    if name == "name":
        return values.get("name") or f"{values.get('first', '')} {values.get('last', '')}".strip()
    if name == "role":
        return ROLES.get(values["role"].lower(), values["role"])
    if name == "country":  # names of countries are not codes, and are not guessed
        return values["country"] if len(values["country"]) == 2 else ""
    return values.get(name, "")
