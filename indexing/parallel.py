"""Work that releases the interpreter lock, spread over the cores this process may use."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """How many cores this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_parallel(
    function: Callable[[Item], Result], items: Sequence[Item], *, leave: Callable[[], object] = lambda: None
) -> list[Result]:
    """`function` of each item, in order, in as many threads as there are cores; a single item stays in this thread.

    The function must spend its time outside the interpreter lock for this to be of use. The next item goes to whichever
    thread is free. Each extra thread calls `leave` before it ends (a JVM wants its threads detached).
    """
    workers = min(cores(), len(items))
    if workers <= 1:
        return [function(item) for item in items]
    results: dict[int, Result] = {}
    turns = count()  # next() on it is atomic

    def work(_: int) -> None:
        try:
            while (turn := next(turns)) < len(items):
                results[turn] = function(items[turn])
        finally:
            leave()

    with ThreadPoolExecutor(workers) as pool:
        ended: Iterable[None] = pool.map(work, range(workers))
        list(ended)  # raises what a worker raised
    return [results[turn] for turn in range(len(items))]


def prefetch(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """`function` of each item, in order; the next one is worked out, in another thread, while the caller uses the last.

    A single item stays in this thread.
    """
    if len(items) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(function, items[0])
        for item in items[1:]:
            result = coming.result()
            coming = pool.submit(function, item)
            yield result
        yield coming.result()
