"""Lines of the assignment's CSV files, plain or gzipped. Whatever is wrong is refused with the file and the line."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.columns import PAIRS
from panelist.corpus.systems.pairs import native_pairs, native_table
from panelist.errors import InputError
from panelist.words import counted
from retriever.assignment.options import MOST


def refuse(path: Path, line: int, why: str) -> NoReturn:
    """Raise the error of a line."""
    raise InputError(f"{path}, line {line:,}: {why}")


def read_rows(path: Path, kind: str = "") -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with the line each ends on; empty lines are passed over.

    A file of a conference system gives the rows that Panelist's own file would have; `kind` is the last column of that.
    """
    if kind in PAIRS:
        yield from native_pairs(path, read_rows(path), kind)
        return
    with open_rows(path) as rows:
        yield from ((rows.line, row) for row in rows if row)


def read_fields(path: Path, columns: Sequence[str], optional: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The stripped fields of a file without header, with their lines; the last `optional` columns may be left out."""
    kind = columns[2] if columns[:2] == ("paper", "reviewer") else columns[1]
    for line, row in read_rows(path, kind):
        if not len(columns) - optional <= len(row) <= len(columns):
            refuse(path, line, f"expected {_shape(columns, optional)}, received {counted(len(row), 'field')}")
        fields = [field.strip() for field in row]
        if "" in fields:
            refuse(path, line, f"{columns[fields.index('')]} is empty, expected {_shape(columns, optional)}")
        yield line, fields


def read_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a file with a header, by column; the first of `columns` is required, the others may be left out."""
    header: list[str] | None = None
    for line, row in native_table(read_rows(path), columns):
        fields = [field.strip() for field in row]
        if header is None:
            header = [field.lower() for field in fields]
            unknown = [name for name in header if name not in columns]
            if columns[0] not in header or unknown or len(set(header)) < len(header):
                received = ",".join(header)
                refuse(path, line, f"expected a header of {columns[0]} and any of {', '.join(columns[1:])}: {received}")
            continue
        if len(fields) != len(header):
            refuse(path, line, f"expected {len(header)} fields as in the header, received {len(fields)}")
        values = dict(zip(header, fields, strict=True))
        if not values[columns[0]]:
            refuse(path, line, f"{columns[0]} is empty")
        yield line, values
    if header is None:
        raise InputError(f"'{path}' is empty: expected a header of {columns[0]} and any of {', '.join(columns[1:])}")


def number(path: Path, line: int, text: str, what: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        header = " (the file has no header)" if line == 1 else ""
        refuse(path, line, f"{what} '{text}' is not a number{header}")
    if not math.isfinite(value):
        refuse(path, line, f"{what} is {text}: it must be finite")
    return value


def count(path: Path, line: int, text: str, what: str) -> int:
    """Read a whole number, zero or more."""
    value = number(path, line, text, what)
    if value != int(value):
        refuse(path, line, f"{what} {text} is not a whole number")
    if value < 0:
        refuse(path, line, f"{what} {text} is negative")
    if value > MOST:
        refuse(path, line, f"{what} {text} is more than {MOST:,}")
    return int(value)


def _shape(columns: Sequence[str], optional: int) -> str:
    needed = len(columns) - optional
    return ",".join(columns[:needed]) + "".join(f"[,{name}]" for name in columns[needed:])
