"""Look-ups in processes beside the server's own: each maps the same index, and answers one question at a time.

The server itself speaks HTTP, encodes, knows who asks, keeps the queue, jobs and changes, and counts. So whatever
happens to a process, nothing is lost: what it does not answer, the server answers itself, and starts another one.
"""

import logging
import queue
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder
from indexing.text import Text
from panelist.app.web.requests import ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.app.web.service import FinderService
from panelist.errors import IndexDirectoryError, ModelError
from panelist.records import Panel
from panelist.workspace import Workspace
from retriever.filters import Filters
from retriever.finder import Finder

logger = logging.getLogger(__name__)

_SECONDS = 60.0  # for an answer; a process that takes longer is ended
_PAUSE = 2.0  # seconds before another process is started in the place of one that ended


class _Worker(NamedTuple):
    process: BaseProcess
    questions: Connection
    texts: Connection  # to be encoded


class Workers:
    """Some processes that look up reviewers. Safe to share between threads, each of which waits for its own answer."""

    def __init__(self, count: int, service: FinderService) -> None:
        self._service, self._closed = service, threading.Event()
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()  # the next request meets the same memory of searches
        self._workers: set[_Worker] = set()
        for _ in range(count):
            threading.Thread(target=self._keep, name="look-ups", daemon=True).start()

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
                worker.questions.send_bytes(b"\n".join((_state(finder), request.model_dump_json().encode())))
            if not worker.questions.poll(_SECONDS):
                raise EOFError(f"no answer within {_SECONDS:.0f} s")
            stages, _, content = worker.questions.recv_bytes().partition(b"\n")
        except (EOFError, OSError) as error:
            logger.warning("a process of look-ups does not answer: %s", error or type(error).__name__)
            self._workers.discard(worker)
            worker.process.kill()
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
            worker.process.kill()

    def _keep(self) -> None:
        """Have a process until the server closes: another one is started when one has ended."""
        context = get_context("spawn")
        while not self._closed.is_set():
            (questions, far_questions), (texts, far_texts) = context.Pipe(), context.Pipe()
            arguments = (far_questions, far_texts, self._service.workspace)
            process = context.Process(target=_serve, args=arguments, name="panelist-lookups", daemon=True)
            process.start()
            far_questions.close()
            far_texts.close()
            worker = _Worker(process, questions, texts)
            with suppress(EOFError, OSError):
                self._attend(worker)
            self._workers.discard(worker)
            process.kill()
            process.join()
            if not self._closed.wait(_PAUSE):
                logger.warning("a process of look-ups ended, another one is started")

    def _attend(self, worker: _Worker) -> None:
        """Encode what a process asks for, so that only the server has a model in memory; and hear that it is ready."""
        while not self._closed.is_set():
            name, texts = worker.texts.recv()
            if not name:
                self._workers.add(worker)
                self._free.put(worker)
                continue
            try:
                encoder = self._encoder(name)
                worker.texts.send((encoder.revision, encoder.dimension, encoder.encode(texts)))
            except Exception as error:  # it comes again in the server, whose log has it
                worker.texts.send(str(error))

    def _encoder(self, name: str) -> Encoder:
        """The one of the index that serves, unless a process opens another index before the server does."""
        with suppress(IndexDirectoryError), self._service.finder() as finder:
            if finder.index.manifest.encoder.name == name:
                return finder.index.encoder()
        return self._service.load(name)


class _LentEncoder:
    """An encoder in a process: the server's, asked over a connection."""

    def __init__(self, connection: Connection, lock: threading.Lock, name: str) -> None:
        self._connection, self._lock, self.name = connection, lock, name
        self.revision, self.dimension, _ = self._ask([])

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """As the server's does it, all at once."""
        return self._ask([*texts])[2]

    def _ask(self, texts: list[Text]) -> tuple[str, int, NDArray[np.float32]]:
        with self._lock:  # who watches the index may ask, too
            self._connection.send((self.name, texts))
            answer: tuple[str, int, NDArray[np.float32]] | str = self._connection.recv()
        if isinstance(answer, str):
            raise ModelError(answer)
        return answer


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


def _serve(questions: Connection, texts: Connection, workspace: Workspace) -> None:
    """What a process does until the server closes its end, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's to answer
    load = partial(_LentEncoder, texts, threading.Lock())
    service = FinderService(workspace, load=load, compiling=False)  # the server compiles
    service.start(wait=True)
    texts.send(("", []))  # ready
    with suppress(EOFError, OSError):
        while True:
            state, _, content = questions.recv_bytes().partition(b"\n")
            questions.send_bytes(_answer(service, state, content))
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
