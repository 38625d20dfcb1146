"""Lines of plain or gzipped files. Damage costs the damaged lines only, and every loss is reported."""

import codecs
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from panelist.corpus.readers.report import ReadReport, type_name

_CHUNK = 1 << 18
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
    head: list[bytes] = []  # the pieces of a line that is not complete yet
    size = 0
    damage: list[str] = []
    for block in recode(read_blocks(path, report, damage)):
        first, *rest = block.split(b"\n")
        size += len(first)
        if size <= MAX_LINE:
            head.append(first)
        if not rest:
            continue
        number += 1
        if size <= MAX_LINE:
            yield number, _join(head, number)
        else:
            report.reject(path, number, f"the line is longer than {MAX_LINE >> 20} MB")
        tail = rest.pop()
        yield from enumerate(rest, number + 1)
        number += len(rest)
        head, size = [tail], len(tail)
    # What precedes a cut is not a whole line, unless nothing was cut off.
    if damage:
        report.reject(path, number + 1, f"{damage[0]}; all {number:,} whole lines before it were read", important=True)
    elif size > MAX_LINE:
        report.reject(path, number + 1, f"the line is longer than {MAX_LINE >> 20} MB")
    elif size:
        yield number + 1, _join(head, number + 1)
    elif number == 0:
        report.reject(path, 0, "the file is empty")


def _join(pieces: list[bytes], number: int) -> bytes:
    line = b"".join(pieces)
    return line.removeprefix(codecs.BOM_UTF8) if number == 1 else line


def read_blocks(path: Path, report: ReadReport, damage: list[str]) -> Iterator[bytes]:
    """The file's content in blocks of a few hundred kilobytes, decompressed; says in `damage` why it ended early."""
    try:
        with path.open("rb") as file:

            def read() -> bytes:
                chunk = file.read(_CHUNK)
                report.bytes_read += len(chunk)
                return chunk

            chunk = read()
            if chunk.startswith(GZIP):
                yield from _decompress(chunk, read, damage)
                return
            while chunk:
                yield chunk
                chunk = read()
    except OSError as error:
        damage.append(f"cannot be read ({error.strerror or error})")


def _decompress(chunk: bytes, read: Callable[[], bytes], damage: list[str]) -> Iterator[bytes]:
    """Gzip, member by member. The standard reader drops what it has when it meets damage; this one keeps it."""
    member, started = zlib.decompressobj(wbits=31), True
    while chunk:
        copy = member.copy()
        try:
            block = member.decompress(chunk, _CHUNK * 4)
        except zlib.error as error:
            yield _salvage(copy, chunk)
            # Bytes that changed are noticed late, by the checksum at the end: until there they decode to other text.
            damage.append(f"the gzip data is damaged ({error}), what was read may be garbled: fetch the file again")
            return
        if block:
            yield block
        started = not member.eof
        chunk = member.unconsumed_tail or read() if started else member.unused_data or read()
        if not started:
            member = zlib.decompressobj(wbits=31)
            while chunk and not (chunk := chunk.lstrip(b"\0")):  # some writers pad with zeros
                chunk = read()
    if started:
        damage.append("the gzip data ends too early: the file is cut off")


def _salvage(member: Any, chunk: bytes) -> bytes:
    """What `chunk` yields up to the damage: byte by byte, because a failing call gives nothing at all."""
    pieces = []
    try:
        for position in range(len(chunk)):
            pieces.append(member.decompress(chunk[position : position + 1]))  # noqa: PERF401 (the last call fails)
    except zlib.error:
        pass
    return b"".join(pieces)
