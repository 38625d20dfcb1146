"""Nearest units by inner product: kinds of vector indexes, chosen by size.

The exact vectors of an index directory (one row per unit, unit length, memory-mapped) are a flat FAISS index already,
so `flat` needs no file more. Other structures of FAISS add a file, and `milvus` a collection on a server; they score
their candidates again on the exact vectors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing.milvus.address import address_of, is_milvus
from indexing.tables.arrays import damaged_file
from indexing.tables.vectors import Vectors
from panelist.errors import IndexDirectoryError
from panelist.files import write_whole

if TYPE_CHECKING:
    from indexing.dense.faiss_flat import ExactIndex

FLAT_UP_TO = 200_000
"""The size up to which `auto` stays exact."""

_SETTINGS = "index.json"


def check_vector_kind(kind: str, dimension: int) -> None:
    """Refuse a kind that does not exist for vectors of this dimension."""
    if kind not in ("auto", "flat", "ivf", "hnsw") and not is_milvus(kind):
        from indexing.dense.faiss_index import check_factory

        check_factory(kind, dimension)


def build_vector_index(vectors: Vectors, path: Path, kind: str = "auto", *, base: Path | None = None) -> str:
    """Write the vector index of `vectors` to directory `path`, which is created, and say which kind it became.

    Files are replaced atomically, never changed in place. The kind is `flat` (exact), `ivf` (inverted lists of 8-bit
    codes: a quarter of the memory), `hnsw` (a navigable graph: latency), a string of FAISS' index factory, `auto`
    (`flat` up to `FLAT_UP_TO` rows, then `ivf`) or the address of a Milvus server. `base` is an index directory (it may
    be `path`) of a prefix of the same rows: only the later rows are added to its structure, unless the rows have
    doubled since its training.
    """
    check_vector_kind(kind, vectors.shape[1])
    structure = "flat" if len(vectors) <= FLAT_UP_TO else "ivf"
    if kind != "auto" and len(vectors):  # no vectors, no structure to learn
        structure = "milvus" if is_milvus(kind) else kind
    path.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {"kind": structure, "rows": len(vectors)}
    if structure == "milvus":
        from indexing.dense import milvus

        milvus.write_collection(vectors, path, address_of(kind), base)
    elif structure != "flat":
        from indexing.dense.faiss_index import write_structure

        base_settings = {} if base is None else _read_settings(base)
        if base_settings.get("kind") != structure:
            base, base_settings = None, {}
        settings |= write_structure(vectors, path, structure, base, base_settings)
    write_whole(path / _SETTINGS, json.dumps(settings).encode())
    return structure


def open_vector_index(path: Path, vectors: Vectors) -> ExactIndex:
    """Open the vector index in directory `path`, which was built from `vectors`."""
    settings = _read_settings(path)
    if settings["rows"] != len(vectors):
        raise IndexDirectoryError(
            f"'{path / _SETTINGS}' is of {settings['rows']} vectors, but there are {len(vectors)}: "
            "rebuild the index with 'panelist index build'"
        )
    if settings["kind"] == "flat":
        from indexing.dense.faiss_flat import ExactIndex

        return ExactIndex(vectors)
    if settings["kind"] == "milvus":
        from indexing.dense.milvus import MilvusVectorIndex

        return MilvusVectorIndex(path, vectors)
    from indexing.dense.faiss_index import open_structure

    return open_structure(path, vectors, settings)


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        settings: dict[str, Any] = json.loads((path / _SETTINGS).read_bytes())
        if isinstance(settings["kind"], str) and "rows" in settings:
            return settings
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged_file(path / _SETTINGS) from error
    raise damaged_file(path / _SETTINGS)
