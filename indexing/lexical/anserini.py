"""A Lucene index that Pyserini or Anserini built, with its own ids, in the place of ours: `pyserini:DIR`.

Its documents are papers by their ids; those that are no papers of the index are never hits, but count in its
statistics. It is searched as Anserini does: k1 of .9 and b of .4 unless others are asked for, ties by id.
"""

from base64 import b64decode
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.hits import Row, fit_mask
from indexing.lexical.engine import Words
from indexing.lexical.jvm import JAVA, java_errors
from indexing.lexical.lucene import LuceneIndex
from indexing.lexical.lucene_calls import ID, LuceneCalls
from indexing.tables.units import Units
from panelist.errors import InputError

PREFIX = "pyserini:"
_BM25 = 0.9, 0.4
_SAMPLE = 1_000


class AnseriniIndex(LuceneIndex):
    """The same as `LuceneIndex`, but documents are found by the ids of the units' papers."""

    def __init__(self, name: str, units: Units) -> None:
        self._papers = units
        super().__init__(Path(name.removeprefix(PREFIX)).expanduser())
        live = np.flatnonzero(units.live)
        with java_errors(self.path), JAVA:
            self._units = self._calls.count()
            if not any(self._calls.frequency(key, ID) for key in self._keys(live[:: len(live) // _SAMPLE + 1])):
                raise InputError(
                    f"no paper of the index is in '{self.path}': the ids of its documents have to be ids of papers"
                )

    def _open(self, bm25: tuple[float, float] | None) -> LuceneCalls:
        if bm25 not in self._with:
            self._with[bm25] = LuceneCalls(self._jnius, self.path, bm25 or _BM25, ID)
        return self._with[bm25]

    def _mask(self, allowed: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """The allowed units; the last entry is for documents that are no papers, which have unit -1."""
        mask = self._papers.live if allowed is None else fit_mask(allowed, len(self._papers))
        return np.append(mask, np.False_)

    def _keys(self, units: NDArray[np.int64]) -> list[str]:
        return self._papers.paper_ids(units)

    def _vector(self, unit: int) -> dict[str, int]:
        return super()._vector(unit) if unit >= 0 else {}

    def _expanded(self, texts: list[str], words: Words) -> list[object]:
        if not self._calls.has_vectors():
            raise InputError(f"'{self.path}' cannot expand queries (RM3): build it with Anserini's -storeDocvectors")
        return super()._expanded(texts, words)

    def _row(self, answer: str) -> Row:
        """The same of ids, whose bytes Lucene gives as a part of a buffer."""
        fields = [hit["fields"] for hit in orjson.loads(answer)["scoreDocs"]]
        ids = [b64decode(key["bytes"])[key["offset"] :][: key["length"]].decode() for _, key in fields]
        return self._papers.find(ids), np.array([score for score, _ in fields], dtype=np.float32)
