"""Rankings by workers: each opens the workspace itself and ranks a part of the submissions."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain

from indexing.encoders.cache import EncoderLoader
from indexing.jobs.executors import Workers, in_order
from panelist.corpus.documents import batches
from panelist.records import Coverage, Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.lookup import Lookup

PART = 64  # submissions per task: enough for batched searches, few enough for many workers

Ranking = tuple[list[tuple[str, float]], Coverage | None]


def rank_by(
    workers: Workers,
    workspace: Workspace,
    submissions: Sequence[Submission],
    lookup: Lookup,
    load: EncoderLoader,
    lexical: str | None = None,
) -> Iterator[Ranking]:
    """What `Finder.rank_covered` returns, in the order of the submissions, by workers who see the same workspace."""
    tasks = (partial(_rank, workspace, batch, lookup, load, lexical) for batch in batches(submissions, PART))
    yield from chain.from_iterable(in_order(workers, tasks))


def _rank(
    workspace: Workspace, submissions: Sequence[Submission], lookup: Lookup, load: EncoderLoader, lexical: str | None
) -> list[Ranking]:
    return list(_finder(workspace, load, lexical).rank_covered(submissions, lookup))


@lru_cache(maxsize=1)
def _finder(workspace: Workspace, load: EncoderLoader, lexical: str | None) -> Finder:
    """The finder of this process: opened by its first part, and used by the others."""
    return Finder.open(workspace, load=load, lexical=lexical)
