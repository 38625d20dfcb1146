"""The exact vectors, one row per unit number: a file of float32 rows that is memory-mapped, and only ever appended to.

Affinity and diversity read these, never the approximate index. Consecutive generations of an index share the file by
hard link: each maps as many rows as it has units, so rows that a later or an unfinished generation appended are never
seen by an earlier one, and an update costs only its own rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32] | NDArray[np.float16]
"""One row per unit number, of unit length, usually memory-mapped; callers mask the rows of removed units."""

ITEM = np.dtype("<f4")


def vector_bytes(rows: int, dimension: int) -> int:
    """The size of the part of the file that holds the first `rows` rows."""
    return rows * dimension * ITEM.itemsize


def append_vectors(path: Path, rows: int, dimension: int, blocks: Iterable[NDArray[np.float32]]) -> int:
    """Write `blocks` after the first `rows` rows, over whatever an unfinished build left there.

    Returns:
        How many rows the file has now.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as file:
        file.truncate(vector_bytes(rows, dimension))
        file.seek(0, os.SEEK_END)
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=ITEM).tobytes())
            rows += len(block)
    return rows


def open_vectors(path: Path, rows: int, dimension: int) -> NDArray[np.float32]:
    """Memory-map the first `rows` rows, read-only."""
    if rows == 0:
        return np.empty((0, dimension), dtype=np.float32)
    return np.memmap(path, dtype=ITEM, mode="r", shape=(rows, dimension)).view(np.ndarray)
