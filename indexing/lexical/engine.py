"""What every lexical engine offers: an index to search, and a writer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits
from panelist.closing import Closing
from panelist.errors import InputError


class LexicalIndex(Closing, ABC):
    """A BM25 index that is open for searching. Safe to share between threads; a context manager."""

    @abstractmethod
    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, expand: bool = False
    ) -> Hits:
        """The `k` best units (at least 1) of each query; rows are padded where there are fewer.

        Queries are plain text, of any length, and never parsed: every character but letters and digits only separates
        words. A word that a query repeats counts once: for abstracts as queries that finds more of what is relevant. A
        query without a known word gets an empty row; units without any of the query's words are never hits. A batch is
        answered faster than its queries one by one.

        `allowed` is a mask over unit numbers that is applied before the depth is cut (pools, tombstones); units beyond
        its end are not allowed. To `expand` queries by pseudo-relevance feedback (RM3) takes `lucene`.
        """

    def close(self) -> None:
        """Release files and threads; closing twice does no harm."""


class LexicalWriter(ABC):
    """Adds units to a new or existing lexical index and removes them; one writer per directory.

    A context manager: leaving it commits and closes, leaving it with an exception drops what was not committed. Files
    that exist are never changed in place, only replaced or added to, so that a directory of hard links to another
    index's files can be written without touching that index.
    """

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._last = -1  # the highest unit number that was ever added, -1 for none
        self.last = -1  # the same as far as it is committed: where a killed build resumes
        self._removed: set[int] = set()

    def add(self, units: Sequence[int], texts: Sequence[str]) -> None:
        """Add units with their texts. Unit numbers ascend over all calls: they are never used again."""
        for unit, text in zip(units, texts, strict=True):
            if unit <= self._last:
                raise ValueError(f"unit numbers ascend: {unit} after {self._last}")
            self._add(int(unit), text)
            self._last = int(unit)

    @abstractmethod
    def _add(self, unit: int, text: str) -> None: ...

    def remove(self, units: Sequence[int]) -> None:
        """Remove units; those that are not in the index are ignored.

        They are gone from all hits. `bm25s` then scores as if they had never been there; `lucene` counts them in its
        document frequencies until it merges their segment.
        """
        self._removed.update(int(unit) for unit in units if unit <= self._last)

    @abstractmethod
    def commit(self) -> None:
        """Make everything so far survive a crash; it is searchable once the writer is closed."""

    def _check_parameters(self, stored: tuple[Any, Any], k1: float, b: float) -> None:
        if (float(stored[0]), float(stored[1])) != (k1, b):
            raise InputError(
                f"the index '{self.path}' has k1={stored[0]}, b={stored[1]}, not k1={k1}, b={b}: "
                "rebuild it with 'panelist index build'"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.commit()
