"""Data frames of R's `.rda` files: the XDR form of versions 2 and 3, as far as packages use it for tables.

https://cran.r-project.org/doc/manuals/r-release/R-ints.html#Serialization-Formats
"""

import bz2
import gzip
import lzma
import struct
from typing import Any

_LOGICAL, _INTEGER, _REAL, _STRINGS, _LIST = 10, 13, 14, 16, 19
_MISSING = -(2**31)


class _Vector(list[Any]):
    """A vector of R with its attributes."""

    attributes: dict[str, Any]


def read_frames(content: bytes) -> dict[str, dict[str, list[Any]]]:
    """All data frames of a file: the values of each column by its name, factors as their labels.

    Raises:
        ValueError: it is not such a file.
    """
    for opener, mark in ((gzip, b"\x1f\x8b"), (bz2, b"BZh"), (lzma, b"\xfd7zXZ")):
        if content.startswith(mark):
            content = opener.decompress(content)
    if content[:7] not in (b"RDX2\nX\n", b"RDX3\nX\n"):
        raise ValueError("not an R data file in XDR form")
    reader = _Reader(content, 7 + 12)
    if content[3:4] == b"3":
        reader.at += 4 + struct.unpack_from(">i", content, reader.at)[0]
    objects = reader.item()
    return {
        name: {column: _labels(values) for column, values in zip(frame.attributes["names"], frame, strict=True)}
        for name, frame in objects.items()
        if isinstance(frame, _Vector) and "names" in frame.attributes
    }


def _labels(values: Any) -> list[Any]:
    levels = values.attributes.get("levels")
    return list(values) if levels is None else ["" if code is None else levels[code - 1] for code in values]


class _Reader:
    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at
        self.symbols: list[str] = []

    def integer(self) -> int:
        self.at += 4
        return int(struct.unpack_from(">i", self.content, self.at - 4)[0])

    def item(self) -> Any:
        flags = self.integer()
        kind, has_attributes, has_tag = flags & 0xFF, flags & 0x200, flags & 0x400
        match kind:
            case 254:  # nothing
                return {}
            case 255:  # a symbol that came before
                return self.symbols[(flags >> 8 or self.integer()) - 1]
            case 1:  # a symbol
                self.symbols.append(self.item())
                return self.symbols[-1]
            case 2:  # a list of pairs
                if has_attributes:
                    self.item()
                name = self.item() if has_tag else ""
                first = self.item()
                rest = self.item()
                return {name or f"[{len(rest)}]": first, **rest}
            case 9:  # characters
                size = self.integer()
                self.at += max(size, 0)
                return None if size < 0 else self.content[self.at - size : self.at].decode("utf-8", "replace")
            case 238:  # another form of a vector
                _, state, attributes = self.item(), self.item(), self.item()
                return self._alternative(state, attributes)
        vector = _Vector(self._values(kind))
        vector.attributes = self.item() if has_attributes else {}
        return vector

    def _values(self, kind: int) -> list[Any]:
        size = self.integer()
        if kind in (_STRINGS, _LIST):
            return [self.item() for _ in range(size)]
        if kind not in (_LOGICAL, _INTEGER, _REAL):
            raise ValueError(f"an R object of kind {kind}, which no table has")
        letter, width = ("d", 8) if kind == _REAL else ("i", 4)
        self.at += width * size
        values = struct.unpack_from(f">{size}{letter}", self.content, self.at - width * size)
        return [None if value == _MISSING and letter == "i" else value for value in values]

    def _alternative(self, state: Any, attributes: dict[str, Any]) -> _Vector:
        """A compact sequence (size, start, step), or a vector with remarks around it."""
        if isinstance(state, _Vector) and len(state) == 3 and all(isinstance(number, float) for number in state):
            vector = _Vector(int(state[1] + number * state[2]) for number in range(int(state[0])))
        else:
            vector = _Vector(next(iter(state.values())) if isinstance(state, dict) else state[0])
        vector.attributes = attributes
        return vector
