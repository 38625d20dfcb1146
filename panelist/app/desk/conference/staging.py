"""Files that change together or not at all, also if the server is killed meanwhile.

What a change writes is staged in a directory beside the files it replaces. The commit of the desk's file decides: a
stage whose revision the desk has is put in place, at once or after a restart; one that it does not have is dropped.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex

import orjson

_STAGE, _DECIDED = ".stage-", ".decided-"
_REMOVED = ".removed"


class Stage:
    """What a change writes and removes."""

    def __init__(self, conference: Path) -> None:
        self._conference = conference
        self._directory = conference / f"{_STAGE}{token_hex(8)}"
        self._removed: list[str] = []

    def file(self, name: str) -> Path:
        """Where to write the file that replaces the conference's file of this name."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        return self._directory / name

    def remove(self, name: str) -> None:
        """Remove a file or a directory of the conference, if it is there."""
        self._removed.append(name)

    def take(self, directory: Path, names: Iterable[str]) -> None:
        """Take these files from a directory; those that it does not have are removed."""
        for name in names:
            if (directory / name).exists():
                shutil.move(directory / name, self.file(name))
            else:
                self.remove(name)

    def decide(self, revision: int) -> bool:
        """Everything is written: it becomes the conference's as soon as the desk has this revision; if there is any."""
        if not self._removed and not self._directory.exists():
            return False
        self.file(_REMOVED).write_bytes(orjson.dumps(self._removed))
        self._directory.rename(self._conference / f"{_DECIDED}{revision}")
        return True

    def drop(self) -> None:
        """Forget what was written."""
        shutil.rmtree(self._directory, ignore_errors=True)


def settle(conference: Path, revision: int) -> None:
    """Put in place what was decided up to a revision, and drop everything else; under the write lock of the desk."""
    for abandoned in conference.glob(f"{_STAGE}*"):  # whoever has the lock has no stage yet
        shutil.rmtree(abandoned, ignore_errors=True)
    for directory in conference.glob(f"{_DECIDED}*"):
        if int(directory.name.removeprefix(_DECIDED)) <= revision:
            removed = directory / _REMOVED
            for name in orjson.loads(removed.read_bytes()) if removed.exists() else ():
                path = conference / name
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
            removed.unlink(missing_ok=True)  # done: what comes now must not be removed, even if we are killed here
            for file in directory.iterdir():
                file.replace(conference / file.name)
        shutil.rmtree(directory, ignore_errors=True)


def is_decided(conference: Path) -> bool:
    """Whether a change was decided, and not everything is in place yet."""
    return any(conference.glob(f"{_DECIDED}*"))
