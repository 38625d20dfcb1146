"""BM25 by a Milvus server: for more papers than one machine carries.

The server is given our own words (`tokens`) with blanks between and only counts them, so that its scores are those of
the other engines. Where the server keeps the vectors too, a row has both. Units, ownership and exact vectors stay in
the index directory; `milvus.json` names the collection.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Hits, Row, check_depth, fit_mask, pad
from indexing.lexical.engine import LexicalIndex, LexicalWriter
from indexing.lexical.tokens import Stems
from indexing.milvus.address import Address, address_of
from indexing.milvus.server import BM25, LONGEST, TEXT, VECTOR, Server
from indexing.milvus.state import STATE, new_collection, read_state, write_state
from indexing.milvus.units import UNIT, Filter, FilterCache
from indexing.parallel import each
from indexing.tables.vectors import Vectors
from panelist.errors import IndexDirectoryError, InputError

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
        self._filters = FilterCache()
        self._server = Server(address)
        self._server.load(self._collection)

    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, expand: bool = False
    ) -> Hits:
        """The `k` best units of each query; see `LexicalIndex.search`. Query expansion is left to `lucene`."""
        check_depth(k)
        if expand:
            raise InputError("the engine milvus cannot expand queries (RM3): use an index of the engine lucene")
        mask = self._mask if allowed is None else self._mask & fit_mask(allowed, len(self._mask))
        words = [" ".join(dict.fromkeys(self._stems.read(query))) for query in queries]
        asked = [row for row, text in enumerate(words) if text and self._has_words]
        rows = [NO_HITS] * len(queries)
        best = self._best([words[row] for row in asked], k, self._filters.of(mask))
        for row, (units, scores) in zip(asked, best, strict=True):
            rows[row] = units[scores > 0], scores[scores > 0] * self._scale
        return pad(rows, k)

    def _best(self, texts: Sequence[str], k: int, units: Filter) -> list[Row]:
        """The best units of each query; where it has too many words, of those that its rarest words find."""
        rows: dict[int, Row] = {}
        for dropped, group in self._by_dropped_share([len(text.split()) for text in texts]).items():
            asked, depth = [texts[row] for row in group], max(k, CANDIDATES) if dropped else k
            best = self._server.search(self._collection, BM25, "BM25", asked, depth, units, dropped=dropped)
            if dropped:
                best = each(lambda pair: self._rescored(*pair, k), list(zip(asked, best, strict=True)))
            rows.update(zip(group, best, strict=True))
        return [rows[row] for row in range(len(texts))]

    def _rescored(self, text: str, candidates: Row, k: int) -> Row:
        """The best of the units found, scored by all words of the query."""
        units = np.sort(candidates[0])
        return self._server.search(self._collection, BM25, "BM25", [text], k, Filter.of_units(units))[0]

    def _by_dropped_share(self, lengths: Sequence[int]) -> dict[float, list[int]]:
        """Queries by the share of their words, the commonest ones, that find no candidates; the server knows which."""
        groups: dict[float, list[int]] = {}
        for position, length in enumerate(lengths):
            dropped = 0.0 if not self._terms or length <= self._terms else round(1 - self._terms / length, 1)
            groups.setdefault(dropped, []).append(position)
        return groups


class MilvusWriter(LexicalWriter):
    """Adds units to a collection and removes them; see `LexicalWriter`.

    Removed units stay in the collection, for readers of the generation before; they are left out by each search, and
    counted in document frequencies until the index is rebuilt or compacted.
    """

    def __init__(self, path: Path, address: Address, k1: float, b: float, vectors: Vectors | None = None) -> None:
        super().__init__(path)
        state = read_state(path)
        if state is not None:
            self._check_parameters((state["k1"], state["b"]), k1, b)
        self.engine = str(address)
        self._server = Server(address)
        self._state: dict[str, Any] = state or {
            "address": str(address),
            "collection": new_collection(),
            "k1": k1,
            "b": b,
            "last": -1,
            "words": False,
            "removed": [],
        }
        if state is None:
            write_state(path, self._state)  # before the collection is there: none is ever forgotten
        self._vectors = vectors
        if self._state["last"] < 0:
            self._server.create(self.collection, parameters=(k1, b), vectors=vectors)
        self._server.delete_after(self.collection, self._state["last"])
        self._stems = Stems()
        self._last = self._state["last"]
        self._words: bool = self._state["words"]
        self._removed.update(self._state["removed"])
        self._rows: list[dict[str, Any]] = []

    @property
    def collection(self) -> str:
        """The name of the collection."""
        return str(self._state["collection"])

    @property
    def has_vectors(self) -> bool:
        """Whether rows have vectors."""
        return self._vectors is not None

    @property
    def last(self) -> int:
        """The highest unit number that was ever added and is committed, -1 for none."""
        return int(self._state["last"])

    def _add(self, unit: int, text: str) -> None:
        row = _row(unit, self._stems.read(text), None if self._vectors is None else self._vectors[unit])
        self._rows.append(row)
        self._words = self._words or bool(row[TEXT])
        if len(self._rows) >= _ROWS:
            self._insert()

    def _insert(self) -> None:
        if self._rows:
            self._server.insert(self.collection, self._rows)
            self._rows = []

    def note_inserted(self, last: int, *, has_words: bool) -> None:
        """Take over what others inserted by `insert_rows`: all units up to this one."""
        self._last = max(self._last, last)
        self._words = self._words or has_words

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        self._insert()
        state = {**self._state, "last": self._last, "words": self._words, "removed": sorted(self._removed)}
        if state != self._state:
            self._server.settle(self.collection)
            write_state(self.path, state)
            self._state = state


def insert_rows(engine: str, collection: str, first: int, texts: Sequence[str], vectors: Vectors | None) -> bool:
    """Insert units from `first` on into the collection of a writer elsewhere; return whether there was any word."""
    server, stems = Server(address_of(engine)), Stems()
    has_words = False
    for start in range(0, len(texts), _ROWS):
        part = range(start, min(start + _ROWS, len(texts)))
        rows = [_row(first + i, stems.read(texts[i]), None if vectors is None else vectors[i]) for i in part]
        server.insert(collection, rows)
        has_words = has_words or any(row[TEXT] for row in rows)
    return has_words


def _row(unit: int, words: Sequence[str], vector: NDArray[Any] | None) -> dict[str, Any]:
    row: dict[str, Any] = {UNIT: unit, TEXT: _joined(words)}
    if vector is not None:
        row[VECTOR] = np.asarray(vector, dtype=np.float32)
    return row


def _joined(words: Sequence[str]) -> str:
    """Words with blanks between, as many as fit into a field."""
    text = " ".join(words)
    data = text.encode()
    return text if len(data) <= LONGEST else data[:LONGEST].decode(errors="ignore").rpartition(" ")[0]
