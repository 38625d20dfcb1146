"""Background jobs: one at a time, with status, progress and cancel; the latest results are kept for a while."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from panelist.app.web.problems import ProblemError
from panelist.errors import PanelistError
from panelist.progress import Progress

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class JobState(StrEnum):
    """Where a job is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CancelledError(Exception):
    """A job that was cancelled has noticed it."""


@dataclass(slots=True, eq=False)
class Job(Generic[Result]):
    """One job. Read it at any time; only its own thread writes, but for `cancelled`."""

    id: str
    created: datetime
    state: JobState = JobState.WAITING
    stage: str = ""
    done: int = 0
    total: int = 0
    finished: datetime | None = None
    error: str | None = None
    result: Result | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def progress(self, stage: str, done: int, total: int) -> None:
        """See `Progress`."""
        if self.cancelled.is_set():
            raise CancelledError
        self.stage, self.done, self.total = stage, done, total


class Jobs(Generic[Result]):
    """The jobs of this server.

    Args:
        waiting: how many may wait for their turn.
        keep: how many finished ones are remembered.
        age: for how long.
    """

    def __init__(self, *, waiting: int = 8, keep: int = 16, age: timedelta = timedelta(hours=1)) -> None:
        self._waiting, self._keep, self._age = waiting, keep, age
        self._jobs: dict[str, Job[Result]] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="job")

    def start(self, work: Callable[[Progress], Result]) -> Job[Result]:
        """Begin a job, or put it into the queue.

        Raises:
            ProblemError: the queue is full.
        """
        self._forget()
        with self._lock:
            if sum(job.state is JobState.WAITING for job in self._jobs.values()) >= self._waiting:
                raise ProblemError(503, f"{self._waiting} jobs are waiting already", {"Retry-After": "30"})
            job: Job[Result] = Job(secrets.token_urlsafe(12), datetime.now(UTC))
            self._jobs[job.id] = job
        self._pool.submit(self._run, job, work)
        return job

    def get(self, job_id: str) -> Job[Result]:
        """A job.

        Raises:
            ProblemError: there is none of this id, or no more.
        """
        self._forget()
        with self._lock:
            if job_id not in self._jobs:
                raise ProblemError(404, f"there is no job '{job_id}': finished jobs are kept for {self._age}")
            return self._jobs[job_id]

    def cancel(self, job_id: str) -> Job[Result]:
        """Ask a job to stop: it does so at its next step."""
        job = self.get(job_id)
        with self._lock:
            job.cancelled.set()
            if job.state is JobState.WAITING:
                job.state, job.finished = JobState.CANCELLED, datetime.now(UTC)
        return job

    def close(self) -> None:
        """Cancel everything and wait until it has stopped."""
        with self._lock:
            for job in self._jobs.values():
                job.cancelled.set()
        self._pool.shutdown(cancel_futures=True)

    def _run(self, job: Job[Result], work: Callable[[Progress], Result]) -> None:
        with self._lock:
            if job.state is not JobState.WAITING:
                return
            job.state = JobState.RUNNING
        state = JobState.FAILED
        try:
            job.progress("starting", 0, 0)
            job.result = work(job.progress)
            state = JobState.DONE
        except CancelledError:
            state = JobState.CANCELLED
        except PanelistError as error:
            job.error = str(error)
        except Exception:
            logger.exception("job %s failed", job.id)
            job.error = "something went wrong on our side; the server's log has the details"
        with self._lock:
            job.state, job.finished = state, datetime.now(UTC)

    def _forget(self) -> None:
        """Forget finished jobs that are old, and the oldest beyond the number that is kept."""
        with self._lock:
            finished = sorted((job for job in self._jobs.values() if job.finished), key=lambda job: job.finished or 0)
            now = datetime.now(UTC)
            excess = len(finished) - self._keep
            for place, job in enumerate(finished):
                if place < excess or (job.finished is not None and now - job.finished > self._age):
                    del self._jobs[job.id]
