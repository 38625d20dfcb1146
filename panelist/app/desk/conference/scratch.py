"""Directories for what is not finished: on the disk of its conference, so that it goes with it and can be moved."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from panelist.app.desk.conference.store import StoredConference, not_kept
from panelist.errors import DeskError

_PREFIX = ".scratch-"
_ABANDONED = 24 * 3600.0  # seconds: no request and no job takes that long


@contextmanager
def scratch(conference: StoredConference) -> Iterator[Path]:
    """An empty directory, gone afterwards; what a killed server left behind goes when it is a day old.

    Raises:
        DeskError: it cannot be written, as a full disk cannot.
    """
    for other in conference.path.glob(f"{_PREFIX}*"):
        if time.time() - other.stat().st_mtime > _ABANDONED:
            shutil.rmtree(other, ignore_errors=True)
    folder = conference.path / f"{_PREFIX}{token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        yield folder
    except OSError as error:
        if not conference.path.exists():
            raise not_kept(conference.id) from None
        raise DeskError(f"the server cannot write: {error.strerror or error}; nothing was kept") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
