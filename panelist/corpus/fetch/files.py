"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from panelist.errors import InputError


def make_directory(path: Path) -> None:
    """Create a directory to download to, where there is none.

    Raises:
        InputError: it cannot be created.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create the directory '{path}': {error.strerror}: choose another one") from None


def write_file(path: Path, content: bytes) -> None:
    """Create or replace a file in one step."""
    unfinished = path.with_name(f".{path.name.lstrip('.')}.unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
