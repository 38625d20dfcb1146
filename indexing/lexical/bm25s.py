"""BM25 without Java: bm25s computes every (word, unit) score beforehand, a search adds up those of its words.

Lù, BM25S: Orders of magnitude faster lexical search via eager sparse scoring, 2024. The matrix is memory-mapped; it is
recomputed, in memory, when a writer closes (some 4 s and 250 MB for 50,000 abstracts), so `lucene` is the choice for
millions of papers or frequent updates.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Hits, Row, check_depth, fit_mask, pad, top_k
from indexing.lexical.bm25s_files import (
    Bm25sState,
    matrix_names,
    matrix_units,
    read_segments,
    read_state,
    sweep,
    write_segment,
    write_state,
)
from indexing.lexical.engine import LexicalIndex, LexicalWriter
from indexing.lexical.tokens import Vocabulary
from indexing.parallel import each
from indexing.tables.arrays import damaged, open_array, save_array
from panelist.errors import IndexDirectoryError, InputError


class Bm25Index(LexicalIndex):
    """A bm25s index that is open for searching; see `LexicalIndex`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        state = read_state(path)
        if state is None:
            raise IndexDirectoryError(f"there is no bm25s index in '{path}': build it with 'panelist index build'")
        self._units = np.empty(0, dtype=np.int64)
        if state.matrix:
            from bm25s import BM25

            names = matrix_names(state.matrix)
            try:
                matrix = BM25.load(path, **names, mmap=True, show_progress=False)
                self._units = open_array(path / matrix_units(state.matrix))
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise damaged(path / names["data_name"]) from error
            self._data, self._rows, self._starts = (
                matrix.scores[part].view(np.ndarray) for part in ("data", "indices", "indptr")
            )
            self._starts = self._starts.astype(np.int64, copy=False)  # bm25s stores int32 where that is enough
            self._vocabulary = Vocabulary(matrix.vocab_dict)

    def search(
        self, queries: Sequence[str], k: int, *, allowed: NDArray[np.bool_] | None = None, expand: bool = False
    ) -> Hits:
        """The `k` best units of each query; see `LexicalIndex.search`. Query expansion is left to `lucene`."""
        check_depth(k)
        if expand:
            raise InputError("the engine bm25s cannot expand queries (RM3): use an index of the engine lucene")
        if len(self._units) == 0:
            return pad([NO_HITS] * len(queries), k)
        depth = min(k, len(self._units))
        if allowed is None:
            taken = np.ones(len(self._units), dtype=np.bool_)
        else:
            taken = fit_mask(allowed, int(self._units[-1]) + 1)[self._units]
        from indexing.lexical.bm25s_kernel import add_scores

        def answer(query: str) -> Row:
            words = np.array(sorted(set(self._vocabulary.read(query))), dtype=np.int64)
            scores = add_scores(words, self._data, self._rows, self._starts, taken)
            best = top_k(scores, depth)
            return self._units[best], scores[best]

        return pad(each(answer, queries), k)


class Bm25Writer(LexicalWriter):
    """Adds units to a bm25s index and removes them; see `LexicalWriter`."""

    def __init__(self, path: Path, k1: float, b: float) -> None:
        super().__init__(path)
        self._state = read_state(path) or Bm25sState(k1, b)
        self._check_parameters((self._state.k1, self._state.b), k1, b)
        sweep(path, self._state)
        words = [word for *_, new in read_segments(path, self._state) for word in new]
        self._vocabulary = Vocabulary({word: number for number, word in enumerate(words)})
        self._known = len(words)
        self._last = self._state.last
        self._units: list[int] = []
        self._texts: list[list[int]] = []
        self._removed.update(self._state.removed)

    @property
    def last(self) -> int:
        """The highest unit number that was ever added and is committed, -1 for none."""
        return self._state.last

    def _add(self, unit: int, text: str) -> None:
        self._texts.append(self._vocabulary.learn(text))
        self._units.append(unit)

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        removed, segments = sorted(self._removed), self._state.segments
        if not self._units and removed == self._state.removed and self._state.sizes:
            return
        if self._units:
            new = list(self._vocabulary.numbers)[self._known :]
            write_segment(self.path, segments, self._units, self._texts, new)
            segments += 1
        self._state = write_state(
            self.path, replace(self._state, last=self._last, segments=segments, removed=removed, current=False)
        )
        self._units, self._texts, self._known = [], [], len(self._vocabulary.numbers)

    def _compute_matrix(self) -> None:
        """Have bm25s score all units of all segments that are not removed."""
        units, texts = [], []
        for some, words, _ in read_segments(self.path, self._state):
            for unit, text in zip(some.tolist(), words, strict=True):
                if unit not in self._removed:
                    units.append(unit)
                    texts.append(text)
        number = 0
        if any(texts):
            from bm25s import BM25

            logging.getLogger("bm25s").setLevel(logging.WARNING)  # bm25s sets its own level to DEBUG
            number = self._state.matrix + 1
            matrix = BM25(k1=self._state.k1, b=self._state.b, method="lucene", csc_backend="scipy")
            matrix.index((texts, dict(self._vocabulary.numbers)), create_empty_token=False, show_progress=False)
            matrix.save(self.path, **matrix_names(number), show_progress=False)
            save_array(self.path / matrix_units(number), np.array(units, dtype=np.int64))
        self._state = write_state(self.path, replace(self._state, matrix=number, current=True))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if kind is None and not self._state.current:
            self._compute_matrix()
