"""Rows into a Milvus collection by workers: each inserts the new units of one shard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np

from indexing.jobs.executors import Workers, in_order
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
    ends = (first + np.cumsum([len(shard.array("digests")) for shard in shards])).tolist()
    missing = [
        (begin, end, shard)
        for shard, begin, end in zip(shards, [first, *ends], ends, strict=False)
        if end - 1 > writer.last
    ]
    tasks = [
        partial(_insert, writer.engine, writer.collection, shard.path, begin, writer.has_vectors)
        for begin, _, shard in missing
    ]
    with closing(in_order(workers, tasks)) as inserted:
        for (_, end, _), has_words in zip(missing, inserted, strict=True):
            writer.note_inserted(end - 1, has_words=has_words)
            writer.commit()
            progress(end - first)


def _insert(engine: str, collection: str, path: Path, first: int, with_vectors: bool) -> bool:
    shard = ShardFile(path)
    texts = [text.plain() for text in shard.texts()]
    return insert_rows(engine, collection, first, texts, shard.array("vectors") if with_vectors else None)
