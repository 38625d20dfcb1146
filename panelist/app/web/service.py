"""The finder that serves, and its successor: a new index is served without a restart and without a lost request.

Every request borrows the current finder. When the index has a new generation, a finder for it is opened and warmed up
beside the old one, then becomes the current one; the old one is closed when the last of its requests returns it.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexing.encoders import EncoderFactory
from indexing.encoders.cache import load_for_queries
from indexing.jobs.generations import current_generation
from panelist.app.web.searching import CandidateMemory
from panelist.errors import IndexDirectoryError, PanelistError
from panelist.records import Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.kernels import compile_kernels
from retriever.lookup import Lookup

logger = logging.getLogger(__name__)


class _Loan:
    """A finder, and how many use it: requests, and the service as long as it is the current one."""

    def __init__(self, finder: Finder) -> None:
        self.finder, self.users = finder, 1


class FinderService:
    """Gives requests the finder of a workspace, and looks for a new index. Safe to share between threads.

    Kernels are loaded at the start, all of them; without `compiling`, when they are used.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        load: EncoderFactory = load_for_queries,
        seconds: float = 1.0,
        compiling: bool = True,
    ) -> None:
        self.workspace, self._compiling = workspace, compiling
        self.memory = CandidateMemory()
        self.load, self._seconds = load, seconds
        self._lock = threading.Lock()
        self._loan: _Loan | None = None
        self._waits = False
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="index-watcher", daemon=True)

    def start(self, *, wait: bool = False) -> bool:
        """Open the index and begin to watch it; return whether it is open.

        Where there is none yet, that is an error, unless `wait` lets it be served as soon as it has been built.
        """
        self._waits = wait and current_generation(self.workspace.index_path) is None
        if not self._waits:
            self._loan = _Loan(self._open())
        self._watcher.start()
        return not self._waits

    @contextmanager
    def finder(self) -> Iterator[Finder]:
        """Borrow the current finder: it stays open until it is returned, even if a new index is built meanwhile."""
        with self._lock:
            loan = self._loan
            if loan is None and self._waits:
                raise IndexDirectoryError(
                    "there is no index yet: import papers ('panelist import'), then run 'panelist index build'; "
                    "this server serves it as soon as it is built"
                )
            if loan is None:
                raise RuntimeError("the service has not been started, or is closed")
            loan.users += 1
        try:
            yield loan.finder
        finally:
            self._return(loan)

    def close(self) -> None:
        """Stop watching; the finder is closed as soon as nobody uses it."""
        self._stopped.set()
        self._waits = False
        if self._watcher.is_alive():
            self._watcher.join()
        self._replace(None)

    def refresh(self) -> bool:
        """Take up a new generation, if there is one; where it cannot be used, the old one goes on serving."""
        serving = self._serving()
        if (serving is None and not self._waits) or current_generation(self.workspace.index_path) in (None, serving):
            return False
        self._replace(_Loan(self._open()))
        return True

    def _serving(self) -> Path | None:
        with self._lock:
            return None if self._loan is None else self._loan.finder.index.path

    def _open(self) -> Finder:
        """A finder whose engines run and whose encoder is loaded, so that the first request is as fast as the rest."""
        finder = Finder.open(self.workspace, load=self.load)
        try:
            if self._compiling:
                compile_kernels()
            warm_up(finder)
        except BaseException:
            finder.close()
            raise
        return finder

    def _replace(self, loan: _Loan | None) -> None:
        with self._lock:
            old, self._loan = self._loan, loan
        if old is not None:
            self._return(old)

    def _return(self, loan: _Loan) -> None:
        with self._lock:
            loan.users -= 1
            unused = loan.users == 0
        if unused:
            loan.finder.close()

    def _watch(self) -> None:
        """Serve each new generation. What cannot be served is logged once, and the old index goes on serving."""
        failed: Path | None = None
        logged = ""
        while not self._stopped.wait(self._seconds):
            latest: Path | None = None
            try:
                if self._loan is not None:
                    with self.finder() as finder:
                        finder.read_history()  # what was imported meanwhile
                latest = current_generation(self.workspace.index_path)
                if (latest is None or latest != failed) and self.refresh():
                    logger.warning("serving the new index %s", self._serving())
                    logged = ""
            except Exception as error:
                failed = latest  # None where not even its name can be read
                if str(error) != logged:
                    logged = str(error)
                    expected = isinstance(error, PanelistError)
                    logger.error("the new index cannot be served: %s", error, exc_info=None if expected else error)


def warm_up(finder: Finder) -> None:
    """Find reviewers for a paper of the index."""
    if len(finder.index.units) == 0:
        return
    papers = finder.corpus.papers(finder.index.units.paper_ids([0])).values()
    title = next((paper.title or paper.abstract for paper in papers), "") or "warm-up"
    finder.find(Submission("warm-up", title), Lookup(size=1, diversity=0.5, sentences=True))
