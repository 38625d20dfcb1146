"""The files of a bm25s index. One small state file, replaced atomically, says which of the others count.

Units are kept as segments of word numbers, one per commit, which are never changed. From these, without the removed
units, bm25s computes the matrix that is searched: a score for each pair of a word and a unit that contains it.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import damaged, open_array, replacing, save_array, sync

_STATE = "state.json"
_SEGMENT = ("units.npy", "lengths.npy", "words.npy", "vocabulary.json")
_MATRIX = {
    "data_name": "data.npy",
    "indices_name": "rows.npy",
    "indptr_name": "starts.npy",
    "vocab_name": "vocabulary.json",
    "params_name": "params.json",
}
"""The files of a matrix beside its units, by the arguments of bm25s' `save` and `load`."""


@dataclass(frozen=True)
class Bm25sState:
    """What a bm25s index consists of."""

    k1: float
    b: float
    last: int = -1
    segments: int = 0
    removed: list[int] = field(default_factory=list)  # the units of the segments that were removed
    matrix: int = 0  # the number of the matrix, 0 if there is none because there are no words
    current: bool = False  # whether the matrix knows all segments and removals
    sizes: dict[str, int] = field(default_factory=dict)  # file name -> bytes, of every file


def read_state(path: Path) -> Bm25sState | None:
    """The state of the index in `path`, None if there is none.

    Raises:
        IndexDirectoryError: a file is missing or has another size than it was written with.
    """
    try:
        state = Bm25sState(**json.loads((path / _STATE).read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise damaged(path / _STATE) from error
    for name, size in state.sizes.items():
        if not (path / name).is_file() or (path / name).stat().st_size != size:
            raise damaged(path / name)
    return state


def write_state(path: Path, state: Bm25sState) -> Bm25sState:
    """Make `state` the state of the index: it survives a crash, and files that it does not name are deleted."""
    names = [f"segment{n}.{end}" for n in range(state.segments) for end in _SEGMENT]
    names += [matrix_units(state.matrix), *matrix_names(state.matrix).values()] if state.matrix else []
    state = replace(state, sizes={name: (path / name).stat().st_size for name in names})
    for name in names:
        sync(path / name)
    with replacing(path / _STATE) as part:
        part.write_text(json.dumps(asdict(state)), encoding="utf-8")
    sync(path)
    sweep(path, state)
    return state


def sweep(path: Path, state: Bm25sState) -> None:
    """Delete files of unfinished or earlier states."""
    for file in path.iterdir():
        if file.name != _STATE and file.name not in state.sizes:
            file.unlink()


def write_segment(path: Path, number: int, units: list[int], texts: list[list[int]], words: list[str]) -> None:
    """Write a segment: the units, their words as numbers, and the words that are new in it."""
    arrays: tuple[NDArray[Any], ...] = (
        np.array(units, dtype=np.int64),
        np.array([len(text) for text in texts], dtype=np.int32),
        np.array([word for text in texts for word in text], dtype=np.int32),
    )
    for end, array in zip(_SEGMENT, arrays, strict=False):
        save_array(path / f"segment{number}.{end}", array)
    (path / f"segment{number}.{_SEGMENT[-1]}").write_text(json.dumps(words), encoding="utf-8")


def read_segments(path: Path, state: Bm25sState) -> Iterator[tuple[NDArray[np.int64], list[list[int]], list[str]]]:
    """What `write_segment` wrote, segment by segment."""
    for number in range(state.segments):
        name = f"segment{number}."
        units, lengths, words = (open_array(path / f"{name}{end}") for end in _SEGMENT[:3])
        texts = np.split(words, np.cumsum(lengths)[:-1]) if len(lengths) else []
        yield units, [text.tolist() for text in texts], json.loads((path / f"{name}{_SEGMENT[-1]}").read_bytes())


def matrix_names(number: int) -> dict[str, str]:
    """The names of a matrix' files, as arguments of bm25s' `save` and `load`."""
    return {argument: f"matrix{number}.{end}" for argument, end in _MATRIX.items()}


def matrix_units(number: int) -> str:
    """The name of the file with the unit of each row of a matrix."""
    return f"matrix{number}.units.npy"
