"""Background jobs: one at a time, with status, progress and cancel. Jobs and their results are files, not memory.

Each job has a directory with `job.json` and the files that its work writes. A server that is killed loses no finished
job; what had not finished says after the restart that it is lost.
"""

import logging
import secrets
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Self

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct, field
from msgspec.structs import asdict

from panelist.app.access.roles import Permission, User
from panelist.app.web.problems import OUR_FAULT, ProblemError
from panelist.errors import InputError, PanelistError
from panelist.files import write_whole
from panelist.progress import Progress
from panelist.words import without_directories

logger = logging.getLogger(__name__)

_RECORD = "job.json"


class JobState(StrEnum):
    """Where a job is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


class CancelledError(Exception):
    """A job that was cancelled has noticed it."""


class StoredJob(Struct, kw_only=True, eq=False):
    """What is stored of a job."""

    id: str
    created: datetime = field(default_factory=partial(datetime.now, UTC))
    owner: str = ""  # the user who began it; empty where there are no users
    conference: str = ""  # that it works for; empty where it works for none
    state: JobState = JobState.WAITING
    finished: datetime | None = None
    error: str | None = None


class QueuedJob(StoredJob, kw_only=True, eq=False):
    """One job. Read it at any time; only its own thread writes, but for `cancelled`."""

    directory: Path
    client: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    cancelled: threading.Event = field(default_factory=threading.Event)
    forgotten: bool = False
    _stage_began: tuple[float, int] = (0.0, 0)

    def progress(self, stage: str, done: int, total: int) -> None:
        """Keep how far the job is; a cancelled one ends here."""
        if self.cancelled.is_set():
            raise CancelledError
        if stage != self.stage:
            self._stage_began = time.monotonic(), done
        self.stage, self.done, self.total = stage, done, total

    @property
    def seconds_left(self) -> float | None:
        """Until the end of this stage, at its pace so far; None where nobody can tell yet."""
        began, before = self._stage_began
        if self.state is not JobState.RUNNING or self.done <= before or self.total < self.done:
            return None
        return (time.monotonic() - began) * (self.total - self.done) / (self.done - before)

    @property
    def result(self) -> str | None:
        """The address of its result; None before it is there, and where it is a conference's."""
        results = {"result.csv": f"/api/v1/jobs/{self.id}/result", "assignment.csv": f"/api/v1/assignments/{self.id}"}
        addresses = (address for file, address in results.items() if (self.directory / file).exists())
        return next(addresses, None) if self.state is JobState.DONE else None

    def store(self, **changes: object) -> None:
        """Write its record, with what is about to change."""
        record = {name: getattr(self, name) for name in StoredJob.__struct_fields__}
        write_whole(self.directory / _RECORD, msgspec.json.encode(record | changes))

    def end(self, state: JobState, error: str | None = None) -> None:
        """The job is over, for good: its record is on disk before anybody is told, unless the disk is full."""
        finished = datetime.now(UTC)
        try:
            self.store(state=state, finished=finished, error=error)
        except InputError as failure:
            logger.warning("job %s is %s, which is not stored: %s", self.id, state.value, failure)
        self.error, self.finished, self.state = error, finished, state


Work = Callable[[Progress, Path], None]  # does a job, and writes its result into the directory


class Jobs:
    """The jobs of this server, in a directory that only one server at a time uses; a second one uses another.

    So many may wait for their turn, half of them from one client address; `most` finished ones stay for some time.
    """

    def __init__(
        self, directory: Path, *, waiting: int = 8, most: int = 16, age: timedelta = timedelta(days=1)
    ) -> None:
        self._waiting, self._most, self._age = waiting, most, age
        self._directory, self._directory_lock = _locked(directory)
        self._jobs = {job.id: job for job in map(_read, self._directory.glob(f"*/{_RECORD}")) if job is not None}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="job")
        self._viewer: User | None = None

    def seen_by(self, viewer: User) -> Self:
        """The jobs as a user sees them: those that the user began, and those of conferences that the user chairs."""
        seen = copy(self)
        seen._viewer = viewer
        return seen

    def _sees(self, job: QueuedJob) -> bool:
        viewer = self._viewer
        if viewer is None or job.owner == viewer.name or viewer.may(Permission.ADMINISTER):
            return True
        return bool(job.conference) and viewer.may(Permission.WHOLE, job.conference)

    def states(self) -> dict[str, int]:
        """How many jobs are in each state."""
        with self._lock:
            counts = Counter(job.state for job in self._jobs.values())
        return {state.value: counts[state] for state in JobState}

    def start(self, work: Work, client: str = "", conference: str = "") -> QueuedJob:
        """Begin a job, or put it into the queue."""
        self._forget()
        with self._lock:
            waiting = [job.client for job in self._jobs.values() if job.state is JobState.WAITING]
            if len(waiting) >= self._waiting:
                raise ProblemError(503, f"{self._waiting} jobs are waiting already", {"Retry-After": "30"})
            share = max(1, self._waiting // 2)
            if waiting.count(client) >= share:
                raise ProblemError(429, f"{share} of your jobs are waiting already", {"Retry-After": "30"})
            name = secrets.token_urlsafe(12)
            owner = self._viewer.name if self._viewer else ""
            directory = self._directory / name
            job = QueuedJob(id=name, directory=directory, client=client, owner=owner, conference=conference)
            job.directory.mkdir(mode=0o700)
            job.store()
            self._jobs[name] = job
        self._pool.submit(self._run, job, work)
        return job

    def get(self, job_id: str) -> QueuedJob:
        """The job of this id; refused where there is none, or no longer."""
        job = self.find(job_id)
        if job is None:
            raise ProblemError(404, f"there is no job '{job_id}': the last {self._most} stay for {self._age}")
        return job

    def find(self, job_id: str) -> QueuedJob | None:
        """A job; None where there is none with this id, or no longer, or where it is somebody else's."""
        self._forget()
        with self._lock:
            job = self._jobs.get(job_id)
            return job if job is not None and self._sees(job) else None

    def cancel(self, job_id: str) -> QueuedJob:
        """Ask a job to stop: it does so at its next step."""
        job = self.get(job_id)
        with self._lock:
            job.cancelled.set()
            if job.state is JobState.WAITING:
                job.end(JobState.CANCELLED)
        return job

    def forget(self, job_id: str) -> None:
        """Cancel a job and delete what is stored of it; one that runs, when it has stopped."""
        job = self.cancel(job_id)
        with self._lock:
            job.forgotten = True
            if job.finished:
                self._delete(job)

    def close(self) -> None:
        """Cancel everything and wait until it has stopped."""
        with self._lock:
            for job in self._jobs.values():
                job.cancelled.set()
        self._pool.shutdown(cancel_futures=True)
        if self._directory_lock is None:
            shutil.rmtree(self._directory, ignore_errors=True)
        else:
            self._directory_lock.release()

    def _run(self, job: QueuedJob, work: Work) -> None:
        with self._lock:
            if job.state is not JobState.WAITING:
                return
            job.state = JobState.RUNNING
        state, error = JobState.FAILED, None
        try:
            job.progress("starting", 0, 0)
            work(job.progress, job.directory)
            state = JobState.DONE
        except CancelledError:
            state = JobState.CANCELLED
        except PanelistError as reason:
            error = without_directories(str(reason))
        except Exception:
            logger.exception("job %s failed", job.id)
            error = OUR_FAULT
        with self._lock:
            job.end(state, error)
            if job.forgotten:
                self._delete(job)

    def _forget(self) -> None:
        """Delete finished jobs that are old, and the oldest beyond the number that stays."""
        with self._lock:
            ends = sorted((job.finished, job.id) for job in self._jobs.values() if job.finished)
            for number, (finished, name) in enumerate(reversed(ends)):
                if number >= self._most or datetime.now(UTC) - finished > self._age:
                    self._delete(self._jobs[name])

    def _delete(self, job: QueuedJob) -> None:
        self._jobs.pop(job.id, None)
        shutil.rmtree(job.directory, ignore_errors=True)


def _locked(directory: Path) -> tuple[Path, FileLock | None]:
    """The directory and the lock on it; a temporary one without a lock where this one cannot be used."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(directory / ".lock")
        lock.acquire(blocking=False)
    except (Timeout, OSError) as error:
        logger.warning("jobs will not survive a restart, '%s' cannot be used: %s", directory, error)
        return Path(tempfile.mkdtemp(prefix="panelist-jobs-")), None
    return directory, lock


def _read(file: Path) -> QueuedJob | None:
    """A job of an earlier server; one that it had not finished is lost. None if the file is not the record of a job."""
    try:
        stored = msgspec.json.decode(file.read_bytes(), type=StoredJob)
    except (OSError, msgspec.DecodeError) as error:
        logger.warning("'%s' is not a job: %s", file, error)
        return None
    job = QueuedJob(directory=file.parent, **asdict(stored))
    if job.finished is None:
        job.end(JobState.LOST, "the server was stopped before this job had finished: send it again")
    return job
