"""BM25 by a Milvus server: for more papers than one machine carries.

The server is given our own words (`tokens`) with blanks between and only counts them, so that its scores are those of
the other engines. Units, ownership and vectors stay in the index directory; `milvus.json` names the collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits, check_depth, fit_mask, pad
from indexing.lexical.tokens import Stems
from indexing.milvus.address import Address, address_of
from indexing.milvus.server import Server
from indexing.milvus.state import STATE, new_collection, read_state, write_state
from indexing.milvus.units import UNIT, Filter
from indexing.parallel import each
from panelist.closing import Closing
from panelist.errors import IndexDirectoryError, InputError

_TEXT, _BM25 = "text", "bm25"
CANDIDATES = 3_000
"""Units that the rarest words of a query find, to be scored by all its words."""

_LONGEST = 65_535  # bytes of a VARCHAR
_ROWS = 1_000  # per request

Row = tuple[NDArray[np.int64], NDArray[np.float32]]


class MilvusIndex(Closing):
    """A collection that is open for searching; see `indexing.lexical.LexicalIndex`."""

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
        self._filter: tuple[NDArray[np.bool_], Filter] = self._mask, Filter.of(self._mask)
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
        nothing: Row = (np.empty(0, np.int64), np.empty(0, np.float32))
        rows = [nothing] * len(queries)
        found = self._best([words[row] for row in asked], k, self._filtered(mask))
        for row, (units, scores) in zip(asked, found, strict=True):
            rows[row] = units[scores > 0], scores[scores > 0] * self._scale
        return pad(rows, k)

    def _best(self, texts: Sequence[str], k: int, units: Filter) -> list[Row]:
        """The best units of each query; where it has too many words, of those that its rarest words find."""
        rows: dict[int, Row] = {}
        for dropped, group in self._by_dropped_share([len(text.split()) for text in texts]).items():
            asked, depth = [texts[row] for row in group], max(k, CANDIDATES) if dropped else k
            found = self._server.search(self._collection, _BM25, "BM25", asked, depth, units, dropped=dropped)
            if dropped:
                found = each(lambda pair: self._rescored(*pair, k), list(zip(asked, found, strict=True)))
            rows.update(zip(group, found, strict=True))
        return [rows[row] for row in range(len(texts))]

    def _rescored(self, text: str, found: Row, k: int) -> Row:
        """The best of the units found, scored by all words of the query."""
        units = np.sort(found[0])
        return self._server.search(self._collection, _BM25, "BM25", [text], k, Filter.of_units(units))[0]

    def _by_dropped_share(self, lengths: Sequence[int]) -> dict[float, list[int]]:
        """Queries by the share of their words, the commonest ones, that find no candidates; the server knows which."""
        groups: dict[float, list[int]] = {}
        for position, length in enumerate(lengths):
            dropped = 0.0 if not self._terms or length <= self._terms else round(1 - self._terms / length, 1)
            groups.setdefault(dropped, []).append(position)
        return groups

    def _filtered(self, mask: NDArray[np.bool_]) -> Filter:
        """The filter of a mask; the last one is kept, since a pool usually serves many searches."""
        known, made = self._filter
        if not np.array_equal(known, mask):
            made = Filter.of(mask)
            self._filter = mask, made
        return made

    def close(self) -> None:
        """Nothing to release: the collection stays loaded for others."""


class MilvusWriter:
    """Adds units to a collection and removes them; see `indexing.lexical.LexicalWriter`.

    Removed units stay in the collection, for readers of the generation before; they are left out by each search, and
    counted in document frequencies until the index is rebuilt or compacted.
    """

    def __init__(self, path: Path, address: Address, k1: float, b: float) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        state = read_state(path)
        if state is not None and (state["k1"], state["b"]) != (k1, b):
            raise InputError(
                f"the index '{path}' has k1={state['k1']}, b={state['b']}, not k1={k1}, b={b}: "
                "rebuild it with 'panelist index build'"
            )
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
        if self._state["last"] < 0:
            self._create()
        self._server.delete_after(self.collection, self._state["last"])
        self._stems = Stems()
        self._last: int = self._state["last"]
        self._words: bool = self._state["words"]
        self._removed: set[int] = set(self._state["removed"])
        self._rows: list[dict[str, Any]] = []

    @property
    def collection(self) -> str:
        """The name of the collection."""
        return str(self._state["collection"])

    def _create(self) -> None:
        from pymilvus import DataType, Function, FunctionType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(UNIT, DataType.INT64, is_primary=True)
        schema.add_field(
            _TEXT,
            DataType.VARCHAR,
            max_length=_LONGEST,
            enable_analyzer=True,
            analyzer_params={"tokenizer": "whitespace"},
        )
        schema.add_field(_BM25, DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(Function(_BM25, FunctionType.BM25, [_TEXT], [_BM25]))
        index = {
            "field_name": _BM25,
            "index_type": "SPARSE_INVERTED_INDEX",
            "metric_type": "BM25",
            "params": {"bm25_k1": self._state["k1"], "bm25_b": self._state["b"]},
        }
        self._server.create(self.collection, schema, index)

    @property
    def last(self) -> int:
        """The highest unit number that was ever added and is committed, -1 for none."""
        return int(self._state["last"])

    def add(self, units: Sequence[int], texts: Sequence[str]) -> None:
        """Add units with their texts; see `LexicalWriter.add`."""
        for unit, text in zip(units, texts, strict=True):
            if unit <= self._last:
                raise ValueError(f"unit numbers ascend: {unit} after {self._last}")
            words = _joined(self._stems.read(text))
            self._rows.append({UNIT: int(unit), _TEXT: words})
            self._words = self._words or bool(words)
            self._last = int(unit)
            if len(self._rows) >= _ROWS:
                self._insert()

    def _insert(self) -> None:
        if self._rows:
            self._server.insert(self.collection, self._rows)
            self._rows = []

    def note_inserted(self, last: int, *, has_words: bool) -> None:
        """Take over what others inserted by `insert_texts`: all units up to this one."""
        self._last = max(self._last, last)
        self._words = self._words or has_words

    def remove(self, units: Sequence[int]) -> None:
        """Remove units; those that are not in the index are ignored."""
        self._removed.update(int(unit) for unit in units if unit <= self._last)

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        self._insert()
        state = {**self._state, "last": self._last, "words": self._words, "removed": sorted(self._removed)}
        if state != self._state:
            self._server.settle(self.collection)
            write_state(self.path, state)
            self._state = state

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()


def insert_texts(engine: str, collection: str, first: int, texts: Sequence[str]) -> bool:
    """Insert units from `first` on with their texts, for a writer elsewhere; returns whether there was any word."""
    server, stems = Server(address_of(engine)), Stems()
    rows = [{UNIT: first + number, _TEXT: _joined(stems.read(text))} for number, text in enumerate(texts)]
    for start in range(0, len(rows), _ROWS):
        server.insert(collection, rows[start : start + _ROWS])
    return any(row[_TEXT] for row in rows)


def _joined(words: Sequence[str]) -> str:
    """Words with blanks between, as many as fit into a field."""
    text = " ".join(words)
    if len(text) * 4 <= _LONGEST or len(data := text.encode()) <= _LONGEST:
        return text
    return data[:_LONGEST].decode(errors="ignore").rpartition(" ")[0]
