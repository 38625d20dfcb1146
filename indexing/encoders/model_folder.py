"""The folder of a model: its settings as JSON, and the revision that identifies its weights."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from panelist.errors import ModelError


def revision_of(folder: Path, *ways: object) -> str:
    """Identifies weights, tokeniser and the way of encoding: equal revisions give equal vectors.

    Raises:
        ModelError: there are no safetensors weights; pickled ones are never loaded.
    """
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise ModelError(
            f"no safetensors weights in '{folder}': pickled weights are never loaded; "
            "choose a revision of the model that carries model.safetensors, or convert it"
        )
    settings = [path for name in ("config.json", "tokenizer.json", "vocab.txt") if (path := folder / name).is_file()]
    digest = hashlib.sha256(repr(ways).encode())
    for path in (*settings, *weights):
        digest.update(bytes.fromhex(file_sha256(path)))
    return digest.hexdigest()[:16]


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal; computed once for each state of the file."""
    state = path.stat()
    return _sha256(path, state.st_size, state.st_mtime_ns)


@cache
def _sha256(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path, default: Any = None) -> Any:
    """The value of a JSON file; `default`, if given, where there is no such file."""
    if default is not None and not path.is_file():
        return default
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read '{path}' of the model: {error}; fetch the model again") from error
