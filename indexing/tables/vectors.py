"""The exact vectors, one row per unit number: a file of rows that is memory-mapped, and only ever appended to.

Affinity and diversity read these, never the approximate index. Consecutive generations of an index share the file by
hard link: each maps as many rows as it has units, so rows that a later or an unfinished generation appended are never
seen by an earlier one, and an update costs only its own rows.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError

Vectors = NDArray[np.float32] | NDArray[np.float16]
"""One row per unit number, of unit length, usually memory-mapped; callers mask the rows of removed units."""

Precision = Literal["float32", "float16"]

_SUFFIXES: dict[str, Precision] = {".f32": "float32", ".f16": "float16"}


def vectors_file(precision: str) -> str:
    """The name of the file in an index directory."""
    for suffix, name in _SUFFIXES.items():
        if name == precision:
            return f"vectors/rows{suffix}"
    raise InputError(f"unknown precision of vectors '{precision}': choose one of {', '.join(_SUFFIXES.values())}")


def vector_bytes(path: Path, rows: int, dimension: int) -> int:
    """The size of the part of the file with the first `rows` rows."""
    return rows * dimension * _item(path).itemsize


def _item(path: Path) -> np.dtype[Any]:
    return np.dtype(_SUFFIXES[path.suffix]).newbyteorder("<")


def append_vectors(path: Path, rows: int, dimension: int, blocks: Iterable[NDArray[np.float32]]) -> int:
    """Write `blocks` after the first `rows` rows, over whatever an unfinished build left there; returns all rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as file:
        file.truncate(vector_bytes(path, rows, dimension))
        file.seek(0, os.SEEK_END)
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=_item(path)).tobytes())
            rows += len(block)
    return rows


def open_vectors(path: Path, rows: int, dimension: int) -> Vectors:
    """Memory-map the first `rows` rows, read-only."""
    if rows == 0:
        return np.empty((0, dimension), dtype=_item(path))
    return np.memmap(path, dtype=_item(path), mode="r", shape=(rows, dimension)).view(np.ndarray)


def readable(units: NDArray[np.int64], vectors: Vectors) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Row numbers and vectors for compiled code, which does not know half precision: then only these rows."""
    if vectors.dtype == np.float32:
        return units, cast("NDArray[np.float32]", vectors)
    return np.arange(len(units)), vectors[units].astype(np.float32)
