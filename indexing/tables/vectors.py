"""The exact vectors, one row per unit number: a flat FAISS index that is memory-mapped, and only ever appended to.

Search, affinity and diversity read these rows; `faiss.read_index` opens the file as `IndexFlatIP`, or as
`IndexScalarQuantizer` in half precision. Consecutive generations of an index share it by hard link: each maps as many
rows as it has units, so rows that a later or an unfinished generation appended are never seen by an earlier one, and an
update costs only its own rows. FAISS' header counts the rows of the latest complete generation.
"""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import damaged_file
from panelist.errors import InputError

Vectors = NDArray[np.float32] | NDArray[np.float16]
"""One row per unit number, of unit length, usually memory-mapped (and then not aligned, because of FAISS' header: take
rows by brackets); callers mask the rows of removed units."""

VECTORS = "vectors/exact.faiss"
"""The name of the file in an index directory."""

PRECISIONS = ("float32", "float16")


def check_vector_precision(precision: str) -> None:
    """Refuse a precision that vectors cannot have."""
    if precision not in PRECISIONS:
        raise InputError(f"unknown precision of vectors '{precision}': choose one of {', '.join(PRECISIONS)}")


def faiss_header(precision: str, rows: int, dimension: int) -> bytes:
    """What FAISS writes before the rows: sign, dimension, rows, two unused numbers, trained, inner product, size."""
    half = precision == "float16"
    start = struct.pack("<4siqqqBi", b"IxSQ" if half else b"IxFI", dimension, rows, 1 << 20, 1 << 20, 1, 0)
    if not half:
        return start + struct.pack("<Q", rows * dimension)
    # the quantizer: code 4 is half precision, nothing was trained; then the bytes of a row and of all rows
    return start + struct.pack("<iifQQQQ", 4, 0, 0.0, dimension, 2 * dimension, 0, 2 * rows * dimension)


def vector_bytes(precision: str, rows: int, dimension: int) -> int:
    """The size of the part of the file with the first `rows` rows."""
    return len(faiss_header(precision, 0, 0)) + rows * dimension * np.dtype(precision).itemsize


def append_vectors(path: Path, precision: str, rows: int, dimension: int, blocks: Iterable[NDArray[np.float32]]) -> int:
    """Write `blocks` after the first `rows` rows, over whatever an unfinished build left there; returns all rows.

    `count_vectors` has to follow, when the generation that has them is complete.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as file:
        file.write(faiss_header(precision, rows, dimension))
        file.truncate(vector_bytes(precision, rows, dimension))
        file.seek(0, os.SEEK_END)
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=_item(precision)).tobytes())
            rows += len(block)
    return rows


def count_vectors(path: Path, precision: str, rows: int, dimension: int) -> None:
    """Have FAISS read this many rows."""
    with path.open("r+b") as file:
        file.write(faiss_header(precision, rows, dimension))


def open_vectors(path: Path, precision: str, rows: int, dimension: int) -> Vectors:
    """Memory-map the first `rows` rows, read-only."""
    start = len(faiss_header(precision, 0, 0))
    with path.open("rb") as file:
        stored = file.read(start)
    if len(stored) < start or stored != faiss_header(precision, struct.unpack_from("<q", stored, 8)[0], dimension):
        raise damaged_file(path)
    if rows == 0:
        return np.empty((0, dimension), dtype=_item(precision))
    return np.memmap(path, _item(precision), "r", start, (rows, dimension)).view(np.ndarray)


def _item(precision: str) -> np.dtype[np.float32] | np.dtype[np.float16]:
    return np.dtype(precision).newbyteorder("<")
