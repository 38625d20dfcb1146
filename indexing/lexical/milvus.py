"""BM25 by a Milvus server: for more papers than one machine carries.

The server gets our own words (`tokens`) with blanks between and only counts them, so that its scores are those of the
other engines. Where the server has the vectors too, a row has both. Units, ownership and exact vectors stay in
the index directory; `milvus.json` names the collection.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Row, fit_mask
from indexing.lexical.engine import LexicalIndex, LexicalWriter, Words
from indexing.lexical.tokens import Stems
from indexing.milvus.address import Address
from indexing.milvus.server import BM25, LONGEST, TEXT, UNIT, VECTOR, Filter, Server
from indexing.milvus.state import STATE, new_collection, read_state, write_state
from indexing.parallel import map_parallel
from indexing.tables.vectors import Vectors
from panelist.errors import IndexDirectoryError

CANDIDATES = 3_000
"""Units that the rarest words of a query find, to be scored by all its words."""

_ROWS = 1_000  # per request


class MilvusIndex(LexicalIndex):
    """A collection that is open for searching; see `LexicalIndex`."""

    def __init__(self, path: Path, address: Address, terms: int = 0) -> None:
        self.path, self._terms = path, terms
        state = read_state(path)
        if state is None:
            raise IndexDirectoryError(f"there is no '{path / STATE}': build it with 'panelist index build'")
        self._collection, self._scale = state["collection"], np.float32(1 / (state["k1"] + 1))
        self._has_words = state["words"]
        self._mask = np.ones(state["last"] + 1, dtype=np.bool_)
        self._mask[state["removed"]] = False
        self._stems = Stems()
        self._server = Server(address)
        self._server.load(self._collection)

    def _rows(self, queries: Sequence[str], k: int, allowed: NDArray[np.bool_] | None, words: Words) -> list[Row]:
        words.check_plain("milvus")
        mask = self._mask if allowed is None else self._mask & fit_mask(allowed, len(self._mask))
        distinct = words.repeated == "distinct"
        stems = [self._stems.read(query) for query in queries]
        texts = [" ".join(dict.fromkeys(row) if distinct else row) for row in stems]
        searched = [row for row, text in enumerate(texts) if text and self._has_words]
        rows = [NO_HITS] * len(queries)
        best = self._best([texts[row] for row in searched], k, self._server.filter_of(mask))
        for row, (units, scores) in zip(searched, best, strict=True):
            rows[row] = units[scores > 0], scores[scores > 0] * self._scale
        return rows

    def _best(self, texts: Sequence[str], k: int, units: Filter) -> list[Row]:
        """The best units of each query; where it has too many words, of those that its rarest words find."""
        groups: dict[float, list[int]] = defaultdict(list)  # by the share of commonest words, which find nothing
        for row, text in enumerate(texts):
            length = len(set(text.split()))
            groups[round(1 - self._terms / length, 1) if 0 < self._terms < length else 0.0].append(row)
        rows: dict[int, Row] = {}

        def rescore(row: int) -> Row:
            candidates = Filter.of_units(np.sort(rows[row][0]))
            return self._server.search(self._collection, BM25, "BM25", [texts[row]], k, candidates)[0]

        for dropped, group in groups.items():
            queries, depth = [texts[row] for row in group], max(k, CANDIDATES) if dropped else k
            best = self._server.search(self._collection, BM25, "BM25", queries, depth, units, dropped=dropped)
            rows.update(zip(group, best, strict=True))
            if dropped:
                rows.update(zip(group, map_parallel(rescore, group), strict=True))
        return [rows[row] for row in range(len(texts))]


class MilvusWriter(LexicalWriter):
    """Adds units to a collection and removes them; see `LexicalWriter`.

    Removed units stay in the collection, for readers of the generation before; they are left out by each search, and
    counted in document frequencies until the index is rebuilt or compacted.
    """

    def __init__(self, path: Path, address: Address, k1: float, b: float, vectors: Vectors | None = None) -> None:
        super().__init__(path)
        self._server = Server(address)
        state = read_state(path)
        if state is None:
            state = {"address": str(address), "collection": new_collection(), "k1": k1, "b": b}
            state |= {"last": -1, "words": False, "removed": []}
            write_state(path, state)  # before the collection is there: none is ever forgotten
        self._check_parameters((state["k1"], state["b"]), k1, b)
        self._state, self._vectors, self._collection = state, vectors, str(state["collection"])
        if state["last"] < 0:
            self._server.create(self._collection, parameters=(k1, b), vectors=vectors)
        self._server.delete_after(self._collection, state["last"])
        self._stems = Stems()
        self._last = self.last = int(state["last"])
        self._words: bool = state["words"]
        self._removed.update(state["removed"])
        self._rows: list[dict[str, Any]] = []

    def _add(self, unit: int, text: str) -> None:
        words = " ".join(self._stems.read(text))
        if len(data := words.encode()) > LONGEST:  # as many words as fit
            words = data[:LONGEST].decode(errors="ignore").rpartition(" ")[0]
        vector = {} if self._vectors is None else {VECTOR: np.asarray(self._vectors[unit], dtype=np.float32)}
        self._rows.append({UNIT: unit, TEXT: words, **vector})
        self._words = self._words or bool(words)
        if len(self._rows) >= _ROWS:
            self._insert()

    def _insert(self) -> None:
        if self._rows:
            self._server.insert(self._collection, self._rows)
            self._rows = []

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        self._insert()
        state = {**self._state, "last": self._last, "words": self._words, "removed": sorted(self._removed)}
        if state != self._state:
            self._server.settle(self._collection)
            write_state(self.path, state)
            self._state, self.last = state, self._last
