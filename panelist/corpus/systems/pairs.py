"""Tables about pairs and people in the systems' own forms, as rows of Panelist's own form.

Conflicts, bids, assignments and quotas come out as lines without a header, the committee with one. A conflict stated
among bids is the bid `conflict`, which readers take for what it is; as constraints, such a file gives only these.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from panelist.corpus.readers.report import note_columns, note_left_out
from panelist.corpus.systems.columns import (
    ASSIGNING,
    CONFLICT,
    MORE_PAIRS,
    NONE,
    PAIRS,
    PEOPLE,
    ROLES,
    Columns,
    plain,
    position,
)
from panelist.errors import InputError

Rows: TypeAlias = Iterator[tuple[int, list[str]]]
"""Rows with their lines."""

BEFORE_HEADER = 4
"""Rows that may stand before a header, as in CMT's workbooks."""


def named_rows(
    rows: Rows, needed: Columns, more: Columns = NONE, own: str | None = None, path: Path | None = None
) -> tuple[tuple[int, dict[str, int]] | None, Iterator[tuple[int, Any]]]:
    """The line and the columns of a header that names all of the needed ones, and the rows below it, each by column.

    Where there is none, or it has the column `own` of Panelist's own files, that is None, and all rows come as they
    are. Columns of `path` that have none of these names are noted as not used.
    """
    head = list(islice(rows, BEFORE_HEADER + 1))
    for at, (line, row) in enumerate(head):
        names = plain(row)
        columns = {**more, **needed}
        places = {field: place for field, aliases in columns.items() if (place := position(names, aliases)) >= 0}
        if needed.keys() <= places.keys() and own not in names:
            if path is not None:
                note_columns(path, names, (names[place] for place in places.values()))
            below = (  # cells that a short row lacks are empty
                (number, {name: "".join(cells[place : place + 1]).strip() for name, place in places.items()})
                for number, cells in chain(head[at + 1 :], rows)
            )
            return (line, places), (row for row in below if any(row[1].values()))
    return None, chain(head, rows)


def native_pairs(path: Path, rows: Rows, kind: str) -> Rows:
    """The rows of a file as one of Panelist's own has them; unchanged where no header of a system precedes them.

    Args:
        path: the file, which may be CMT's XML.
        rows: all its rows, if it is not.
        kind: `constraint`, `bid`, `score`, `max` or `demand`, the name of the last column.
    """
    with path.open("rb") as file:
        if file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            return _xml_rows(path, kind)
    more = {name: MORE_PAIRS[name] for name in _MORE[kind]}
    header, named = named_rows(rows, PAIRS[kind], more, path=path)
    if header is None:
        return named
    return _of_kind(path, named, kind)


def _of_kind(path: Path, rows: Iterator[tuple[int, dict[str, str]]], kind: str) -> Rows:
    for line, values in rows:
        if (native := _native(values, kind)) is not None:
            yield line, native
        else:
            note_left_out(path, line, _LEFT_OUT[kind])


def native_table(rows: Rows, columns: Sequence[str], path: Path | None = None) -> Rows:
    """The committee's rows with a header of Panelist's own, of which only `columns` are kept.

    A file with the column `reviewer` is Panelist's own and passes unchanged.
    """
    read = (*columns, *(("first", "last") if "name" in columns else ()))
    more = {name: names for name, names in PEOPLE.items() if name in read}
    header, named = named_rows(rows, {"reviewer": PEOPLE["reviewer"]}, more, "reviewer", path)
    if header is None:
        yield from named
        return
    shown = [
        name
        for name in columns
        if name in header[1] or (name == "name" and not header[1].keys().isdisjoint(("first", "last")))
    ]
    yield header[0], shown
    for line, values in named:
        yield line, [_about(values, name) for name in shown]  # without an id the row is refused by its reader


def _xml_rows(path: Path, kind: str) -> Rows:
    """The rows of CMT's XML: submissions with the e-mail addresses of people, perhaps scores; lines are not known."""
    from panelist.corpus.readers.catalogues.xml import elements_of  # look-ups load this module, and read no XML

    try:
        submissions = elements_of(path.read_bytes(), ("submission",))
    except ValueError as error:
        raise InputError(f"'{path}' is {error}") from error
    for submission in submissions:
        for person in submission:
            paper, email = submission.get("submissionId"), person.get("email")
            if paper is None or email is None:
                raise InputError(f"'{path}': expected <submission submissionId=…> with <user email=…> inside")
            value = "-1" if kind == "constraint" else person.get("score") or person.get("bid")
            used = {"submissionId", "email", *(() if kind == "constraint" else ("score", "bid"))}
            note_columns(path, [*submission.attrib, *person.attrib], used)
            yield 0, [paper, email, *filter(None, [value])]


def _native(values: dict[str, str], kind: str) -> list[str] | None:
    """A row of Panelist's own file of a kind; None where the system's row does not say anything of it."""
    action = values.get("action")
    match kind:
        case "constraint":  # a conflict, or a constraint where the file has them; other bids and actions are left out
            words = [values[field].lower() for field in ("bid", "action") if field in values]
            if (words or "conflict" in values) and not (CONFLICT in words or values.get("conflict")):
                return None
            return [values["paper"], values["reviewer"], values.get("constraint") or "-1"]
        case "bid":  # a conflict is the bid `conflict`, which counts as none
            bid = CONFLICT if values.get("conflict") else values["bid"]
            if not bid or action not in (None, "preference", "pref", "reviewpreference"):
                return None
            return [values["paper"], values["reviewer"], bid]
        case "score" if action is not None and action.lower() not in ASSIGNING:
            return None
        case "max" if not values["max"]:
            return None
    first, second, third = _COLUMNS[kind]
    return [values[first], values[second], *filter(None, [values.get(third)])]


_MORE = {
    "constraint": ("bid", "action", "conflict", "constraint"),
    "bid": ("conflict", "action"),
    "score": ("score", "action"),
    "max": ("min",),
    "demand": ("role",),
}
_LEFT_OUT = {"constraint": "no conflict", "bid": "no bid", "score": "no assignment", "max": "no quota"}
_COLUMNS = {
    "score": ("paper", "reviewer", "score"),
    "max": ("reviewer", "max", "min"),
    "demand": ("paper", "demand", "role"),
}


def _about(values: dict[str, str], name: str) -> str:
    """One cell of somebody's row."""
    if name == "name":
        return values.get("name") or f"{values.get('first', '')} {values.get('last', '')}".strip()
    if name == "role":
        return ROLES.get(values["role"].lower(), values["role"])
    if name == "country":  # names of countries are not codes, and are not guessed
        return values["country"] if len(values["country"]) == 2 else ""
    return values.get(name, "")
