"""Lucene's BM25, out of the jar that Pyserini ships: the searching side; `lucene_writer` is the other.

Queries are expanded by RM3, by the words of the documents that they find first, as Anserini computes it (Abdul-Jaleel
et al., UMass at TREC 2004: Novelty and HARD). With documents D of scores s_D and words w of a query Q:

    P(w|R)  ∝  Σ_D s_D · P(w|D)  over the FEEDBACK_TERMS most frequent words of each D, cut to FEEDBACK_TERMS words
    P'(w)   =  ORIGINAL_WEIGHT · P(w|Q) + (1 − ORIGINAL_WEIGHT) · P(w|R)
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Row, fit_mask
from indexing.lexical.engine import LexicalIndex, Words
from indexing.lexical.jvm import JAVA, detach_thread, java_errors, start_java
from indexing.lexical.lucene_calls import LuceneCalls
from indexing.parallel import map_parallel
from indexing.text import encodable
from panelist.errors import IndexDirectoryError

_CHUNK = 32  # queries per call: enough for Java's threads, while Python reads the answer of the previous call
_LARGE_POOL = 0.2  # the share of allowed units from which a deeper search and a look at the mask beat a filter
CANDIDATES = 3_000
"""Units that the rarest words of a query find, to be scored by all its words."""

_COMMON = 0.1  # words in a larger share of the documents do not expand a query
FEEDBACK_UNITS = 10
FEEDBACK_TERMS = 10
ORIGINAL_WEIGHT = 0.5
_WORD = re.compile(r"[a-z0-9]{2,20}")


class LuceneIndex(LexicalIndex):
    """A Lucene index that is open for searching; see `LexicalIndex`.

    Every query is scored in full: with the 75 distinct words of an abstract, skipping low documents (WAND) costs more
    than it saves. Nor is there a limit to the number of words. With `terms`, only that many of a query's rarest words
    find candidates, which all its words then score: far fewer postings are read, and a few hits are missed.
    """

    def __init__(self, path: Path, terms: int = 0) -> None:
        if not path.is_dir():  # Lucene would make it
            raise IndexDirectoryError(f"there is no Lucene index in '{path}': build it with 'panelist index build'")
        self.path = path
        self._jnius = start_java()
        self._with: dict[tuple[float, float] | None, LuceneCalls] = {}
        with java_errors(path), JAVA:
            self._calls = self._open(None)
        self._units = int(self._calls.settings["last"] or -1) + 1
        self._pool: tuple[NDArray[np.bool_], Any] | None = None
        self._frequencies: dict[str, int] = {}
        self._terms = terms

    def _open(self, bm25: tuple[float, float] | None) -> LuceneCalls:
        if bm25 not in self._with:
            self._with[bm25] = LuceneCalls(self._jnius, self.path, bm25)
        return self._with[bm25]

    def _rows(self, queries: Sequence[str], k: int, allowed: NDArray[np.bool_] | None, words: Words) -> list[Row]:
        try:
            with java_errors(self.path):
                return self._best([encodable(query) for query in queries], k, self._mask(allowed), words)
        finally:
            detach_thread()

    def _mask(self, allowed: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        return None if allowed is None else fit_mask(allowed, self._units)

    def _best(self, texts: list[str], k: int, mask: NDArray[np.bool_] | None, words: Words) -> list[Row]:
        """The best units of each query. Feedback for `expand` ignores the mask."""
        if self._terms and not words.expand:
            return self._two_stages(texts, k, None if mask is None else self._filter(mask), words)
        queries = self._expanded(texts, words) if words.expand else texts
        if mask is None:
            return self._top(queries, k, words)
        share = float(mask.mean()) if len(mask) else 0.0
        if share < _LARGE_POOL:
            return self._top(queries, k, words, self._filter(mask))
        depth = k if share == 1 else math.ceil(1.1 * k / share) + 16
        hits = self._top(queries, depth, words)
        # Where the mask takes more than its share of the best, the search is made again, with a filter.
        incomplete = [row for row, (units, _) in enumerate(hits) if len(units) == depth and mask[units].sum() < k]
        rows = [(units[mask[units]][:k], scores[mask[units]][:k]) for units, scores in hits]
        filtered = self._top([queries[row] for row in incomplete], k, words, self._filter(mask)) if incomplete else []
        for row, better in zip(incomplete, filtered, strict=True):
            rows[row] = better
        return rows

    def _two_stages(self, texts: list[str], k: int, pool: Any, words: Words) -> list[Row]:
        """The best of the units that the rarest words of each query find, scored by all its words."""
        depth = min(k, self._units)
        candidates = min(max(CANDIDATES, depth), self._units)
        with JAVA:
            calls = self._open(words.bm25)

        def answer(chunk: Sequence[str]) -> list[str]:
            finding: list[str] = []
            scoring: list[str] = []
            for text in chunk:
                with JAVA:
                    counts = Counter(word for word in self._calls.words(text) if self._frequency(word))
                rarest = sorted(counts, key=lambda word: (self._frequency(word), word))
                if words.repeated == "distinct":
                    counts = Counter(rarest)
                for texts_of_stage, selection in ((finding, rarest[: self._terms]), (scoring, rarest[self._terms :])):
                    texts_of_stage.append(" ".join(word for word in selection for _ in range(counts[word])))
            return calls.answers_in_two_stages(finding, scoring, candidates, depth, pool)

        return self._chunked(answer, texts)

    def _top(self, queries: Sequence[Any], k: int, words: Words, pool: Any = None) -> list[Row]:
        """Units and scores of the `k` best documents of each query, among those in the pool."""
        with JAVA:
            calls, depth = self._open(words.bm25), min(k, self._units)
        return self._chunked(lambda chunk: calls.answers(chunk, depth, pool, words.repeated), queries)

    def _chunked(self, answer: Callable[[Sequence[Any]], list[str]], queries: Sequence[Any]) -> list[Row]:
        if self._units == 0:
            return [NO_HITS] * len(queries)
        chunks = [queries[start : start + _CHUNK] for start in range(0, len(queries), _CHUNK)]
        rows = map_parallel(lambda chunk: [self._row(hits) for hits in answer(chunk)], chunks, leave=detach_thread)
        return list(chain.from_iterable(rows))

    def _filter(self, mask: NDArray[np.bool_]) -> Any:
        """The restriction to the allowed units; the last one is stored, since a pool usually serves many searches."""
        with JAVA:
            if self._pool is None or not np.array_equal(self._pool[0], mask):
                self._pool = mask, self._calls.restriction(self._keys(np.flatnonzero(mask)))
            return self._pool[1]

    def _keys(self, units: NDArray[np.int64]) -> list[Any]:
        """What documents of these units are found by."""
        return [*units.tolist()]

    def _vector(self, unit: int) -> dict[str, int]:
        """The words of a unit, and how often each of them occurs in it."""
        return self._calls.vector(str(self._keys(np.array([unit]))[0]))

    def _expanded(self, texts: list[str], words: Words) -> list[Any]:
        queries, limit = [], _COMMON * self._units
        for text, (units, scores) in zip(texts, self._top(texts, FEEDBACK_UNITS, words), strict=True):
            with JAVA:
                feedback = [(s, self._vector(u)) for u, s in zip(units.tolist(), scores.tolist(), strict=True)]
                weights = expand_query(self._calls.words(text), feedback, lambda word: self._frequency(word) > limit)
                queries.append(self._calls.weighted(weights))
        return queries

    def _frequency(self, word: str) -> int:
        if word not in self._frequencies:
            self._frequencies[word] = self._calls.frequency(word)
        return self._frequencies[word]

    def close(self) -> None:
        """Release the files; closing twice does no harm."""
        with JAVA:
            for calls in self._with.values():
                calls.close()

    def _row(self, answer: str) -> Row:
        """Units and scores out of Lucene's JSON, whose fields are what it sorted by: score and unit number."""
        hits = [hit["fields"] for hit in orjson.loads(answer)["scoreDocs"]]
        # A score is a float32 that Java printed so that it reads back the same; unit numbers are exact in float64.
        table = np.array(hits, dtype=np.float64).reshape(len(hits), 2)
        return table[:, 1].astype(np.int64), table[:, 0].astype(np.float32)


def expand_query(
    query: Iterable[str], feedback: Iterable[tuple[float, Mapping[str, int]]], is_common: Callable[[str], bool]
) -> dict[str, float]:
    """The words of the expanded query and their weights, which sum to 1.

    Each document of the feedback has its score and word counts; common words, which tell nothing, are left out.
    """
    model: Counter[str] = Counter()
    for score, counts in feedback:
        frequent = _top_terms(
            (word for word in _ranked(counts) if _WORD.fullmatch(word) and not is_common(word)), counts
        )
        length = sum(frequent.values())
        for word, count in frequent.items():
            model[word] += score * count / length  # type: ignore[assignment]  # a Counter of floats
    relevance = _top_terms(_ranked(model), model)
    mass = sum(relevance.values())
    words = Counter(query)
    weights = {word: ORIGINAL_WEIGHT * count / words.total() for word, count in words.items()}
    for word, weight in relevance.items():
        weights[word] = weights.get(word, 0.0) + (1 - ORIGINAL_WEIGHT) * weight / mass
    return weights


def _ranked(weights: Mapping[str, float]) -> list[str]:
    return sorted(weights, key=lambda word: (-weights[word], word))


def _top_terms(words: Iterable[str], weights: Mapping[str, float]) -> dict[str, float]:
    return {word: weights[word] for word in islice(words, FEEDBACK_TERMS)}
