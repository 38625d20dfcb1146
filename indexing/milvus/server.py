"""A connection to a Milvus server: collections, rows, searches, and errors that say what to do."""

from __future__ import annotations

import json
import logging
import logging.config
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Row, sort_falling
from indexing.milvus.address import Address, parse_address
from indexing.parallel import map_parallel
from indexing.tables.vectors import Vectors
from panelist.config import milvus_uri
from panelist.errors import EngineError, IndexDirectoryError, InputError, MissingDependencyError
from panelist.extras import missing_line

DEEPEST = 16_384
"""The most hits that Milvus returns for a query."""

UNIT, TEXT, BM25, VECTOR = "unit", "text", "bm25", "vector"
"""What a row of a collection has: its unit, which is the primary key; words that BM25 scores, or a vector, or both."""

LONGEST = 65_535
"""Bytes of a text."""

FLAT_UP_TO = 200_000
"""Rows up to which the server scores every vector; beyond, it chooses its own structure."""

BM25_SINCE, VECTORS_SINCE = (2, 5), (2, 3)
"""The oldest versions that score words, and that were tried with vectors alone."""

_CONNECT_SECONDS, _SEARCH_SECONDS, _WRITE_SECONDS = 5.0, 10.0, 600.0
_SPARE = 16  # hits beyond the depth, so that most ties at the cut can be broken
_QUERIES = 64  # per request
_IDS = 1_000_000  # unit numbers in one filter: a request is at most 64 MB

# A server that is back is found soon. An idle connection is pinged every six minutes: gRPC's own default lets a server
# close one that is pinged more often than every five, and pymilvus pings every ten seconds.
_CHANNEL = {"grpc.max_reconnect_backoff_ms": 2_000, "grpc.keepalive_time_ms": 360_000}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which units count, as expressions of Milvus. Several share the units between them, and are searched in turn."""

    count: int
    expressions: tuple[str, ...]

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Filter:
        """The filter that passes the units of a mask, and none beyond its end."""
        count = int(mask.sum())
        end = f"{UNIT} < {len(mask)}"
        if count == len(mask):
            return cls(count, (end,))
        if len(mask) - count <= min(count, _IDS):
            return cls(count, (f"{end} and {UNIT} not in {_format_units(np.flatnonzero(~mask))}",))
        return cls.of_units(np.flatnonzero(mask))

    @classmethod
    def of_units(cls, units: NDArray[np.int64]) -> Filter:
        """The filter that passes these units."""
        chunks = (units[start : start + _IDS] for start in range(0, len(units), _IDS))
        return cls(len(units), tuple(f"{UNIT} in {_format_units(chunk)}" for chunk in chunks))


def _format_units(units: NDArray[np.int64]) -> str:
    return json.dumps(units.tolist(), separators=(",", ":"))


class Server:
    """A connection to a server. Safe to share between threads.

    `PANELIST_MILVUS_URI`, where it is set, decides where the server is and who asks: it may have a user and a password.
    """

    def __init__(self, address: Address, since: tuple[int, int] = BM25_SINCE) -> None:
        client_class = _client_class()
        self._filter: tuple[NDArray[np.bool_], Filter] | None = None
        configured = milvus_uri()
        self.address, secret = parse_address(configured) if configured else (address, "")
        scheme = "https" if self.address.secure else "http"
        with self.errors():
            self.client = client_class(
                uri=f"{scheme}://{self.address.host}:{self.address.port}",
                token=secret,
                db_name=self.address.database,
                timeout=_CONNECT_SECONDS,
                grpc_options=_CHANNEL,
            )
        self._check_version(since)

    def _check_version(self, since: tuple[int, int]) -> None:
        try:
            with self.errors():
                version = str(self.client.get_server_version(timeout=_CONNECT_SECONDS))
        except EngineError as error:
            if "UNIMPLEMENTED" in str(error):  # Milvus Lite does not say
                return
            raise
        numbers = tuple(int(digits) for digits in version.lstrip("v").split(".")[:2] if digits.isdigit())
        if numbers < since:
            why = ", older ones do not compute BM25" if since == BM25_SINCE else ""
            raise EngineError(
                f"the Milvus server at {self.address} has version {version}: "
                f"{since[0]}.{since[1]} or newer is needed{why}"
            )

    @contextmanager
    def errors(self, collection: str = "") -> Iterator[None]:
        """Turn what pymilvus raises into one line that says what to do."""
        try:
            yield
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ("pymilvus", "grpc"):
                raise
            message = " ".join(str(getattr(error, "message", "") or error).split())[:300]
            if collection and ("not found" in message or "not exist" in message or "can't find" in message):
                raise IndexDirectoryError(
                    f"the collection '{collection}' is not on the Milvus server at {self.address}: "
                    "rebuild the index with 'panelist index build'"
                ) from error
            unavailable = ("UNAVAILABLE", "Fail connecting", "failed to connect", "Retry timeout", "DEADLINE")
            if any(word in message for word in unavailable):
                raise EngineError(
                    f"the Milvus server at {self.address} does not answer: start it, or set PANELIST_MILVUS_URI"
                ) from error
            raise EngineError(f"the Milvus server at {self.address} refuses: {message}") from error

    def exists(self, collection: str) -> bool:
        """Whether the collection is there."""
        with self.errors():
            return bool(self.client.has_collection(collection, timeout=_SEARCH_SECONDS))

    def create(
        self, collection: str, *, parameters: tuple[float, float] | None = None, vectors: Vectors | None = None
    ) -> None:
        """Create a collection with its indexes, ready for rows; one that is there already is left as it is.

        Rows have words where BM25's parameters k1 and b are given, and vectors where an array of the expected shape is.
        BM25's document frequencies are counted per shard, so there is one.
        """
        from pymilvus import DataType, Function, FunctionType

        if self.exists(collection):
            return
        schema = self.client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(UNIT, DataType.INT64, is_primary=True)
        indexes = self.client.prepare_index_params()
        if parameters is not None:
            words = {"tokenizer": "whitespace"}
            schema.add_field(TEXT, DataType.VARCHAR, max_length=LONGEST, enable_analyzer=True, analyzer_params=words)
            schema.add_field(BM25, DataType.SPARSE_FLOAT_VECTOR)
            schema.add_function(Function(BM25, FunctionType.BM25, [TEXT], [BM25]))
            scoring = {"bm25_k1": parameters[0], "bm25_b": parameters[1]}
            indexes.add_index(BM25, "SPARSE_INVERTED_INDEX", metric_type="BM25", params=scoring)
        if vectors is not None:
            schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=vectors.shape[1])
            indexes.add_index(VECTOR, "FLAT" if len(vectors) <= FLAT_UP_TO else "AUTOINDEX", metric_type="IP")
        with self.errors():
            self.client.create_collection(
                collection,
                schema=schema,
                index_params=indexes,
                consistency_level="Strong",
                num_shards=1,
                timeout=_WRITE_SECONDS,
            )

    def insert(self, collection: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, which replace those with the same unit."""
        with self.errors(collection):
            self.client.upsert(collection, list(rows), timeout=_WRITE_SECONDS)

    def delete_after(self, collection: str, last: int) -> None:
        """Delete the rows above a unit: what a killed writer left."""
        with self.errors(collection):
            self.client.delete(collection, filter=f"{UNIT} > {last}", timeout=_WRITE_SECONDS)

    def settle(self, collection: str) -> None:
        """Make rows durable, and wait until they are indexed: an interim index misses most of the best."""
        with self.errors(collection):
            self.client.flush(collection, timeout=_WRITE_SECONDS)
            for name in self.client.list_indexes(collection, timeout=_SEARCH_SECONDS):
                deadline = time.monotonic() + _WRITE_SECONDS
                while int(self.client.describe_index(collection, name).get("pending_index_rows") or 0):
                    if time.monotonic() > deadline:
                        raise EngineError(
                            f"the Milvus server at {self.address} does not finish the index of '{collection}': "
                            "see its log, then run the same command again"
                        )
                    time.sleep(0.5)

    def filter_of(self, mask: NDArray[np.bool_]) -> Filter:
        """The filter that passes the units of a mask; the last one is stored, since a pool serves many searches."""
        last = self._filter
        if last is None or not np.array_equal(last[0], mask):
            last = self._filter = mask, Filter.of(mask)
        return last[1]

    def load(self, collection: str) -> None:
        """Load a collection for searching."""
        with self.errors(collection):
            self.client.load_collection(collection, timeout=_WRITE_SECONDS)

    def drop(self, collection: str) -> None:
        """Delete a collection with its rows."""
        with self.errors():
            self.client.drop_collection(collection, timeout=_WRITE_SECONDS)

    def search(
        self,
        collection: str,
        field: str,
        metric: str,
        queries: Sequence[Any],
        k: int,
        units: Filter,
        dropped: float = 0.0,
    ) -> list[Row]:
        """The `k` best of the units that the filter passes, for each query (text or vector): best first, ties by unit.

        The metric is `BM25` or `IP`; `dropped` is the share of a query's smallest values, its commonest words, that
        find no candidates.
        """
        if min(k, units.count) > DEEPEST:
            raise InputError(f"the milvus engine returns at most {DEEPEST:,} papers for a query, not {k:,}")
        if not units.count:
            return [NO_HITS] * len(queries)
        parameters = {"metric_type": metric, "params": {"drop_ratio_search": dropped} if dropped else {}}

        def ask(expression: str, batch: Sequence[Any], limit: int) -> list[Row]:
            with self.errors(collection):
                answers = self.client.search(
                    collection,
                    data=list(batch),
                    anns_field=field,
                    limit=limit,
                    filter=expression,
                    search_params=parameters,
                    consistency_level="Strong",
                    timeout=_SEARCH_SECONDS,
                )
            return [(np.asarray(hits.ids, np.int64), np.asarray(hits.distances, np.float32)) for hits in answers]

        def answer(batch: Sequence[Any]) -> list[Row]:
            answers = [_untied(partial(ask, expression), batch, k) for expression in units.expressions]
            return [_merged(rows, k) for rows in zip(*answers, strict=True)]

        chunks = [queries[start : start + _QUERIES] for start in range(0, len(queries), _QUERIES)]
        return [row for rows in map_parallel(answer, chunks) for row in rows]


def _client_class() -> Any:
    """Import pymilvus, which would close every log handler of this process and write to whatever stderr is now."""
    configure = logging.config.dictConfig
    logging.config.dictConfig = lambda config: None
    try:
        from pymilvus import MilvusClient
    except ImportError as error:
        raise MissingDependencyError(missing_line("the milvus engine", "pymilvus")) from error
    finally:
        logging.config.dictConfig = configure
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # errors are raised as well
    return MilvusClient


def _untied(ask: Callable[[Sequence[Any], int], list[Row]], queries: Sequence[Any], k: int) -> list[Row]:
    """Search deeper for the queries whose last hit ties with the k-th: which of them are returned is chance."""
    limit = min(k + _SPARE, DEEPEST)
    rows = ask(queries, limit)
    while limit < DEEPEST and (
        tied := [i for i, (_, scores) in enumerate(rows) if len(scores) == limit and scores[-1] == scores[k - 1]]
    ):
        limit = min(4 * limit, DEEPEST)
        for i, row in zip(tied, ask([queries[i] for i in tied], limit), strict=True):
            rows[i] = row
    return rows


def _merged(rows: Sequence[Row], k: int) -> Row:
    units = np.concatenate([units for units, _ in rows])
    scores = np.concatenate([scores for _, scores in rows])
    return sort_falling(scores, units)[:k], np.sort(scores)[::-1][:k]
