"""Rows into a Milvus collection by workers: each inserts the new units of one shard."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from indexing.jobs.executors import Workers, explaining_lost_workers
from indexing.jobs.shards import ShardFile
from indexing.lexical.milvus import MilvusWriter, insert_rows


def insert_by_workers(
    writer: MilvusWriter,
    shards: Sequence[ShardFile],
    first: int,
    workers: Workers,
    progress: Callable[[int], None],
) -> None:
    """Have workers insert the rows of all shards; whatever the last commit has is left out.

    Args:
        writer: commits after each shard, in order.
        shards: in order.
        first: the number of the first new unit of all shards.
        workers: they see the shard files under the same paths.
        progress: called with the number of units inserted so far.
    """
    waiting: deque[tuple[int, Future[bool]]] = deque()
    done, began = writer.last, first

    def finish_first() -> None:
        last, future = waiting.popleft()
        with explaining_lost_workers():
            writer.note_inserted(last, has_words=future.result())
        writer.commit()
        progress(last + 1 - began)

    try:
        for shard in shards:
            count = len(shard.array("digests"))
            if first + count - 1 > done:
                task = workers.executor.submit(
                    _insert, writer.engine, writer.collection, shard.path, first, writer.has_vectors
                )
                waiting.append((first + count - 1, task))
            first += count
            if len(waiting) >= 2 * workers.count:
                finish_first()
        while waiting:
            finish_first()
    finally:
        for _, future in waiting:
            future.cancel()


def _insert(engine: str, collection: str, path: Path, first: int, with_vectors: bool) -> bool:
    shard = ShardFile(path)
    texts = [text.plain() for text in shard.texts()]
    return insert_rows(engine, collection, first, texts, shard.array("vectors") if with_vectors else None)
