"""A corpus of 200 papers, and the jobs of an index of it with an encoder that needs no weights."""

import pytest
from indexing_support import SHARD_SIZE, load_hashing, make_papers

from indexing.jobs import shards
from indexing.jobs.build import IndexJobs
from panelist.corpus.sqlite import SqliteStore


@pytest.fixture
def corpus(tmp_path):
    with SqliteStore(tmp_path / "corpus.sqlite") as store:
        store.upsert(make_papers(200))
        yield store


@pytest.fixture
def jobs(tmp_path):
    shards.encoder_of.cache_clear()
    return IndexJobs(tmp_path / "index", load=load_hashing, shard_size=SHARD_SIZE)
