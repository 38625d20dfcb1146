"""Builds by other processes: a real Dask cluster, worker processes, and what is said when they cannot be had."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import indexing_support as support
import numpy as np
import pytest
from dask_support import Cluster
from indexing_support import SHARD_SIZE, load_hashing, make_papers
from waiting import until

from indexing.index import open_index
from indexing.jobs import shards
from indexing.jobs.build import IndexJobs
from indexing.jobs.check import check_index
from indexing.jobs.executors import DistributedEncoder, Workers, open_workers
from indexing.jobs.shards import Job, process_shard, shard_path
from indexing.text import Text
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import EngineError, InputError
from panelist.workspace import Workspace

# Whatever Dask and tornado leave to the garbage collector is not ours to close.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
PAPERS = make_papers(300)
PARTS = ("units", "ownership", "affiliations", "vectors")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path_factory.mktemp("dask"), 2)
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def fresh_encoder():
    shards.encoder_of.cache_clear()


@pytest.fixture
def corpus(tmp_path):
    with SqliteStore(tmp_path / "corpus.sqlite") as store:
        store.upsert(PAPERS)
        yield store


def checksums(jobs, corpus):
    with open_index(jobs.path, load=load_hashing) as index:
        assert check_index(index, corpus) == []
        return {name: file for name, file in index.manifest.files.items() if name.startswith(PARTS)}


def built(path, corpus, workers=None, load=load_hashing):
    jobs = IndexJobs(path, load=load, workers=workers, shard_size=SHARD_SIZE)
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    return checksums(jobs, corpus)


def test_workers_make_what_this_process_makes(tmp_path, corpus, cluster):
    expected = built(tmp_path / "here", corpus)
    for name in (cluster.name, "processes:2"):
        with open_workers(name) as workers:
            assert workers.count == 2
            assert built(tmp_path / name.partition(":")[0], corpus, workers) == expected


@pytest.mark.parametrize("with_nanny", [False, True])
def test_a_killed_worker_costs_its_shard_only(tmp_path, corpus, cluster, with_nanny):
    expected = built(tmp_path / "here", corpus)
    victim = cluster.pids()[0]

    def kill():
        until(lambda: list((tmp_path / "killed").rglob("shard-*.npz")))
        if with_nanny:
            cluster.workers[0].kill()
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with open_workers(cluster.name) as workers:
        assert built(tmp_path / "killed", corpus, workers, support.load_slow) == expected
    killer.join()
    if with_nanny:
        cluster.workers[0].wait()
        cluster.workers[0] = cluster.start_worker()
    cluster.wait_for(2)


def test_a_killed_driver_resumes_where_it_stopped(tmp_path, cluster):
    workspace = Workspace(tmp_path / "w")
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(PAPERS)
        expected = built(tmp_path / "here", corpus)
    command = [sys.executable, "-W", "ignore", support.__file__, str(workspace.path), "build", "--executor"]
    killed = subprocess.run([*command, cluster.name, "--kill-at", "25"], check=False, capture_output=True)
    assert killed.returncode == -9
    assert list(workspace.index_path.glob("build-*"))
    subprocess.run([*command, cluster.name], check=True, capture_output=True)
    with workspace.open_corpus() as corpus:
        assert checksums(IndexJobs(workspace.index_path), corpus) == expected


def test_the_same_shard_by_several_workers_at_once(tmp_path):
    job = Job(tmp_path, "hashing", load_hashing)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: process_shard(job, 0, PAPERS[:50]), range(8)))
    assert [path.name for path in tmp_path.iterdir()] == [shard_path(tmp_path, 0).name]


def test_only_few_shards_are_submitted_at_once(tmp_path, corpus):
    waiting, most = set(), []

    class Counting(ThreadPoolExecutor):
        def submit(self, *arguments, **more):
            future = super().submit(*arguments, **more)
            waiting.add(future)
            most.append(sum(not one.done() for one in waiting))
            return future

    with Counting(1) as pool:
        built(tmp_path / "index", corpus, Workers(pool, 1), support.load_slow)
    assert max(most) <= 2


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("ray://host", InputError, r"executor 'ray://host'.*processes:N.*dask://"),
        ("processes:0", InputError, "unknown executor"),
        ("dask://", InputError, "unknown executor"),
        ("dask://127.0.0.1:1", EngineError, r"'tcp://127.0.0.1:1': .*'dask scheduler'"),
    ],
)
def test_unknown_or_unreachable_executor_is_refused(name, error, message, monkeypatch):
    monkeypatch.setattr("indexing.jobs.executors._CONNECT_SECONDS", 1)
    with pytest.raises(error, match=message), open_workers(name):
        pass


def test_a_pool_that_lost_its_workers_is_one_line(tmp_path, corpus):
    with (
        open_workers("processes:1") as workers,
        pytest.raises(EngineError, match=r"worker died.*same command"),
    ):
        built(tmp_path / "index", corpus, workers, support.load_deadly)


def test_workers_encode_what_the_encoder_does(cluster, monkeypatch):
    monkeypatch.setattr("indexing.jobs.executors._CHUNK", 7)
    texts = [Text(paper.title, paper.abstract) for paper in PAPERS if paper.title]
    counts = []
    with open_workers(cluster.name) as workers:
        encoder = DistributedEncoder(load_hashing, workers, "hashing")
        vectors = encoder.encode(texts, counts.append)
    expected = load_hashing("hashing")
    np.testing.assert_allclose(vectors, expected.encode(texts), atol=1e-6)
    assert (encoder.name, encoder.revision, encoder.dimension) == (
        expected.name,
        expected.revision,
        expected.dimension,
    )
    assert sum(counts) == len(texts)
