"""Tables larger than memory: rows are sorted through files, and arrays are written piece by piece."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import map_parallel
from indexing.tables.arrays import StringTable, pack, string_hashes

ROWS = 1 << 19
"""Rows that are sorted or written at a time."""
_WAITING = 8  # times `ROWS` rows wait in memory before they go to files

_FILE_BITS = 8  # a sort spreads its rows over 2⁸ files

Columns = tuple[NDArray[Any], ...]


class ExternalSort:
    """Rows of integers, sorted by their first `keys` columns in bounded memory; equal rows stay in their order.

    Some million rows never leave memory. More are spread over files by the leading bits of their first column, whose
    values are below `bound`, and each file is then sorted by itself; rows with the same first column always come out
    together. The directory is created when it is needed, and the caller's to delete. Not to be `stable` is faster.
    """

    def __init__(self, directory: Path, types: Sequence[str], keys: int, bound: int, *, stable: bool = True) -> None:
        self._directory, self._keys, self._stable = directory, keys, stable
        self._types = [np.dtype(kind) for kind in types]
        self._shift = max(0, (max(bound, 1) - 1).bit_length() - _FILE_BITS)
        self._waiting: list[list[NDArray[Any]]] = [[np.empty(0, kind)] for kind in types]
        self._count = 0
        self._spilled = False

    def add(self, *columns: NDArray[Any]) -> None:
        """Add rows, column by column."""
        for start in range(0, len(columns[0]), ROWS):
            piece = [column[start : start + ROWS] for column in columns]
            if self._count + len(piece[0]) > _WAITING * ROWS:
                self._spill()
            for pieces, kind, column in zip(self._waiting, self._types, piece, strict=True):
                pieces.append(column.astype(kind))  # a copy: the caller may change its own
            self._count += len(piece[0])

    def sorted(self) -> Iterator[Columns]:
        """All rows in order, some at a time, as columns."""
        if self._spilled:
            self._spill()
            rows = np.dtype([(str(number), kind) for number, kind in enumerate(self._types)])
            for number in range(1 << _FILE_BITS):
                if self._file(number).exists():
                    table = np.fromfile(self._file(number), rows)
                    yield self._sort_rows([np.ascontiguousarray(table[name]) for name in rows.names or ()])
                    self._file(number).unlink()
        else:
            blocks = self._split_rows() if self._count > ROWS else [self._take_rows()]
            yield from map_parallel(self._sort_rows, [columns for columns in blocks if len(columns[0])])

    def _sort_rows(self, columns: Sequence[NDArray[Any]]) -> Columns:
        if self._keys == 1:  # several times as fast as `lexsort`
            order = np.argsort(columns[0], stable=self._stable)
        else:
            order = np.lexsort(columns[: self._keys][::-1])
        return tuple(column[order] for column in columns)

    def _take_rows(self) -> list[NDArray[Any]]:
        columns = [np.concatenate(pieces) for pieces in self._waiting]
        self._waiting, self._count = [[np.empty(0, kind)] for kind in self._types], 0
        return columns

    def _split_rows(self) -> Iterator[list[NDArray[Any]]]:
        """The rows that wait in memory, by the leading bits of their first column."""
        columns = self._take_rows()
        numbers = (columns[0].astype(np.uint64) >> np.uint64(self._shift)).astype(np.uint8)
        order = np.argsort(numbers, kind="stable")  # sorted by counting
        columns = [column[order] for column in columns]
        ends = np.cumsum(np.bincount(numbers, minlength=1 << _FILE_BITS)).tolist()
        return ([column[start:end] for column in columns] for start, end in pairwise([0, *ends]))

    def _spill(self) -> None:
        if not self._spilled:
            self._directory.mkdir(parents=True)
            self._spilled = True
        for number, columns in enumerate(self._split_rows()):
            if len(columns[0]):
                with self._file(number).open("ab") as file:
                    np.rec.fromarrays(columns).tofile(file)

    def _file(self, number: int) -> Path:
        return self._directory / f"rows-{number:03d}"


class ArrayFile:
    """A `.npy` file, as `save_array` writes it, whose rows come piece by piece."""

    def __init__(self, path: Path, kind: str, *, width: int = 0) -> None:
        self._kind, self._width, self._rows = np.dtype(kind), width, 0
        self._file = path.open("wb")
        self._write_header()  # it is as long for any number of rows

    def add(self, rows: NDArray[Any]) -> None:
        """Append rows to the table."""
        self._file.write(np.ascontiguousarray(rows, dtype=self._kind).tobytes())
        self._rows += len(rows)

    def close(self) -> None:
        """Say in the header how many rows there are."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _write_header(self) -> None:
        shape = (self._rows, self._width) if self._width else (self._rows,)
        header = {"descr": np.lib.format.dtype_to_descr(self._kind), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)


def write_columns(directory: Path, kinds: Mapping[str, str], pieces: Iterable[Sequence[NDArray[Any]]]) -> None:
    """Write arrays by name and type, whose rows come some at a time, one column for each."""
    files = [ArrayFile(directory / f"{name}.npy", kind) for name, kind in kinds.items()]
    for columns in pieces:
        for file, column in zip(files, columns, strict=True):
            file.add(column)
    for file in files:
        file.close()


class RowStartsFile:
    """The row pointers of a CSR matrix whose entries come in the order of their rows."""

    def __init__(self, path: Path) -> None:
        self._file = ArrayFile(path, "<i8")
        self._file.add(np.zeros(1, np.int64))
        self._rows = self._entries = 0

    def add(self, rows: NDArray[np.integer[Any]]) -> None:
        """The row of each of the next entries; all entries of a row come in the same call."""
        if len(rows):
            start, self._rows = self._rows, int(rows[-1]) + 1
            ends = self._entries + np.cumsum(np.bincount(rows - start, minlength=self._rows - start))
            self._file.add(ends)
            self._entries = int(ends[-1])

    def close(self, rows: int) -> None:
        """End with this many rows."""
        for start in range(self._rows, rows, ROWS):
            self._file.add(np.full(min(ROWS, rows - start), self._entries))
        self._file.close()


class StringTableFile:
    """The files of a `StringTable` whose strings come some at a time."""

    def __init__(self, directory: Path, name: str, scratch: Path) -> None:
        self._directory, self._name = directory, name
        self._blob = ArrayFile(directory / f"{name}.blob.npy", "u1")
        self._offsets = ArrayFile(directory / f"{name}.offsets.npy", "<i8")
        self._offsets.add(np.zeros(1, np.int64))
        self._sort = ExternalSort(scratch / name, ("<u8", "<i4"), 1, 1 << 64)
        self._bytes = self.count = 0

    def add(self, strings: Sequence[str]) -> None:
        """Append strings to the column."""
        self._add_packed(*pack(strings))
        self._sort.add(string_hashes(strings), np.arange(self.count - len(strings), self.count))

    def add_table(self, table: StringTable) -> None:
        """Append the strings of a table, which comes first."""
        for start in range(0, len(table), ROWS):
            cuts = table.offsets[start : start + ROWS + 1]
            self._add_packed(table.blob[cuts[0] : cuts[-1]], cuts - cuts[0])
            self._sort.add(table.hashes[start : start + ROWS], table.order[start : start + ROWS])

    def _add_packed(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._blob.add(blob)
        self._offsets.add(offsets[1:] + self._bytes)
        self._bytes += len(blob)
        self.count += len(offsets) - 1

    def close(self) -> None:
        """Write the look-up by hash; equal hashes in the order of their strings."""
        self._blob.close()
        self._offsets.close()
        kinds = {f"{self._name}.hashes": "<u8", f"{self._name}.order": "<i4"}
        write_columns(self._directory, kinds, self._sort.sorted())
