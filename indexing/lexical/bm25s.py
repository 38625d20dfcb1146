"""BM25 without Java: bm25s computes every (word, unit) score beforehand, a search adds up those of its words.

Lù, BM25S: Orders of magnitude faster lexical search via eager sparse scoring, 2024. The matrix is memory-mapped; it is
recomputed, in memory, when a writer closes (some 4 s and 250 MB for 50,000 abstracts), so `lucene` is the choice for
millions of papers or frequent updates.

One small state file, replaced atomically, says which of the other files count. Units are stored as segments of word
numbers, one per commit, which are never changed. From these, without the removed units, bm25s computes the matrix.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_HITS, Row, fit_mask, top_k
from indexing.lexical.engine import LexicalIndex, LexicalWriter, Words
from indexing.lexical.tokens import Vocabulary
from indexing.parallel import map_parallel
from indexing.tables.arrays import damaged_file, open_array, save_array
from panelist.errors import IndexDirectoryError
from panelist.files import sync, write_whole

_STATE = "state.json"
_SEGMENT = ("units.npy", "lengths.npy", "words.npy", "vocabulary.json")
_MATRIX_UNITS = "matrix{}.units.npy"  # the unit of each row of a matrix
_MATRIX = {
    "data_name": "data.npy",
    "indices_name": "rows.npy",
    "indptr_name": "starts.npy",
    "vocab_name": "vocabulary.json",
    "params_name": "params.json",
}
"""The files of a matrix beside its units, by the arguments of bm25s' `save` and `load`."""


@dataclass(frozen=True)
class _State:
    k1: float
    b: float
    last: int = -1
    segments: int = 0
    removed: list[int] = field(default_factory=list)  # the units of the segments that were removed
    matrix: int = 0  # the number of the matrix, 0 if there is none because there are no words
    current: bool = False  # whether the matrix knows all segments and removals
    sizes: dict[str, int] = field(default_factory=dict)  # file name -> bytes, of every file


class Bm25Index(LexicalIndex):
    """A bm25s index that is open for searching; see `LexicalIndex`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        state = _read_state(path)
        if state is None:
            raise IndexDirectoryError(f"there is no bm25s index in '{path}': build it with 'panelist index build'")
        self._units = np.empty(0, dtype=np.int64)
        if state.matrix:
            from bm25s import BM25

            names = _matrix_names(state.matrix)
            try:
                matrix = BM25.load(path, **names, mmap=True, show_progress=False)
                self._units = open_array(path / _MATRIX_UNITS.format(state.matrix))
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise damaged_file(path / names["data_name"]) from error
            self._data, self._row_numbers, self._starts = (
                matrix.scores[name].view(np.ndarray) for name in ("data", "indices", "indptr")
            )
            self._starts = self._starts.astype(np.int64, copy=False)  # bm25s stores int32 where that is enough
            self._vocabulary = Vocabulary(matrix.vocab_dict)

    def _rows(self, queries: Sequence[str], k: int, allowed: NDArray[np.bool_] | None, words: Words) -> list[Row]:
        words.check_plain("bm25s")
        if len(self._units) == 0:
            return [NO_HITS] * len(queries)
        depth, end = min(k, len(self._units)), int(self._units[-1]) + 1
        allowed_rows = fit_mask(np.ones(end, np.bool_) if allowed is None else allowed, end)[self._units]
        from indexing.lexical.bm25s_kernel import add_scores

        def answer(query: str) -> Row:
            query_words = self._vocabulary.read(query)
            numbers = np.array(
                sorted(set(query_words) if words.repeated == "distinct" else query_words), dtype=np.int64
            )
            scores = add_scores(numbers, self._data, self._row_numbers, self._starts, allowed_rows)
            best = top_k(scores, depth)
            return self._units[best], scores[best]

        return map_parallel(answer, queries)


class Bm25Writer(LexicalWriter):
    """Adds units to a bm25s index and removes them; see `LexicalWriter`."""

    def __init__(self, path: Path, k1: float, b: float) -> None:
        super().__init__(path)
        self._state = _read_state(path) or _State(k1, b)
        self._check_parameters((self._state.k1, self._state.b), k1, b)
        _sweep(path, self._state)
        words = [word for *_, new in _read_segments(path, self._state) for word in new]
        self._vocabulary = Vocabulary({word: number for number, word in enumerate(words)})
        self._stored_words = len(words)
        self._last = self.last = self._state.last
        self._units: list[int] = []
        self._texts: list[list[int]] = []
        self._removed.update(self._state.removed)

    def _add(self, unit: int, text: str) -> None:
        self._texts.append(self._vocabulary.learn(text))
        self._units.append(unit)

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        removed, segments = sorted(self._removed), self._state.segments
        if not self._units and removed == self._state.removed and self._state.sizes:
            return
        if self._units:
            new = list(self._vocabulary.numbers)[self._stored_words :]
            _write_segment(self.path, segments, self._units, self._texts, new)
            segments += 1
        self._state = _write_state(
            self.path, replace(self._state, last=self._last, segments=segments, removed=removed, current=False)
        )
        self.last = self._last
        self._units, self._texts, self._stored_words = [], [], len(self._vocabulary.numbers)

    def _compute_matrix(self) -> None:
        """Have bm25s score all units of all segments that are not removed."""
        texts = {
            unit: words
            for units, texts, _ in _read_segments(self.path, self._state)
            for unit, words in zip(units.tolist(), texts, strict=True)
            if unit not in self._removed
        }
        number = 0
        if any(texts.values()):
            from bm25s import BM25

            logging.getLogger("bm25s").setLevel(logging.WARNING)  # bm25s sets its own level to DEBUG
            number = self._state.matrix + 1
            matrix = BM25(k1=self._state.k1, b=self._state.b, method="lucene", csc_backend="scipy")
            matrix.index(
                (list(texts.values()), dict(self._vocabulary.numbers)), create_empty_token=False, show_progress=False
            )
            matrix.save(self.path, **_matrix_names(number), show_progress=False)
            save_array(self.path / _MATRIX_UNITS.format(number), np.array(list(texts), dtype=np.int64))
        self._state = _write_state(self.path, replace(self._state, matrix=number, current=True))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        super().__exit__(kind)
        if kind is None and not self._state.current:
            self._compute_matrix()


def _read_state(path: Path) -> _State | None:
    """The state of the index in `path`, None if there is none; each file must have the size it was written with."""
    try:
        state = _State(**json.loads((path / _STATE).read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise damaged_file(path / _STATE) from error
    for name, size in state.sizes.items():
        if not (path / name).is_file() or (path / name).stat().st_size != size:
            raise damaged_file(path / name)
    return state


def _write_state(path: Path, state: _State) -> _State:
    """Make `state` the state of the index: it survives a crash, and files that it does not name are deleted."""
    names = [f"segment{n}.{end}" for n in range(state.segments) for end in _SEGMENT]
    names += [_MATRIX_UNITS.format(state.matrix), *_matrix_names(state.matrix).values()] if state.matrix else []
    state = replace(state, sizes={name: (path / name).stat().st_size for name in names})
    for name in names:
        sync(path / name)
    write_whole(path / _STATE, json.dumps(asdict(state)).encode())
    sync(path)
    _sweep(path, state)
    return state


def _sweep(path: Path, state: _State) -> None:
    """Delete files of unfinished or earlier states."""
    for file in path.iterdir():
        if file.name != _STATE and file.name not in state.sizes:
            file.unlink()


def _write_segment(path: Path, number: int, units: list[int], texts: list[list[int]], words: list[str]) -> None:
    arrays: tuple[NDArray[Any], ...] = (
        np.array(units, dtype=np.int64),
        np.array([len(text) for text in texts], dtype=np.int32),
        np.array([word for text in texts for word in text], dtype=np.int32),
    )
    for end, array in zip(_SEGMENT, arrays, strict=False):
        save_array(path / f"segment{number}.{end}", array)
    (path / f"segment{number}.{_SEGMENT[-1]}").write_text(json.dumps(words), encoding="utf-8")


def _read_segments(path: Path, state: _State) -> Iterator[tuple[NDArray[np.int64], list[list[int]], list[str]]]:
    """What `_write_segment` wrote, segment by segment."""
    for number in range(state.segments):
        name = f"segment{number}."
        units, lengths, words = (open_array(path / f"{name}{end}") for end in _SEGMENT[:3])
        texts = np.split(words, np.cumsum(lengths)[:-1]) if len(lengths) else []
        yield units, [text.tolist() for text in texts], json.loads((path / f"{name}{_SEGMENT[-1]}").read_bytes())


def _matrix_names(number: int) -> dict[str, str]:
    """The names of a matrix' files, as arguments of bm25s' `save` and `load`."""
    return {argument: f"matrix{number}.{end}" for argument, end in _MATRIX.items()}
