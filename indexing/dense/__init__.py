"""Nearest units by inner product: the `VectorIndex` protocol and its kinds, chosen by size.

The exact vectors (one row a unit, unit length, memory-mapped) are kept by the index directory anyway, for affinity and
diversity. So `flat` needs no file of its own: it scores that array in blocks. `ivf` and `hnsw` add a FAISS file, and
still fall back on the exact vectors wherever a pool is too small to be worth a walk through the approximate structure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits

Vectors = NDArray[np.float32] | NDArray[np.float16]
"""One row a unit number, of unit length, usually memory-mapped; the rows of removed units are masked by the caller."""

Kind = Literal["flat", "ivf", "hnsw"]

KINDS = ("flat", "ivf", "hnsw")
"""Exact; inverted lists of 8-bit codes (a quarter of the memory); a navigable graph (latency)."""

FLAT_UP_TO = 200_000
"""The size up to which `auto` stays exact."""


class VectorIndex(Protocol):
    """Vectors that are open for searching. Safe to share between threads."""

    @property
    def kind(self) -> Kind:
        """Which structure answers."""
        ...

    def search(self, queries: NDArray[np.float32], k: int, *, allowed: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` units with the highest inner product for each query.

        Args:
            queries: (queries, dimensions), of unit length, so that the score is the cosine.
            k: how many units a query, at least 1; rows are padded where there are fewer.
            allowed: a mask over unit numbers that is applied before the depth is cut (pools, tombstones); units beyond
                its end are not allowed.

        Raises:
            InputError: `k` is below 1, or the queries have another dimension than the vectors.
        """
        ...


def build_vector_index(vectors: Vectors, path: Path, kind: str = "auto", *, base: Path | None = None) -> Kind:
    """Write the vector index of `vectors` to directory `path`, which is created, and say which kind it became.

    Args:
        vectors: a row for each unit number.
        path: the directory; files in it are replaced atomically, never changed in place.
        kind: one of `KINDS`, or `auto`: `flat` up to `FLAT_UP_TO` rows, then `ivf`.
        base: an index directory (it may be `path`) of a prefix of the same rows: only the later rows are added to its
            structure, unless the rows have doubled since its training.

    Raises:
        InputError: there is no such kind.
        IndexDirectoryError: `base` is damaged.
    """
    from indexing.dense.faiss_index import build

    return build(vectors, path, kind, base)


def open_vector_index(path: Path, vectors: Vectors) -> VectorIndex:
    """Open the vector index in directory `path`, which was built from `vectors`.

    Raises:
        IndexDirectoryError: a file is missing or damaged, or it does not fit the vectors.
    """
    from indexing.dense.faiss_index import open_index

    return open_index(path, vectors)
