"""Immutable files of a desk, each named by the digest of its content: written before a commit, collected after one.

Rows of the desk's database say which of them are in use. So a process that is killed between the two leaves a file that
nobody names, and the next collection removes it.
"""

import io
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from hashlib import blake2b, file_digest
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from panelist.errors import DeskError

Content = TypeVar("Content")
_ABANDONED = 3600.0  # seconds: no request writes for that long before its commit
_DECODED = 48  # contents that stay in memory
_INCOMING = ".incoming-"


class MadeOnce:
    """What was made last, by key: whoever asks while it is made waits for it. Safe to share between threads."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._futures: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Content]) -> Content:
        """What is made of a key; an error goes to everybody who waits, and is not kept."""
        with self._lock:
            is_new = key not in self._futures
            future: Future[Content] = self._futures.setdefault(key, Future())
            self._futures.move_to_end(key)
            while len(self._futures) > self._most:
                self._futures.popitem(last=False)
        if is_new:
            try:
                future.set_result(make())
            except BaseException as error:
                with self._lock:
                    self._futures.pop(key, None)
                future.set_exception(error)
        return future.result()


class Blobs:
    """The blobs of a desk. Safe to share between threads and processes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._decoded = MadeOnce(_DECODED)

    def put(self, content: bytes | Path, ending: str = "") -> str:
        """Write a content that is not there yet; its name is its digest, with an ending that tells its format."""
        if isinstance(content, Path):
            with content.open("rb") as file:
                name = file_digest(file, "blake2b").hexdigest() + ending
        else:
            name = blake2b(content).hexdigest() + ending
        target = self.path(name)
        with writing():
            if target.exists():
                os.utime(target)  # it is new again: whoever collects leaves it to us
                return name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = target.with_name(f"{_INCOMING}{token_hex(8)}")
            try:
                with temporary.open("xb") as file:
                    os.chmod(temporary, 0o600)
                    if isinstance(content, Path):
                        with content.open("rb") as source:
                            shutil.copyfileobj(source, file)
                    else:
                        file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
        return name

    def put_arrays(self, **arrays: NDArray[Any]) -> str:
        """Write arrays by name, as `load_arrays` reads them."""
        file = io.BytesIO()
        np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub takes a keyword of its own
        return self.put(file.getvalue(), ".npz")

    def path(self, name: str) -> Path:
        """Where a blob is."""
        return self._directory / name[:2] / name

    def read(self, name: str) -> bytes:
        """The content of a blob."""
        return self.path(name).read_bytes()

    def decoded(self, name: str, decode: Callable[[Path], Content]) -> Content:
        """The content of a blob as a reader gives it; what was read last stays in memory, and must not be changed."""
        return self._decoded.get((name, decode), lambda: decode(self.path(name)))

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """An empty directory for files that come in, gone afterwards; after a kill, at a later collection."""
        with writing():
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with TemporaryDirectory(prefix=_INCOMING, dir=self._directory, ignore_cleanup_errors=True) as folder:
                yield Path(folder)

    def retire(self, names: Iterable[str]) -> None:
        """Keep blobs that were replaced a while longer: somebody may be reading them."""
        for name in names:
            with suppress(OSError):
                os.utime(self.path(name))

    def collect(self, used: Collection[str], *, new: bool = False) -> None:
        """Delete old blobs that nobody uses, or also new ones; under the write lock of the desk's database."""
        for path in self.unused(used):
            with suppress(FileNotFoundError):
                old = time.time() - path.stat().st_mtime > _ABANDONED
                if path.is_dir() and old:
                    shutil.rmtree(path, ignore_errors=True)
                elif old or (new and not path.name.startswith(_INCOMING)):
                    path.unlink()

    def damaged(self, used: Collection[str]) -> Iterator[str]:
        """The blobs among these that are not there, or whose content is another one."""
        for name in sorted(used):
            try:
                with self.path(name).open("rb") as file:
                    if not name.startswith(file_digest(file, "blake2b").hexdigest()):
                        yield f"the file '{self.path(name)}' was changed"
            except OSError as error:
                yield f"the file '{self.path(name)}' cannot be read: {error.strerror}"

    def unused(self, used: Collection[str]) -> list[Path]:
        """What nobody uses: it goes at a later collection."""
        return [path for path in self._files() if path.name not in used]

    def _files(self) -> Iterator[Path]:
        for path in self._directory.glob("*"):
            if path.name.startswith(_INCOMING):
                yield path
            elif path.is_dir():
                yield from path.iterdir()


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read arrays by name."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@contextmanager
def writing() -> Iterator[None]:
    """Say in one line why a file of the desk cannot be written."""
    try:
        yield
    except OSError as error:  # a full disk among them: the server answers so
        raise DeskError(f"the server cannot write: {error.strerror or error}; nothing was kept") from error
