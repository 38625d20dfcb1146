"""What a row of a collection has: its unit, and words that BM25 scores, or a vector, or both."""

from __future__ import annotations

from typing import Any

from indexing.milvus.server import Server
from indexing.milvus.units import UNIT
from indexing.tables.vectors import Vectors

TEXT, BM25, VECTOR = "text", "bm25", "vector"
LONGEST = 65_535
"""Bytes of a text."""

FLAT_UP_TO = 200_000
"""Rows up to which the server scores every vector; beyond, it chooses its own structure."""


def create_collection(
    server: Server, name: str, *, parameters: tuple[float, float] | None = None, vectors: Vectors | None = None
) -> None:
    """Create a collection; one that is there already is left as it is.

    Args:
        server: where.
        name: its name.
        parameters: BM25's k1 and b, for rows with words.
        vectors: an array of the expected shape, for rows with vectors.
    """
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field(UNIT, DataType.INT64, is_primary=True)
    indexes: list[dict[str, Any]] = []
    if parameters is not None:
        words = {"tokenizer": "whitespace"}
        schema.add_field(TEXT, DataType.VARCHAR, max_length=LONGEST, enable_analyzer=True, analyzer_params=words)
        schema.add_field(BM25, DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(Function(BM25, FunctionType.BM25, [TEXT], [BM25]))
        k1, b = parameters
        indexes.append(
            {
                "field_name": BM25,
                "index_type": "SPARSE_INVERTED_INDEX",
                "metric_type": "BM25",
                "params": {"bm25_k1": k1, "bm25_b": b},
            }
        )
    if vectors is not None:
        rows, dimension = vectors.shape
        schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=dimension)
        kind = "FLAT" if rows <= FLAT_UP_TO else "AUTOINDEX"
        indexes.append({"field_name": VECTOR, "index_type": kind, "metric_type": "IP"})
    server.create(name, schema, indexes)
