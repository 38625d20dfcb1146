"""Nearest units by a Milvus server; its candidates are scored again on the exact vectors of the index directory."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.dense.faiss_flat import RescoredIndex
from indexing.hits import pad_rows
from indexing.milvus.address import Address, address_of
from indexing.milvus.server import DEEPEST, UNIT, VECTOR, VECTORS_SINCE, Server
from indexing.milvus.state import STATE, new_collection, read_state, write_state
from indexing.tables.arrays import damaged_file
from indexing.tables.vectors import Vectors

_ROWS = 2_000  # per request
_COMMIT = 100_000  # rows between two commits: what a killed build repeats at most
_SPARE = 1.2  # candidates per hit, since an approximate structure orders them only nearly right


def write_collection(vectors: Vectors, path: Path, address: Address, base: Path | None) -> None:
    """Bring a collection to `vectors`; see `indexing.dense.build_vector_index`. A killed call resumes where it stopped.

    Where `base`, a directory of a prefix of the same rows, has a collection on this server, rows are added to it. It
    may be the lexical index, if that has all of them.
    """
    server = Server(address, VECTORS_SINCE)
    state = read_state(path)
    if state is None:
        base_state = None if base is None else read_state(base)
        if base_state is None or base_state["address"] != str(address):
            base_state = {"address": str(address), "collection": new_collection(), "last": -1}
        state = {key: base_state[key] for key in ("address", "collection", "last")}
        write_state(path, state)  # before the collection is there: none is ever forgotten
    collection = str(state["collection"])
    if state["last"] < 0:
        server.create(collection, vectors=vectors)
    server.delete_after(collection, state["last"])
    for start in range(state["last"] + 1, len(vectors), _COMMIT):
        end = min(start + _COMMIT, len(vectors))
        for unit in range(start, end, _ROWS):
            block = np.asarray(vectors[unit : min(unit + _ROWS, end)], dtype=np.float32)
            server.insert(collection, [{UNIT: unit + row, VECTOR: vector} for row, vector in enumerate(block)])
        server.settle(collection)
        write_state(path, {**state, "last": end - 1})


class MilvusVectorIndex(RescoredIndex):
    """The kind `milvus`."""

    kind = "milvus"
    recall = None

    def __init__(self, path: Path, vectors: Vectors) -> None:
        state = read_state(path)
        if state is None or state["last"] != len(vectors) - 1:
            raise damaged_file(path / STATE)
        super().__init__(vectors)
        self._collection = str(state["collection"])
        self._server = Server(address_of(state["address"]), VECTORS_SINCE)
        self._server.load(self._collection)

    def _reaches(self, k: int, count: int, masked: bool) -> bool:
        return min(_SPARE * k, count) <= DEEPEST

    def candidates(self, queries: NDArray[np.float32], k: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """What the server finds near."""
        mask = np.ones(len(self.vectors), np.bool_) if mask is None else mask
        depth, units = min(math.ceil(_SPARE * k), int(mask.sum())), self._server.filter_of(mask)
        return pad_rows(self._server.search(self._collection, VECTOR, "IP", list(queries), depth, units), depth).units
