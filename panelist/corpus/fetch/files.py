"""The directory of a download."""

from __future__ import annotations

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
