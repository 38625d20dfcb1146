"""Look-ups in processes beside the server's own: each maps the same index, and answers one question at a time.

The server itself speaks HTTP, knows who asks, keeps the queue, jobs and changes, and counts. So whatever happens to one
of these processes, nothing is lost: what it does not answer, the server answers itself, and another one is started.
"""

import logging
import queue
import signal
import threading
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from indexing.encoders import EncoderFactory
from panelist.app.web.requests import ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.app.web.service import FinderService
from panelist.errors import IndexDirectoryError
from panelist.records import Panel
from panelist.workspace import Workspace
from retriever.filters import Filters
from retriever.finder import Finder

logger = logging.getLogger(__name__)

_SECONDS = 60.0  # for an answer; a process that takes longer is ended
_PAUSE = 2.0  # seconds before another process is started in the place of one that ended


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


class Workers:
    """Some processes that look up reviewers. Safe to share between threads, each of which waits for its own answer."""

    def __init__(self, count: int, service: FinderService) -> None:
        self._service, self._closed = service, threading.Event()
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()  # the next request meets the same memory of searches
        self._workers: set[_Worker] = set()
        for _ in range(count):
            threading.Thread(target=self._begin, daemon=True).start()

    def __len__(self) -> int:
        """How many are ready to answer."""
        return len(self._workers)

    def find(self, request: ReviewersRequest, timings: Timings) -> bytes | None:
        """The answer to a request as JSON; None where no process is free, or the server has to answer itself."""
        try:
            worker = self._free.get_nowait()
        except queue.Empty:
            return None
        try:
            with self._service.finder() as finder:  # answers of one server rest on the same
                worker.connection.send_bytes(b"\n".join((_state(finder), request.model_dump_json().encode())))
            if not worker.connection.poll(_SECONDS):
                raise EOFError(f"no answer within {_SECONDS:.0f} s")
            stages, _, content = worker.connection.recv_bytes().partition(b"\n")
        except (EOFError, OSError) as error:
            self._replace(worker, error)
            return None
        except IndexDirectoryError:
            stages = content = b""
        self._free.put(worker)
        timings.add(stages.decode())
        return content or None

    def close(self) -> None:
        """End all of them."""
        self._closed.set()
        for worker in list(self._workers):
            _end(worker)

    def _replace(self, worker: _Worker, error: Exception) -> None:
        self._workers.discard(worker)
        _end(worker)
        if not self._closed.is_set():
            logger.warning("a process of look-ups ended, another one is started: %s", error or type(error).__name__)
            threading.Timer(_PAUSE, self._begin).start()

    def _begin(self) -> None:
        """Start a process, and wait until it is ready to be asked."""
        if self._closed.is_set():
            return
        context = get_context("spawn")
        near_end, far_end = context.Pipe()
        arguments = (far_end, self._service.workspace, self._service.load)
        process = context.Process(target=_serve, args=arguments, name="panelist-lookups", daemon=True)
        process.start()
        far_end.close()
        worker = _Worker(process, near_end)
        try:
            worker.connection.recv_bytes()
        except (EOFError, OSError) as error:
            self._replace(worker, error)
            return
        self._workers.add(worker)
        self._free.put(worker)
        if self._closed.is_set():
            _end(worker)


def look_up(
    service: FinderService, request: ReviewersRequest, timings: Timings, only: list[str] | None = None
) -> tuple[Panel, PanelOut]:
    """Find reviewers with the index that serves, and the answer made of them; `only` is a short list."""
    submission, lookup = request.records()
    if only is not None:  # the same search and scores
        filters = Filters(only=tuple(only))
        lookup = replace(lookup, filters=filters, size=max(1, len(only)), per_paper=None, diversity=0.0)
    with service.finder() as finder:
        panel = finder.find(submission, lookup, search=RememberingSearch(service.memory, timings))
        absent = list({conflict.reviewer for conflict in panel.hidden + panel.held_back})
        people = finder.corpus.authors(absent) if absent else {}
        return panel, PanelOut.of_panel(panel, people, lookup.aggregation)


def _state(finder: Finder) -> bytes:
    """What answers rest on: the generation of the index, and the history of reviews."""
    return f"{finder.index.path.name} {finder.history_is}".encode()


def _end(worker: _Worker) -> None:
    worker.process.terminate()
    worker.process.join(_PAUSE)
    if worker.process.is_alive():
        worker.process.kill()
    worker.connection.close()


def _serve(connection: Connection, workspace: Workspace, load: EncoderFactory) -> None:
    """What a process does until the server closes its end, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's to answer
    service = FinderService(workspace, load=load, compiling=False)  # the server compiles
    service.start(wait=True)
    connection.send_bytes(b"ready")
    with suppress(EOFError, OSError):
        while True:
            state, _, content = connection.recv_bytes().partition(b"\n")
            connection.send_bytes(_answer(service, state, content))
    service.close()


def _answer(service: FinderService, state: bytes, content: bytes) -> bytes:
    """The stages' times, and the answer; only these where the server has to answer itself, and say what is wrong."""
    timings = Timings()
    try:
        with service.finder() as finder:
            if _state(finder) == state:
                _, answer = look_up(service, ReviewersRequest.model_validate_json(content), timings)
                return b"\n".join((timings.header().encode(), answer.model_dump_json().encode()))
    except Exception as error:  # it comes again in the server, whose log has it
        logger.info("the server answers itself: %s", error)
    return b"\n"
