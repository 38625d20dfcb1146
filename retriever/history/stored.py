"""Files beside the index that save time: where one cannot be read or written, the work is done again."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.text import Text
from panelist.errors import InputError
from panelist.files import replacing
from panelist.keyed_file import key_of

FILE = "history.npz"
"""Vectors of papers outside of the index, under digests of their texts."""


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file by name; none where there is no whole file."""
    with suppress(OSError, EOFError, ValueError, KeyError, BadZipFile), path.open("rb") as file:
        return dict(np.load(file))
    return {}


def write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays for this user alone, where anything can be written."""
    with suppress(InputError), replacing(path, 0o600) as unfinished:
        np.savez(unfinished, **arrays)  # type: ignore[arg-type]  # an option of its own is among the names


def encoded_once(index: Index, texts: Sequence[Text], path: Path | None, *, prune: bool = True) -> NDArray[np.float32]:
    """The vectors of texts, read from a file as far as it has them; then it has these, and with `prune` no others."""
    encoder = index.manifest.encoder
    keys = [key_of(encoder.name, encoder.revision, *text).hex() for text in texts]
    stored = {} if path is None else read_arrays(path)
    known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True)) if stored else {}
    missing = [row for row, key in enumerate(keys) if key not in known]
    if missing:
        encoded = index.encoder().encode([texts[row] for row in missing])
        known |= {keys[row]: vector for row, vector in zip(missing, encoded, strict=True)}
    vectors = np.array([known[key] for key in keys], np.float32).reshape(-1, encoder.dimension)
    if path is not None and (missing or (prune and len(known) > len(set(keys)))):
        stored = dict(zip(keys, vectors, strict=True)) if prune else known
        write_arrays(path, keys=np.array([*stored], str), vectors=np.array([*stored.values()], np.float32))
    return vectors
