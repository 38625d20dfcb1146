"""Who does the work of a job: this process, processes beside it, or the workers of a Dask cluster."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import EncoderFactory
from indexing.jobs.shards import encoder_of
from indexing.parallel import cores
from indexing.text import Text
from panelist.errors import EngineError, InputError
from panelist.extras import require

Result = TypeVar("Result")

_CONNECT_SECONDS = 10
_RETRIES = 2  # of a task whose worker died
_CHUNK = 256  # texts per task: some ten seconds of one core


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and how many tasks it runs at once."""

    executor: Executor
    count: int


@contextmanager
def open_workers(name: str | None) -> Iterator[Workers | None]:
    """The workers of this name, until the context ends.

    `processes` or `processes:N` are processes of this machine; `dask://HOST:PORT` is the scheduler of a Dask cluster,
    whose workers see the workspace under the same path; None is this process alone.
    """
    if name is None:
        yield None
        return
    kind, _, address = name.partition(":")
    if kind == "processes" and (not address or (address.isdigit() and int(address) > 0)):
        count = int(address) if address else cores()
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            yield Workers(pool, count)
    elif kind == "dask" and address.startswith("//") and len(address) > 2:
        yield from _dask(f"tcp:{address}")
    else:
        raise InputError(f"unknown executor '{name}': give processes, processes:N or dask://HOST:PORT")


def _dask(address: str) -> Iterator[Workers]:
    os.environ.setdefault("DASK_DISTRIBUTED__LOGGING__DISTRIBUTED", "error")
    require("the executor dask", "distributed")
    from distributed import Client

    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise EngineError(
            f"no Dask scheduler answers at '{address}': start it with 'dask scheduler', or give another executor"
        ) from error
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise EngineError(f"the Dask scheduler at '{address}' has no workers: start some with 'dask worker'")
        yield Workers(client.get_executor(pure=False, retries=_RETRIES), count)


def in_order(workers: Workers, tasks: Iterable[Callable[[], Result]]) -> Generator[Result]:
    """What the tasks return, in their order. Some are submitted ahead; closing this cancels what has not begun."""
    waiting: deque[Future[Result]] = deque()

    def next_result() -> Result:
        with explaining_lost_workers():
            return waiting.popleft().result()

    try:
        for task in tasks:
            waiting.append(workers.executor.submit(task))
            if len(waiting) >= 2 * workers.count:
                yield next_result()
        while waiting:
            yield next_result()
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def explaining_lost_workers() -> Iterator[None]:
    """Say what to do where a task's worker died, more often than it is tried again."""
    try:
        yield
    except Exception as error:
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            raise EngineError(
                "a worker died, perhaps for lack of memory: see its log, and run the same command again; what is "
                "finished is kept"
            ) from error
        raise


class DistributedEncoder:
    """An encoder that gives its texts to workers, each of which loads the model once."""

    def __init__(self, load: EncoderFactory, workers: Workers, name: str) -> None:
        encoder = encoder_of(load, name)
        self.name, self.revision, self.dimension = encoder.name, encoder.revision, encoder.dimension
        self.precision = getattr(encoder, "precision", "float32")
        self._load, self._workers = load, workers

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        chunks = [slice(start, min(start + _CHUNK, len(texts))) for start in range(0, len(texts), _CHUNK)]
        tasks = (partial(_encode, self._load, self.name, list(texts[chunk])) for chunk in chunks)
        with closing(in_order(self._workers, tasks)) as encoded:
            for chunk, rows in zip(chunks, encoded, strict=True):
                vectors[chunk] = rows
                if progress is not None:
                    progress(chunk.stop - chunk.start)
        return vectors


def _encode(load: EncoderFactory, name: str, texts: Sequence[Text]) -> NDArray[np.float32]:
    return encoder_of(load, name).encode(texts)
