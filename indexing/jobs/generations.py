"""The life of an index directory: immutable generations, a pointer to the current one, one writer at a time.

    index/CURRENT              the name of the generation that serves, replaced atomically
    index/generation-000007/   manifest.json and the files it lists; never changed once published
    index/build-<plan>/        work in progress; what is finished in it is not done again
    index/lock, lock.holder    the lock of the one process that writes, and its process id

Readers have a shared lock on the manifest of the generation they have opened; a generation that was replaced is deleted
by the first writer that finds nobody reading it.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from indexing.jobs.manifest import NAME, build_command
from indexing.milvus.state import drop_unused
from panelist.errors import IndexDirectoryError, InputError
from panelist.files import sync
from panelist.system import lock_file

CURRENT = "CURRENT"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# Lucene, FAISS, SQLite and numpy hide the error's number: only its message is left.
_FULL_WORDS = re.compile(
    r"no space left on device|not enough free space|disk is full|disk quota exceeded|file too large"
    r"|\d+ requested and \d+ written",
    re.IGNORECASE,
)


def current_generation(index: Path) -> Path | None:
    """The directory of the generation that serves, None before the first build."""
    try:
        name = (index / CURRENT).read_text(errors="replace").strip()
    except FileNotFoundError:
        return None
    if not name.startswith("generation-") or "/" in name:
        raise IndexDirectoryError(f"'{index / CURRENT}' is damaged: rebuild the index with '{build_command(index)}'")
    return index / name


def pin_generation(generation: Path) -> BinaryIO:
    """Prevent the deletion of a generation until the returned file is closed; FileNotFoundError if it is gone."""
    file = (generation / NAME).open("rb")
    lock_file(file, shared=True)
    if not (generation / NAME).exists():  # deleted between the two lines above
        file.close()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(generation))
    return file


@contextmanager
def lock_index(index: Path) -> Iterator[None]:
    """Be the only process that writes this index; a full disk is explained."""
    index.mkdir(parents=True, exist_ok=True)
    holder = index / "lock.holder"
    try:
        with FileLock(index / "lock", timeout=0):
            holder.write_text(f"{os.getpid()}\n")
            yield
    except Timeout as error:
        process = holder.read_text().strip() if holder.exists() else "unknown"
        raise IndexDirectoryError(
            f"index '{index}' is being written by process {process}: wait until it has finished, or end it and run "
            "the same command again"
        ) from error
    except Exception as error:
        reason = error.__cause__ if isinstance(error, InputError) else error
        number = reason.errno if isinstance(reason, OSError) else None
        if number not in _FULL and not _FULL_WORDS.search(str(error)):
            raise
        raise IndexDirectoryError(
            f"no space left to write '{index}': free some and run the same command again; what is finished is kept, "
            "and the previous index, if any, still serves"
        ) from error


def work_directory(index: Path, plan: str) -> Path:
    """The directory for the work on this plan, with what an earlier run finished; that of other plans is deleted."""
    work = index / f"build-{plan}"
    for directory in index.glob("build-*"):
        if directory != work:
            _delete(directory, index)
    work.mkdir(exist_ok=True)
    return work


def link_tree(source: Path, target: Path) -> None:
    """Make `target` a directory of hard links to the files of `source` (copies, where the file system has no links)."""

    def link(file: str, copy: str) -> str:
        try:
            os.link(file, copy)
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.EXDEV, errno.EMLINK}:
                raise
            shutil.copyfile(file, copy)
        return copy

    shutil.copytree(source, target, copy_function=link)


def make_complete(target: Path, make: Callable[[Path], object]) -> Path:
    """`target`, made under another name and renamed when it is complete, unless an earlier run has made it."""
    if not target.exists():
        temporary = target.with_name(f"{target.name}.part")
        if temporary.is_dir():
            shutil.rmtree(temporary)
        make(temporary)
        temporary.rename(target)
    return target


def publish_generation(index: Path, built: Path, files: list[str]) -> Path:
    """Make a complete generation the current one: it survives a power cut, and readers see the old one or the new."""
    for name in (*files, NAME):
        sync(built / name)
    for top, _, _ in os.walk(built):
        sync(Path(top))
    number = max((int(path.name.removeprefix("generation-")) for path in index.glob("generation-*")), default=0) + 1
    generation = index / f"generation-{number:06d}"
    built.rename(generation)
    pointer = index / f"{CURRENT}.part"
    pointer.write_text(f"{generation.name}\n")
    sync(pointer)
    pointer.replace(index / CURRENT)
    sync(index)
    return generation


def delete_unused(index: Path, *, work: bool) -> None:
    """Delete the generations that are neither current nor being read and, on request, all unfinished work.

    While the pointer is damaged, nobody knows which generation is current, and none is deleted.
    """
    try:
        current = current_generation(index)
    except IndexDirectoryError:
        return
    for generation in index.glob("generation-*"):
        if generation != current and not _is_read(generation):
            _delete(generation, index)
    if work:
        for directory in index.glob("build-*"):
            _delete(directory, index)


def _delete(directory: Path, index: Path) -> None:
    """Delete a directory of the index, and what only it needs on a server."""
    drop_unused(directory, index)
    shutil.rmtree(directory)


def _is_read(generation: Path) -> bool:
    """Whether somebody reads it; if nobody does, its manifest is gone afterwards, and nobody can begin to."""
    try:
        with (generation / NAME).open("r+b") as file:  # NFS locks exclusively only what is open for writing
            lock_file(file, shared=False)
            (generation / NAME).unlink()
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
