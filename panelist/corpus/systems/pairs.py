"""Tables about pairs and people in the systems' own forms, as rows of Panelist's own form.

Conflicts, bids, assignments and quotas come out as lines without a header, the committee with one. A conflict stated
among bids is the bid `conflict`, which readers take for what it is; as constraints, such a file gives only these.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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
    Header,
    name_in,
    plain_header,
    positions_of,
)
from panelist.errors import InputError

NumberedRows: TypeAlias = Iterator[tuple[int, list[str]]]
"""Rows with their lines."""

BEFORE_HEADER = 4
"""Rows that may stand before a header, as in CMT's workbooks."""


class _Kind(NamedTuple):
    """A kind of table."""

    more: tuple[str, ...]  # columns of a system's file that are read where it has them
    left_out: str = ""  # why a row says nothing of this kind
    columns: tuple[str, str, str] = ("paper", "reviewer", "score")  # of Panelist's own file; the last is optional


_KINDS = {
    "constraint": _Kind(("bid", "action", "conflict", "constraint"), "no conflict"),
    "bid": _Kind(("conflict", "action"), "no bid"),
    "score": _Kind(("score", "action"), "no assignment"),
    "max": _Kind(("min",), "no quota", ("reviewer", "max", "min")),
    "demand": _Kind(("role",), columns=("paper", "demand", "role")),
}


def find_header(
    rows: NumberedRows, needed: Columns, more: Columns = NONE, own_column: str | None = None
) -> tuple[Header | None, NumberedRows]:
    """The header that names all needed columns, and the rows below it.

    Where there is none, or it has the column `own_column` of Panelist's own files, all rows.
    """
    head = list(islice(rows, BEFORE_HEADER + 1))
    for number, (line, row) in enumerate(head, 1):
        names = plain_header(row)
        positions = positions_of(names, {**more, **needed})
        if needed.keys() <= positions.keys() and own_column not in names:
            return Header(line, names, positions), chain(head[number:], rows)
    return None, chain(head, rows)


def named_rows(
    rows: NumberedRows, needed: Columns, more: Columns = NONE, path: Path | None = None, own_column: str | None = None
) -> tuple[Header | None, Iterator[tuple[int, Any]]]:
    """The same with the rows below the header by column, those without any cell left out.

    Columns of `path` that have none of these names are noted as not used.
    """
    header, below = find_header(rows, needed, more, own_column)
    if header is None:
        return None, below
    if path is not None:
        note_columns(path, header.names, (header.names[index] for index in header.positions.values()))
    named = (  # cells that a short row lacks are empty
        (line, {name: "".join(row[index : index + 1]).strip() for name, index in header.positions.items()})
        for line, row in below
    )
    return header, (row for row in named if any(row[1].values()))


def native_pairs(path: Path, rows: NumberedRows, kind: str) -> NumberedRows:
    """The rows of a file as one of Panelist's own has them; unchanged where no header of a system precedes them.

    Args:
        path: the file, which may be CMT's XML.
        rows: all its rows, if it is not.
        kind: `constraint`, `bid`, `score`, `max` or `demand`, the name of the last column.
    """
    with suppress(OSError), path.open("rb") as file:  # of one that is not there, `rows` tells
        if file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            yield from _xml_rows(path, kind)
            return
    more = {name: MORE_PAIRS[name] for name in _KINDS[kind].more}
    header, named = named_rows(rows, PAIRS[kind], more, path)
    if header is None:
        yield from named
        return
    for line, cells in named:
        if (native := _native(cells, kind)) is not None:
            yield line, native
        else:
            note_left_out(path, line, _KINDS[kind].left_out)


def native_table(rows: NumberedRows, columns: Sequence[str], path: Path | None = None) -> NumberedRows:
    """The committee's rows with a header of Panelist's own, of which only `columns` are kept.

    A file with the column `reviewer` is Panelist's own and passes unchanged.
    """
    read = (*columns, *(("first", "last") if "name" in columns else ()))
    more = {name: names for name, names in PEOPLE.items() if name in read}
    header, named = named_rows(rows, {"reviewer": PEOPLE["reviewer"]}, more, path, "reviewer")
    if header is None:
        yield from named
        return
    heads = header.positions.keys()
    shown = [name for name in columns if name in heads or (name == "name" and not heads.isdisjoint(("first", "last")))]
    yield header.line, shown
    for line, cells in named:
        yield line, [_cell_of_person(cells, name) for name in shown]  # a row without an id is refused by its reader


def _xml_rows(path: Path, kind: str) -> NumberedRows:
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


def _native(cells: dict[str, str], kind: str) -> list[str] | None:
    """A row of Panelist's own file of a kind; None where the system's row does not say anything of it."""
    action = cells.get("action")
    match kind:
        case "constraint":  # a conflict, or a constraint where the file has them; other bids and actions are left out
            words = [cells[field].lower() for field in ("bid", "action") if field in cells]
            if (words or "conflict" in cells) and not (CONFLICT in words or cells.get("conflict")):
                return None
            return [cells["paper"], cells["reviewer"], cells.get("constraint") or "-1"]
        case "bid":  # a conflict is the bid `conflict`, which counts as none
            bid = CONFLICT if cells.get("conflict") else cells["bid"]
            if not bid or action not in (None, "preference", "pref", "reviewpreference"):
                return None
            return [cells["paper"], cells["reviewer"], bid]
        case "score" if action is not None and action.lower() not in ASSIGNING:
            return None
        case "max" if not cells["max"]:
            return None
    first, second, optional = _KINDS[kind].columns
    return [cells[first], cells[second], *filter(None, [cells.get(optional)])]


def _cell_of_person(cells: dict[str, str], name: str) -> str:
    if name == "name":
        return name_in(cells)
    if name == "role":
        return ROLES.get(cells["role"].lower(), cells["role"])
    if name == "country":  # names of countries are not codes, and are not guessed
        return cells["country"] if len(cells["country"]) == 2 else ""
    return cells.get(name, "")
