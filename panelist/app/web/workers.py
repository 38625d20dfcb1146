"""Threads for the work of requests: as many as are of use, and a queue that has an end."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from panelist.app.web.problems import ProblemError

Result = TypeVar("Result")


class Threads:
    """A few threads that live as long as the server: Java wants its threads to stay.

    So many requests may wait for one of them; what comes beyond is told to try again.
    """

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + waiting
        self._taken = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do this work in one of the threads."""
        if self._taken >= self._most:
            raise ProblemError(503, "the server is busy: try again in a moment", {"Retry-After": "2"})
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._taken -= 1

    def close(self) -> None:
        """Wait for what is being done; what waits is dropped."""
        self._pool.shutdown(cancel_futures=True)
