"""Strict reading of TREC's files: lines of fixed width that give a (query, document) pair a value.

Files hold millions of lines, so a block of bytes is taken apart at a time, without an object for each line, and only
what is wrong pays for being named: the file is then read once more to find its line.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError

_BLOCK = 1 << 22  # bytes
_LARGEST_WHOLE = 2**31 - 1
_LARGEST = float(np.finfo(np.float32).max)  # trec_eval compares in single precision


class Pairs(NamedTuple):
    """Parallel arrays of ordinals into `queries` and `documents`, which are in order of appearance, and values."""

    queries: list[str]
    documents: list[str]
    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    values: NDArray[np.float64]


def read_pairs(path: Path, columns: tuple[str, ...], value: str, whole: bool = False) -> Pairs:
    """Read a file of these whitespace-separated columns, of which `value` is a number; `.gz` is unpacked.

    Raises:
        InputError: the file cannot be read, a line has another number of columns, a value is not a finite (`whole`: a
            whole) number, or a pair of query and document occurs twice.
    """
    parse, value_column = _whole if whole else _finite, columns.index(value)
    query_column, document_column, width = columns.index("query"), columns.index("document"), len(columns)
    queries: defaultdict[bytes, int] = defaultdict(count().__next__)
    documents: defaultdict[bytes, int] = defaultdict(count().__next__)
    chunks: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            block += file.readline()
            if not np.isin(_fields_per_line(block), (0, width)).all():
                raise _wrong_width(path, columns)
            fields = block.split()
            rows = len(fields) // width
            try:
                values = np.fromiter(map(parse, fields[value_column::width]), np.float64, rows)
            except ValueError:
                raise _wrong_value(path, value, value_column, parse) from None
            query = np.fromiter(map(queries.__getitem__, fields[query_column::width]), np.int64, rows)
            doc = np.fromiter(map(documents.__getitem__, fields[document_column::width]), np.int64, rows)
            chunks.append((query, doc, values))
        if not queries:
            raise InputError(f"'{path}' is empty: expected lines of '{' '.join(columns)}'")
        names = [[name.decode() for name in ids] for ids in (queries, documents)]
    query, doc, values = (np.concatenate(column) for column in zip(*chunks, strict=True))
    _refuse_duplicates(path, columns, query * len(documents) + doc)
    return Pairs(names[0], names[1], query, doc, values)


def _fields_per_line(block: bytes) -> NDArray[np.int64]:
    """How many fields each line of a block has. Only ASCII whitespace divides, as in `bytes.split`."""
    codes = np.frombuffer(block, dtype=np.uint8)
    blank = (codes == 32) | ((codes >= 9) & (codes <= 13))
    starts = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    lines = np.flatnonzero(codes == 10)
    return np.bincount(np.searchsorted(lines, starts), minlength=len(lines))


def find_row(path: Path, wanted: Callable[[int, list[bytes]], bool]) -> tuple[int, list[str]]:
    """Line number and fields of the first record that is `wanted`, by its ordinal and fields."""
    with _opened(path) as file:
        rows = ((number, row) for number, line in enumerate(file, 1) if (row := line.split()))
        number, row = next(found for record, found in enumerate(rows) if wanted(record, found[1]))
        return number, [field.decode() for field in row]


def _refuse_duplicates(path: Path, columns: tuple[str, ...], keys: NDArray[np.int64]) -> None:
    order = np.argsort(keys, kind="stable")
    repeated = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if not len(repeated):
        return
    first = int(repeated.min())
    line, row = find_row(path, lambda record, _: record == first)
    raise InputError(
        f"{path}, line {line}: query '{row[columns.index('query')]}' and document '{row[columns.index('document')]}' "
        f"stand on an earlier line too ({len(repeated):,} such in the file): keep one line for each pair"
    )


def _wrong_width(path: Path, columns: tuple[str, ...]) -> InputError:
    line, row = find_row(path, lambda _, row: len(row) != len(columns))
    return InputError(
        f"{path}, line {line}: expected {len(columns)} columns '{' '.join(columns)}', received {len(row)}: "
        f"is an id missing, or does it contain a space?"
    )


def _wrong_value(path: Path, name: str, column: int, parse: Callable[[bytes], float]) -> InputError:
    def is_wrong(_: int, row: list[bytes]) -> bool:
        try:
            parse(row[column])
        except ValueError:
            return True
        return False

    line, row = find_row(path, is_wrong)
    wanted = "a whole number" if parse is _whole else "a finite number"
    return InputError(f"{path}, line {line}: the {name} must be {wanted}, received '{row[column]}'")


def _whole(text: bytes) -> int:
    value = int(text)
    if abs(value) > _LARGEST_WHOLE:
        raise ValueError(text)
    return value


def _finite(text: bytes) -> float:
    value = float(text)
    if not -_LARGEST <= value <= _LARGEST:  # false of NaN, too
        raise ValueError(text)
    return value


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file; trouble with the file becomes an `InputError`."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as raw, io.BufferedReader(raw, 1 << 20) as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"no such file: '{path}'") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read '{path}': {error}") from error
