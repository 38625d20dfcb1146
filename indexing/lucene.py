"""Lucene's BM25, out of the jar that Pyserini ships: the searching side. `indexing.lucene_writer` has the other.

A call into Java costs microseconds, so nothing is done hit by hit: Anserini makes a text its bag-of-words query in one
call, Lucene itself sorts by score and unit number, and the hits come back as one string of JSON.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.hits import Hits
from indexing.jvm import java_errors, start, to_java
from indexing.parallel import each
from indexing.rm3 import FEEDBACK_UNITS, expanded
from indexing.topk import check_depth, fit_mask, pad
from panelist.errors import IndexDirectoryError

FIELD, UNIT, ID = "contents", "unit", "id"
"""The fields of a document: the indexed text, its unit number, and the same as the string that is Pyserini's id."""

_NO_LIMIT = 2**31 - 1
_LARGE_POOL = 0.2  # the share of allowed units from which a deeper search and a look at the mask beat a filter
_COMMON = 0.1  # words in a larger share of the documents do not expand a query

Row = tuple[NDArray[np.int64], NDArray[np.float32]]


class LuceneIndex:
    """A Lucene index that is open for searching; see `indexing.lexical.LexicalIndex`.

    Every query is scored in full: with the 75 distinct words of an abstract, skipping low documents (WAND) costs more
    than it saves. Nor is there a limit to the number of words.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():  # Lucene would make it
            raise IndexDirectoryError(f"there is no Lucene index in '{path}': make it with 'panelist index build'")
        self.path = path
        self._jnius = start()
        self._lock = threading.Lock()
        self._filter: tuple[NDArray[np.bool_], Any] | None = None
        self._frequencies: dict[str, int] = {}
        self._find_classes()
        with java_errors(path):
            directory = self._directories.open(self._paths.get(str(path)))
            self._reader = self._jnius.cast(
                "org.apache.lucene.index.IndexReader", self._directory_reader.open(directory)
            )
            commit = self._jnius.cast("org.apache.lucene.index.DirectoryReader", self._reader).getIndexCommit()
            settings = commit.getUserData()
        self._units = int(settings.get("last")) + 1
        self._searcher = self._index_searcher(self._reader)
        self._searcher.setSimilarity(self._bm25(float(settings.get("k1")), float(settings.get("b"))))

    def _find_classes(self) -> None:
        """Look up each Java class once; pyjnius reflects on all its methods when it is asked for one."""
        java = self._jnius.autoclass
        lucene = "org.apache.lucene."
        self._paths = java("java.nio.file.Paths")
        self._directories = java(lucene + "store.FSDirectory")
        self._directory_reader = java(lucene + "index.DirectoryReader")
        self._index_searcher = java(lucene + "search.IndexSearcher")
        self._index_searcher.setMaxClauseCount(_NO_LIMIT)
        self._bm25 = java(lucene + "search.similarities.BM25Similarity")
        self._collector = java(lucene + "search.TopFieldCollector")
        int_type = java(lucene + "search.SortField$Type").INT
        by_unit = java(lucene + "search.SortedNumericSortField")(UNIT, int_type)
        self._order = java(lucene + "search.Sort")(java(lucene + "search.SortField").FIELD_SCORE, by_unit)
        self._boolean = java(lucene + "search.BooleanQuery$Builder")
        self._occur = java(lucene + "search.BooleanClause$Occur")
        self._boost, self._term_query = java(lucene + "search.BoostQuery"), java(lucene + "search.TermQuery")
        self._term = java(lucene + "index.Term")
        self._unit_set = unit_set(self._jnius)
        self._analyzer = java("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
        self._analysis = java("io.anserini.analysis.AnalyzerUtils")
        self._bags = java("io.anserini.search.query.BagOfWordsQueryGenerator")()
        self._documents = java("io.anserini.index.IndexReaderUtils")
        self._json = java("com.fasterxml.jackson.databind.ObjectMapper")()

    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, expand: bool = False
    ) -> Hits:
        """The `k` best units of each query; see `LexicalIndex.search`. Feedback for `expand` ignores the mask."""
        check_depth(k)
        mask = None if allowed is None else fit_mask(allowed, self._units)
        share = 1.0 if mask is None else float(mask.mean()) if len(mask) else 0.0
        pool = None if mask is None or share >= _LARGE_POOL else self._filter_of(mask)
        depth = min(k if pool or share == 1 else math.ceil(1.1 * k / share) + 16, self._units)

        def answer(text: str) -> Row:
            query = self._expand(text) if expand else self._bag(text)
            units, scores = self._top(query, depth, pool)
            if mask is None or pool:
                return units, scores
            kept = mask[units]
            if len(units) == depth < self._units and kept.sum() < k:  # the mask takes more than its share of the best
                return self._top(query, k, self._filter_of(mask))
            return units[kept][:k], scores[kept][:k]

        with java_errors(self.path):
            return pad(each(answer, queries, leave=self._jnius.detach), k)

    def _bag(self, text: str) -> Any:
        """The distinct words of a text, each weighted by how often it occurs; whatever else is in it only separates."""
        return self._bags.buildQuery(FIELD, self._analyzer, to_java(text))

    def _top(self, query: Any, k: int, pool: Any = None) -> Row:
        """Units and scores of the `k` best documents, among those in the pool."""
        if k == 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if pool is not None:
            query = self._boolean().add(query, self._occur.MUST).add(pool, self._occur.FILTER).build()
        collector = self._collector.create(self._order, k, _NO_LIMIT)
        self._searcher.search(query, self._jnius.cast("org.apache.lucene.search.Collector", collector))
        hits = [hit["fields"] for hit in orjson.loads(self._json.writeValueAsString(collector.topDocs()))["scoreDocs"]]
        # A score is a float32 that Java printed so that it reads back the same; unit numbers are exact in float64.
        table = np.array(hits, dtype=np.float64).reshape(len(hits), 2)
        return table[:, 1].astype(np.int64), table[:, 0].astype(np.float32)

    def _filter_of(self, mask: NDArray[np.bool_]) -> Any:
        """The query that the allowed units match; the last one is kept, since a pool usually serves many searches."""
        with self._lock:
            if self._filter is None or not np.array_equal(self._filter[0], mask):
                self._filter = mask.copy(), self._unit_set(np.flatnonzero(mask).tolist())
            return self._filter[1]

    def _expand(self, text: str) -> Any:
        """The query of a text expanded by RM3."""
        listed = self._analysis.analyze(self._analyzer, to_java(text)).toString()[1:-1]
        words = listed.split(", ") if listed else []
        units, scores = self._top(self._bag(text), min(FEEDBACK_UNITS, self._units))
        feedback = [(score, self._vector(unit)) for unit, score in zip(units.tolist(), scores.tolist(), strict=True)]
        return self._weighted(expanded(words, feedback, self._is_common))

    def _vector(self, unit: int) -> dict[str, int]:
        """The words of a unit and how often they occur in it, out of the stored document vector."""
        vector = self._documents.getDocumentVector(self._reader, str(unit))
        listed = vector.toString()[1:-1] if vector is not None else ""
        pairs = (entry.rpartition("=") for entry in listed.split(", ") if entry)
        return {word: int(count) for word, _, count in pairs}

    def _is_common(self, word: str) -> bool:
        frequency = self._frequencies.get(word)
        if frequency is None:
            frequency = self._frequencies[word] = self._reader.docFreq(self._term(FIELD, word))
        return frequency > _COMMON * self._units

    def _weighted(self, weights: Mapping[str, float]) -> Any:
        builder = self._boolean()
        for word, weight in weights.items():
            term = self._jnius.cast("org.apache.lucene.search.Query", self._term_query(self._term(FIELD, word)))
            builder.add(self._boost(term, weight), self._occur.SHOULD)
        return builder.build()

    def close(self) -> None:
        """Let go of the files; closing twice does no harm."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def unit_set(jnius: Any) -> Any:
    """A function from a list of unit numbers to the Lucene query that matches them.

    Declared by signature: pyjnius would take a Java method of variable arguments apart into 100,000 Python ones.
    """

    class IntPoint(jnius.JavaClass, metaclass=jnius.MetaJavaClass):  # type: ignore[misc, metaclass]
        __javaclass__ = "org/apache/lucene/document/IntPoint"
        newSetQuery = jnius.JavaStaticMethod("(Ljava/lang/String;[I)Lorg/apache/lucene/search/Query;")  # noqa: N815

    return lambda units: IntPoint.newSetQuery(UNIT, units)
