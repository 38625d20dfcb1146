"""Files that commands write: refused before the work where they cannot be, and whole or not there after it.

What cannot be written is an `InputError`.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from panelist.errors import InputError


def check_file(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done rather than after it."""
    if path.is_dir():
        raise InputError(f"cannot write '{path}': it is a directory, give a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"cannot write '{path}': the file is write-protected, give another one")
    if not _written_as_it_is(path) and not (path.parent.is_dir() and os.access(path.parent, os.W_OK | os.X_OK)):
        raise InputError(f"cannot write '{path}': '{path.parent}' is not a directory that can be written to")


def check_files(written: Iterable[Path | None], read: Iterable[Path | None] = ()) -> None:
    """Refuse what a command cannot write, and what would overwrite its input or another of its outputs."""
    inputs, outputs = {path.resolve() for path in read if path is not None}, set()
    for path in filter(None, written):
        check_file(path)
        if _written_as_it_is(path):
            continue
        if path.resolve() in inputs:
            raise InputError(f"cannot write '{path}': it is read by the same command, give another file")
        if path.resolve() in outputs:
            raise InputError(f"cannot write '{path}' twice: give every output a file of its own")
        outputs.add(path.resolve())


def check_directory(directory: Path) -> None:
    """Make a directory that files will be written into, before the work is done rather than after it."""
    if directory.exists() and not directory.is_dir():
        raise InputError(f"cannot write into '{directory}': it is a file, give a directory")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the directory '{directory}': {error.strerror}") from error
    if not os.access(directory, os.W_OK | os.X_OK):
        raise InputError(f"cannot write into '{directory}': permission denied")


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """A file to write that becomes `path` at the end: the old or the new one is there, whole, also after a power cut.

    It ends as `path` does, for the ending may say how it is written; its name is unique, so that two processes that
    write the same file do not disturb each other. `mode` is cut by the user's mask.
    """
    temporary = path if _written_as_it_is(path) else path.with_name(f".{path.stem}.{token_hex(8)}.part{path.suffix}")
    try:
        if temporary != path:
            temporary.touch(mode, exist_ok=False)  # ours, and not a link that somebody put there
        yield temporary
        if temporary != path:
            sync(temporary)
            temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        if temporary != path:
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file so that at any time the old one or the new one is there, whole."""
    with replacing(path, mode) as temporary:
        temporary.write_bytes(content)


def sync(path: Path) -> None:
    """Have a file, or a directory's entries, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _written_as_it_is(path: Path) -> bool:
    """Whether this is a pipe or a device, such as /dev/stdout, which no file may replace."""
    return path.exists() and not path.is_file() and not path.is_dir()
