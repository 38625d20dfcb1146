"""Files of an index, above all plain arrays: replaced atomically, read back memory-mapped, never pickled."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from panelist.errors import IndexDirectoryError


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as `.npy`.

    Not through a memory map, nor `numpy.save`: on a full disk the one ends the process with a bus error and the other
    loses the error's number, which tells the user what happened.
    """
    array = np.ascontiguousarray(array)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        file.write(array.tobytes() if array.size == 0 else array.data)


def open_array(path: Path) -> NDArray[Any]:
    """Memory-map an array that `save_array` wrote, read-only."""
    if path.stat().st_size > 128:
        return np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)  # type: ignore[no-any-return]
    return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]  # nothing cannot be mapped


def damaged_file(file: Path) -> IndexDirectoryError:
    """The error for a file that is missing or not as it was written."""
    return IndexDirectoryError(f"'{file}' is missing or damaged: rebuild the index with 'panelist index build'")


def pack(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Strings as one array of UTF-8 bytes and the n + 1 offsets that cut it."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(string) for string in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack(blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[str]:
    """All strings that `pack` packed."""
    return [str(blob.data[start:end], "utf-8", "surrogatepass") for start, end in pairwise(offsets.tolist())]


def string_hashes(strings: Sequence[str]) -> NDArray[np.uint64]:
    """64 bits of BLAKE2b for each string."""
    digests = (blake2b(string.encode("utf-8", "surrogatepass"), digest_size=8).digest() for string in strings)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class StringTable:
    """An immutable list of n strings on arrays, with look-up by string; opening it reads nothing."""

    blob: NDArray[np.uint8]  # the UTF-8 bytes of all strings
    offsets: NDArray[np.int64]  # (n + 1) cuts in `blob`
    hashes: NDArray[np.uint64]  # (n) 64-bit BLAKE2b of the strings, ascending
    order: NDArray[np.int32]  # (n) the position of the string that each hash belongs to; ascending among equal hashes

    @classmethod
    def of(cls, strings: Sequence[str]) -> Self:
        """A table of these strings."""
        hashes = string_hashes(strings)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return cls(*pack(strings), hashes[order], order)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> str:
        if position < 0:
            raise IndexError(f"position {position} in a table of {len(self)}")
        start, end = int(self.offsets[position]), int(self.offsets[position + 1])
        return str(self.blob.data[start:end], "utf-8", "surrogatepass")

    def take(self, positions: NDArray[np.integer[Any]] | Sequence[int]) -> list[str]:
        """The strings at these positions."""
        numbers = np.asarray(positions, dtype=np.int64)
        ends = self.offsets[numbers + 1].tolist()  # raises where a position is beyond the end
        if (numbers < 0).any():
            raise IndexError(f"position {numbers.min()} in a table of {len(self)}")
        cuts = zip(self.offsets[numbers].tolist(), ends, strict=True)
        return [str(self.blob.data[start:end], "utf-8", "surrogatepass") for start, end in cuts]

    def all(self) -> list[str]:
        """Every string, in order."""
        return unpack(self.blob, self.offsets)

    def find(self, strings: Sequence[str]) -> NDArray[np.int64]:
        """The position of each string, -1 where it is not there; where it is there several times, the last."""
        positions = np.full(len(strings), -1, dtype=np.int64)
        if not strings or not len(self):
            return positions
        hashes = string_hashes(strings)
        ranks = np.maximum(np.searchsorted(self.hashes, hashes, side="right") - 1, 0)
        candidates = self.take(self.order[ranks])
        for row, (string, candidate, rank) in enumerate(zip(strings, candidates, ranks.tolist(), strict=True)):
            # More than one step back only where two strings share a hash.
            while candidate != string and rank > 0 and self.hashes[rank - 1] == hashes[row]:
                rank -= 1
                candidate = self[int(self.order[rank])]
            if candidate == string:
                positions[row] = self.order[rank]
        return positions

    def save(self, directory: Path, name: str) -> None:
        """Write the arrays as `<name>.<array>.npy` into `directory`."""
        for field in fields(self):
            save_array(directory / f"{name}.{field.name}.npy", getattr(self, field.name))

    @classmethod
    def open(cls, directory: Path, name: str) -> Self:
        """Memory-map a saved table."""
        return cls(*(open_array(directory / f"{name}.{field.name}.npy") for field in fields(cls)))


class Table:
    """A dataclass whose fields are arrays and tables of strings, in files of their names."""

    __slots__ = ()

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Memory-map the table in `directory`."""
        kinds: dict[str, Any] = get_type_hints(cls)  # of its fields
        parts = (
            StringTable.open(directory, name) if kind is StringTable else open_array(directory / f"{name}.npy")
            for name, kind in kinds.items()
        )
        return cls(*parts)
