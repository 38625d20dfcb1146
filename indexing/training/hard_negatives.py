"""Hard negatives: the documents that BM25 takes for what belongs to a query, and that do not.

Thakur et al., "BEIR", 2021, and exHarmony ("SciBERT-R"), which draws from the best 1,000 of over a million.
"""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from indexing.lexical import open_lexical, write_lexical
from indexing.training.pairs import TextPairs

_CHUNK = 512  # queries between two calls of `progress`


class HardNegatives:
    """Finds the documents nearest to a query that are not related to it; a context manager."""

    def __init__(self, pairs: TextPairs) -> None:
        self._pairs = pairs
        self._open = ExitStack()

    def __enter__(self) -> Self:
        path = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="panelist-negatives-")))
        with write_lexical(path, "bm25s") as writer:
            writer.add(range(len(self._pairs.documents)), [text.plain() for text in self._pairs.documents])
        self._index = self._open.enter_context(open_lexical(path, "bm25s"))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def mine(
        self,
        rows: NDArray[np.int64],
        depth: int,
        *,
        allowed: NDArray[np.bool_] | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> NDArray[np.int64]:
        """(rows, depth): rows of documents, best first by BM25; -1 where there are no more.

        Neither the document of the query's own paper nor one that is related to it is among them: these are lost from
        the depth. `allowed` is a mask over documents; `progress` gets the number of queries done since its last call.
        """
        found = np.full((len(rows), depth), -1, dtype=np.int64)
        for start in range(0, len(rows), _CHUNK):
            some = rows[start : start + _CHUNK]
            hits = self._index.search([self._pairs.queries[row].plain() for row in some], depth + 1, allowed=allowed)
            for position, (row, units) in enumerate(zip(some, hits.units, strict=True), start):
                near = units[units >= 0]
                others = near[~self._pairs.related.between(np.array([row]), near)[0]][:depth]
                found[position, : len(others)] = others
            progress(len(some))
        return found


def draw(candidates: NDArray[np.int64], count: int, dice: np.random.Generator) -> NDArray[np.int64]:
    """Up to `count` different candidates of each row, at random; (rows, count), -1 where a row has fewer."""
    keys = dice.random(candidates.shape)
    keys[candidates < 0] = 2.0  # behind all others
    order = np.argsort(keys, axis=1)[:, :count]
    return np.take_along_axis(candidates, order, axis=1)
