"""Files of a conference that are not finished: of changes, of requests, and which jobs work for it.

What a change writes is staged in a directory beside the files it replaces. The commit of the desk's file decides: a
stage whose revision the desk has is put in place, at once or after a restart; one that it does not have is dropped.
"""

import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

import orjson

from panelist.app.desk.errors import no_such_conference
from panelist.errors import DeskError

SCORING, CHECKING, SOLVING = ".score-job.json", "review_check.job", "job"
"""The ids of the jobs that score a conference, check its reviews, and make a solution (in its directory)."""
LAST_SOLUTION = ".last"  # in the directory of solutions: the number of the last one that was begun
_SCRATCH, _STAGE, _DECIDED, _REMOVED = ".scratch-", ".stage-", ".decided-", ".removed"
_ABANDONED = 24 * 3600.0  # seconds: no request and no job takes that long


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


@contextmanager
def scratch(conference: Path) -> Iterator[Path]:
    """An empty directory in that of a conference, gone afterwards; what a killed server left goes when a day old."""
    for other in conference.glob(f"{_SCRATCH}*"):
        if time.time() - other.stat().st_mtime > _ABANDONED:
            shutil.rmtree(other, ignore_errors=True)
    folder = conference / f"{_SCRATCH}{token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        yield folder
    except OSError as error:
        if not conference.exists():
            raise no_such_conference(conference.name) from None
        raise DeskError(f"the server cannot write: {error.strerror or error}; nothing was kept") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_job(file: Path) -> str:
    """The id of a job, from a file of its own; empty where none was begun."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def jobs_of(conference: Path) -> Iterator[str]:
    """The ids of the latest jobs of every kind that were begun for a conference."""
    if (conference / SCORING).exists():
        yield orjson.loads((conference / SCORING).read_bytes())["job"]
    yield from filter(None, map(read_job, (conference / CHECKING, *conference.glob(f"assignments/*/{SOLVING}"))))
