"""Lines of plain or gzipped files. Damage costs the damaged lines only, and every loss is reported."""

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from panelist.corpus.readers.report import ReadReport, type_name

_CHUNK = 1 << 18
_SLICE = 1 << 11  # compressed bytes; at most as many are lost before damage
GZIP = b"\x1f\x8b"
MAX_LINE = 32 << 20  # the longest real works have some 10 MB; beyond this it is noise that must not fill the memory


def read_json_lines(path: Path, report: ReadReport) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with their line numbers (from 1). Blank lines are nothing; others are rejected."""
    for number, line in read_lines(path, report):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if line.strip():
                report.reject(path, number, f"not JSON: {error.msg} (column {error.colno})")
            continue
        if type(value) is dict:
            yield number, value
        else:
            report.reject(path, number, f"expected a JSON object, received {type_name(value)}")


def read_json(path: Path, report: ReadReport) -> list[Any]:
    """The value of a file that is one JSON document, as a list, which is empty where it cannot be read."""
    values, damage, line = list[Any](), list[str](), 0
    content = b"".join(read_blocks(path, report, damage))
    try:
        values.append(orjson.loads(content.removeprefix(codecs.BOM_UTF8)))
    except orjson.JSONDecodeError as error:
        damage.append(f"not JSON: {error.msg}")
        line = error.lineno
    if damage:
        report.reject(path, line, damage[0], important=True)
    return values


def read_lines(
    path: Path, report: ReadReport, recode: Callable[[Iterator[bytes]], Iterator[bytes]] = iter
) -> Iterator[tuple[int, bytes]]:
    """The lines of a plain or gzipped file, without their ends, numbered from 1; its blocks may be recoded before."""
    number = 0
    pieces: list[bytes] = []  # the pieces of a line that is not complete yet
    size = 0
    damage: list[str] = []
    for block in recode(read_blocks(path, report, damage)):
        line_end, *line_starts = block.split(b"\n")
        size += len(line_end)
        if size <= MAX_LINE:
            pieces.append(line_end)
        if not line_starts:
            continue
        number += 1
        if size <= MAX_LINE:
            yield number, _join(pieces, number)
        else:
            report.reject(path, number, f"the line is longer than {MAX_LINE >> 20} MB")
        tail = line_starts.pop()
        yield from enumerate(line_starts, number + 1)
        number += len(line_starts)
        pieces, size = [tail], len(tail)
    # What precedes a cut is not a whole line, unless nothing was cut off.
    if damage:
        report.reject(path, number + 1, f"{damage[0]}; all {number:,} whole lines before it were read", important=True)
    elif size > MAX_LINE:
        report.reject(path, number + 1, f"the line is longer than {MAX_LINE >> 20} MB")
    elif size:
        yield number + 1, _join(pieces, number + 1)
    elif number == 0:
        report.reject(path, 0, "the file is empty")


def _join(pieces: list[bytes], number: int) -> bytes:
    line = b"".join(pieces)
    return line.removeprefix(codecs.BOM_UTF8) if number == 1 else line


def read_blocks(path: Path, report: ReadReport, damage: list[str]) -> Iterator[bytes]:
    """The file's content in blocks, decompressed; says in `damage` why it ended early."""
    try:
        with path.open("rb") as file:
            blocks = _raw_blocks(file, report)
            opening = next(blocks, b"")
            blocks = chain([opening], blocks)
            yield from _decompress(blocks, damage) if opening.startswith(GZIP) else blocks
    except OSError as error:
        damage.append(f"cannot be read ({error.strerror or error})")


def _raw_blocks(file: BinaryIO, report: ReadReport) -> Iterator[bytes]:
    while block := file.read(_CHUNK):
        report.bytes_read += len(block)
        yield block


def _decompress(blocks: Iterable[bytes], damage: list[str]) -> Iterator[bytes]:
    """Gzip, member by member, in small slices: at damage the standard reader drops all that it has read ahead."""
    member, started = zlib.decompressobj(wbits=31), False
    for block in blocks:
        for start in range(0, len(block), _SLICE):
            data = block[start : start + _SLICE]
            try:
                while data := data if started else data.lstrip(b"\0"):  # some writers pad with zeros
                    yield member.decompress(data)
                    started, data = not member.eof, member.unused_data
                    if not started:
                        member = zlib.decompressobj(wbits=31)
            except zlib.error as error:
                # Bytes that changed are noticed late, by the checksum at the end: they decode to other text.
                reason = f"the gzip data is damaged ({error}), what was read may be garbled: fetch the file again"
                damage.append(reason)
                return
    if started:
        damage.append("the gzip data ends too early: the file is cut off")
