"""CSV files as people have them, for every reader of tables: any usual encoding; commas, semicolons or tabs; gzip.

Encodings are UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252. Excel's first line `sep=;` is
obeyed. What cannot be read is refused with the file and the line.
"""

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from panelist.corpus.readers.lines import GZIP
from panelist.errors import InputError

_HEAD = 1 << 18  # bytes by which the encoding is told
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LONG = 1 << 16
ESCAPE = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as `surrogateescape` decodes it."""
_STATED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


class Rows:
    """The rows of an open file: what `csv.reader` gives, what separates their cells, and where the last one ended."""

    def __init__(self, reader: Any, delimiter: str, skipped: int) -> None:
        self._reader, self.delimiter, self._skipped = reader, delimiter, skipped

    def __iter__(self) -> Iterator[list[str]]:
        return iter(self._reader)

    @property
    def line(self) -> int:
        """The line on which the last row ended."""
        return int(self._reader.line_num) + self._skipped

    def filled(self) -> Iterator[tuple[int, list[str]]]:
        """The rows with any cell, each with its line."""
        return ((self.line, row) for row in self._reader if any(map(str.strip, row)))


@contextmanager
def open_rows(path: Path) -> Iterator[Rows]:
    """Open a file to read its rows; `InputError` where it is neither text, nor CSV, nor gzip."""
    rows = None
    try:
        with _opened(path, "rb") as probe:
            encoding = encoding_of(probe.read(_HEAD))
        with _opened(path, "rt", encoding=encoding, newline="") as file:
            first_line = file.readline()
            delimiter, skipped = delimiter_of(first_line)
            if not skipped:
                file.seek(0)
            rows = Rows(csv.reader(file, delimiter=delimiter, strict=True), delimiter, skipped)
            yield rows
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line if rows else 0:,}: not CSV: {error}") from error
    except _FAULTS as error:
        raise _unreadable(path, error) from error


def read_text(path: Path) -> str:
    """The whole text of a file; `InputError` where it is neither text nor gzip."""
    try:
        with _opened(path, "rb") as file:
            return decode_text(file.read())
    except _FAULTS as error:
        raise _unreadable(path, error) from error


def delimiter_of(line: str) -> tuple[str, int]:
    """What separates the cells, by the first line, and whether that line says only this (1, else 0)."""
    stated = _STATED.fullmatch(line.strip("\r\n"))
    return (stated[1], 1) if stated else (max(",;\t", key=line.count), 0)


def recode_blocks(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a file in UTF-8, whatever its encoding; damage stays damage."""
    beginning = next(blocks, b"")
    try:
        encoding = encoding_of(beginning)
    except UnicodeDecodeError:
        encoding = "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain([beginning], blocks):
        yield block if encoding.startswith("utf-8") else decoder.decode(block).encode()


def repeated_name(names: Sequence[str]) -> str | None:
    """A name that a header has twice, so that nobody can say which of the columns is meant."""
    return next((name for position, name in enumerate(names) if name and name in names[:position]), None)


def check_header(path: Path, header: Sequence[str], needed: Mapping[str, Collection[str]], expected: str) -> None:
    """Refuse a header that lacks a column under all of its names, or has one twice; `expected` is for the message."""
    names = {name.lower() for name in header}
    if missing := [name for name, aliases in needed.items() if not names & {*aliases}]:
        raise InputError(
            f"'{path}' lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}: "
            f"expected {expected}, received {','.join(header)[:200] or 'nothing'}"
        )
    if repeated := repeated_name(header):
        raise InputError(f"'{path}' has the column '{repeated}' twice: rename one of them")


def _opened(path: Path, mode: str, **how: Any) -> Any:
    with path.open("rb") as probe:
        packed = probe.read(2) == GZIP
    return (gzip.open if packed else open)(path, mode, **how)


_FAULTS = (UnicodeError, EOFError, zlib.error, OSError)


def _unreadable(path: Path, error: Exception) -> InputError:
    if isinstance(error, UnicodeError):
        reason = getattr(error, "reason", error)
        return InputError(f"'{path}' is not text in UTF-8, UTF-16 or Windows-1252 ({reason}): save it as 'CSV UTF-8'")
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return InputError(f"cannot read '{path}': {error.strerror or error}")
    return InputError(f"'{path}' is damaged: {error}")


def encoding_of(content: bytes) -> str:
    """The encoding of a file, by its mark, else by what its bytes allow.

    Excel and reference managers still write Windows-1252: it is this where no byte beyond ASCII is part of UTF-8. What
    has a zero byte and no mark is not text. The end of a longer beginning may be half a letter, and is not looked at.
    """
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if marked is not None:
        return marked
    if (position := content.find(b"\0")) >= 0:
        reason = "zero bytes, as in UTF-16 without a byte order mark"
        raise UnicodeDecodeError("utf-8", content, position, position + 1, reason)
    lenient = (content[:-3] if len(content) > _LONG else content).decode(errors="surrogateescape")
    beyond_ascii = set(re.findall(r"[^\x00-\x7f]", lenient))
    # A damaged byte among right ones does not make all others wrong.
    if not beyond_ascii or any(not ESCAPE.match(character) for character in beyond_ascii):
        return "utf-8"
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return "utf-8"
    return "cp1252"


def decode_text(content: bytes) -> str:
    """The text of a whole file; `UnicodeDecodeError` where it is not text in any of the encodings."""
    return content.decode(encoding_of(content))
