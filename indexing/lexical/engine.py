"""What every lexical engine offers: an index to search, and a writer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits, Row, check_depth, pad_rows
from panelist.closing import Closing
from panelist.errors import InputError

Repeated = Literal["distinct", "counted"]


@dataclass(frozen=True, slots=True)
class Words:
    """How the words of a query count.

    Attributes:
        repeated: a word that a query repeats counts once (`distinct`), or as often as it occurs (`counted`), which is
            what Anserini does. For abstracts as queries the first finds more of what is relevant
            (docs/reference/stores.md).
        expand: expand queries by pseudo-relevance feedback (RM3), as Anserini does with `counted`; engine `lucene`.
        bm25: k1 and b of this search; None for those that the index was built with. Engine `lucene`.
    """

    repeated: Repeated = "distinct"
    expand: bool = False
    bm25: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.repeated not in get_args(Repeated):
            raise InputError(f"unknown repeated words '{self.repeated}': use one of {', '.join(get_args(Repeated))}")
        if self.bm25 is not None:
            check_bm25(*self.bm25)

    def check_plain(self, engine: str) -> None:
        """Refuse what only `lucene` can do."""
        if self.expand:
            raise InputError(f"the engine {engine} cannot expand queries (RM3): use an index of the engine lucene")
        if self.bm25 is not None:
            raise InputError(
                f"the engine {engine} scores by the k1 and b of its index: build one with others by 'panelist index "
                "build', or use an index of the engine lucene"
            )


PLAIN = Words()


def check_bm25(k1: float, b: float) -> None:
    """Refuse what cannot be BM25's parameters."""
    if not (0 <= k1 < float("inf") and 0 <= b <= 1):
        raise InputError(f"BM25 needs k1 of at least 0 and b from 0 to 1, received k1 = {k1} and b = {b}")


class LexicalIndex(Closing, ABC):
    """A BM25 index that is open for searching. Safe to share between threads; a context manager."""

    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, words: Words = PLAIN
    ) -> Hits:
        """The `k` best units (at least 1) of each query; rows are padded where there are fewer.

        Queries are plain text, of any length, and never parsed: every character but letters and digits only separates
        words; `words` says how they count. A query without a known word gets an empty row; units without any of the
        query's words are never hits. A batch is answered faster than its queries one by one.

        `allowed` is a mask over unit numbers that is applied before the depth is cut (pools, tombstones); units beyond
        its end are not allowed.
        """
        check_depth(k)
        return pad_rows(self._rows(queries, k, allowed, words), k)

    @abstractmethod
    def _rows(self, queries: Sequence[str], k: int, allowed: NDArray[np.bool_] | None, words: Words) -> list[Row]:
        """The units of each query, best first, and their scores."""

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
