"""Long compiled loops say how far they are, and stop when nobody wants their result any more.

A kernel is given an array of two numbers: it counts in the first what is done, and returns early once the second is not
zero. It runs in a thread, without the interpreter lock, while the caller's thread tells the progress of `watching`.
Whatever that raises (a job was cancelled, Ctrl-C) stops the kernel.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent

Result = TypeVar("Result")

_SECONDS = 0.2  # between two looks
_PROGRESS: ContextVar[Progress] = ContextVar("progress", default=silent)


@contextmanager
def watching(progress: Progress) -> Iterator[None]:
    """Tell this progress how far the kernels are that `run` starts, until the context ends."""
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)


def run(stage: str, total: int, kernel: Callable[[NDArray[np.int64]], Result]) -> Result:
    """What a kernel returns that is given the two numbers; `total` is how far it counts, 0 if nobody knows."""
    watch, progress = np.zeros(2, dtype=np.int64), _PROGRESS.get()
    progress(stage, 0, total)
    with ThreadPoolExecutor(1) as thread:
        try:
            future = thread.submit(kernel, watch)
            while True:
                try:
                    return future.result(_SECONDS)
                except TimeoutError:
                    progress(stage, int(watch[0]), total)
        except BaseException:
            watch[1] = 1
            raise
