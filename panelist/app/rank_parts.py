"""Rankings by workers: each opens the workspace itself and ranks a part of the submissions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache

from indexing.jobs.executors import Workers, explaining_lost_workers
from panelist.corpus.documents import batches
from panelist.records import Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.lookup import Lookup

PART = 64
"""Submissions per task: enough for batched searches, few enough for many workers."""

Ranking = list[tuple[str, float]]


def rank_by(
    workers: Workers, workspace: Workspace, submissions: Sequence[Submission], lookup: Lookup
) -> Iterator[Ranking]:
    """What `Finder.rank` returns, in the order of the submissions, made by workers who see the same workspace."""
    waiting: deque[Future[list[Ranking]]] = deque()
    try:
        for part in batches(submissions, PART):
            waiting.append(workers.executor.submit(_rank, workspace, part, lookup))
            if len(waiting) >= 2 * workers.count:
                yield from _next(waiting)
        while waiting:
            yield from _next(waiting)
    finally:
        for future in waiting:
            future.cancel()


def _next(waiting: deque[Future[list[Ranking]]]) -> list[Ranking]:
    with explaining_lost_workers():
        return waiting.popleft().result()


def _rank(workspace: Workspace, submissions: Sequence[Submission], lookup: Lookup) -> list[Ranking]:
    return list(_finder(workspace).rank(submissions, lookup))


@lru_cache(maxsize=1)
def _finder(workspace: Workspace) -> Finder:
    """The finder of this process: opened by its first part, kept for the others."""
    return Finder.open(workspace)
