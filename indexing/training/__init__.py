"""Models that learn: encoders trained on a corpus."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from panelist.errors import InputError


@contextmanager
def working_folder(model: Path, suffix: str) -> Iterator[Path]:
    """The folder beside a model to be, with what an interrupted training left; deleted when the training is complete.

    Only one process at a time may use it.
    """
    work = model.with_name(model.name + suffix)
    work.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(work / "lock", timeout=0):
            yield work
    except Timeout as error:
        raise InputError(f"this model is being trained already ('{work}'): wait, or name another folder") from error
    shutil.rmtree(work)
