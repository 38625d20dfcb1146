"""Past one machine, as ratios in one run: Milvus against Lucene, two Dask workers against one, memory against papers.

    python benchmarks/scale.py [--papers N] [--engine milvus://HOST:PORT] [--millions N]
                                [--only milvus|dask|memory|terms]

- milvus: papers written per second, batches of 100 abstracts, and the same under a mask of 30 % of the papers; and how
  many of Lucene's 100 best Milvus finds. Without --engine the server of the package milvus-lite is started.
- dask: a build with an encoder that sleeps 10 ms per paper, by one worker process and by two.
- memory: the peak of anonymous memory of joining shards of synthetic papers, at a fifth of --millions and at all.
- terms: what finding by the rarest words does to the best papers, and to processor time. Beyond the abstracts of the
  Anthology, documents are halves of two of them.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.jobs.build import IndexJobs
from indexing.jobs.executors import Workers
from indexing.jobs.shards import Job, ShardFile, encoder_of, process_shard, shard_path
from indexing.lexical import open_lexical, write_lexical
from indexing.lexical.engine import LexicalIndex
from indexing.text import Text
from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.sqlite import SqliteStore
from panelist.records import Author, Authorship, Institution, Paper

BATCH, DEPTH, SHARE = 100, 1000, 0.3
ROUNDS = 5
SHARD, DIMENSION = 50_000, 8


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers", type=int, default=20_000)
    parser.add_argument("--engine")
    parser.add_argument("--only", choices=["milvus", "dask", "memory", "terms"])
    parser.add_argument("--millions", type=float, default=5.0)
    parser.add_argument("--join", nargs=2, metavar=("SHARDS", "DIRECTORY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.join:
        join_here(int(options.join[0]), Path(options.join[1]))
        return
    parts = {"milvus": measure_milvus, "dask": measure_dask, "memory": measure_memory, "terms": measure_terms}
    for name, measure in parts.items():
        if options.only in (None, name):
            measure(options)


def abstracts(count: int) -> list[str]:
    """The texts of papers of the ACL Anthology."""
    papers = openalex.read([data_dir() / "acl" / "works"], ReadReport())
    texts = (Text.of(paper) for paper in papers)
    return [text.plain() for text, _ in zip((one for one in texts if one.abstract), range(count), strict=False)]


def measure_milvus(options: argparse.Namespace) -> None:
    """Writing and searching, against Lucene."""
    texts = abstracts(options.papers)
    queries = texts[:: max(1, len(texts) // BATCH)][:BATCH]
    allowed = np.random.default_rng(0).random(len(texts)) < SHARE
    with tempfile.TemporaryDirectory() as directory, milvus_server(options.engine, Path(directory)) as engine:
        indexes: dict[str, LexicalIndex] = {}
        writing: dict[str, float] = {}
        for name, where in (("lucene", "lucene"), ("milvus", engine)):
            path = Path(directory, name)
            began = time.perf_counter()
            with write_lexical(path, where) as writer:
                for start in range(0, len(texts), 2_000):
                    part = texts[start : start + 2_000]
                    writer.add(range(start, start + len(part)), part)
            writing[name] = time.perf_counter() - began
            indexes[name] = open_lexical(path, where)
        print(f"{len(texts):,} abstracts of the ACL Anthology, {len(queries)} of them as queries, depth {DEPTH}")
        ratio("writing", writing["lucene"], writing["milvus"], "0.4")
        for label, mask, bar in (("batch of 100", None, "0.5"), ("batch of 100, 30 % allowed", allowed, "1.0")):
            seconds: dict[str, list[float]] = {name: [] for name in indexes}
            for _ in range(ROUNDS + 1):  # the first warms up
                for name, index in indexes.items():
                    began = time.perf_counter()
                    index.search(queries, DEPTH, allowed=mask)
                    seconds[name].append(time.perf_counter() - began)
            ratio(label, float(np.median(seconds["lucene"][1:])), float(np.median(seconds["milvus"][1:])), bar)
        found = {name: index.search(queries, 100).units for name, index in indexes.items()}
        print(f"  overlap of the 100 best: {overlap(found['lucene'], found['milvus']):.4f}")
        for index in indexes.values():
            index.close()


def ratio(label: str, lucene: float, milvus: float, bar: str) -> None:
    """One line: how fast Milvus is, measured by Lucene."""
    print(f"  {label}: Lucene {lucene:.2f} s, Milvus {milvus:.2f} s: {lucene / milvus:.2f} times (at least {bar})")


def overlap(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """The mean share of the units of `one` that are in `other`."""
    return float(np.mean([np.isin(a[a >= 0], b).mean() for a, b in zip(one, other, strict=True)]))


@contextmanager
def milvus_server(engine: str | None, directory: Path) -> Iterator[str]:
    """The server that was given, else one that is started: the binary of milvus-lite."""
    if engine is not None:
        yield engine
        return
    package = find_spec("milvus_lite")
    if package is None or not package.submodule_search_locations:
        sys.exit("no Milvus server: give --engine, or install milvus-lite")
    libraries = Path(package.submodule_search_locations[0], "lib")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(libraries / "milvus"), str(directory / "milvus.db"), f"127.0.0.1:{port}", "ERROR"]
    server = subprocess.Popen(command, cwd=directory, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.1)
        yield f"milvus://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


class SleepingEncoder:
    """Takes some seconds per paper without a processor, as a graphics processor or another machine does."""

    name, revision, dimension = "sleeping", "1", DIMENSION

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def encode(self, texts: Sequence[Text], progress: object = None) -> NDArray[np.float32]:
        """Sleep, then return directions that differ."""
        time.sleep(self._seconds * len(texts))
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), DIMENSION)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def load_sleeping(name: str) -> SleepingEncoder:
    """The encoder of 10 ms, for workers."""
    return SleepingEncoder(0.01)


def load_constant(name: str) -> SleepingEncoder:
    """The encoder that takes no time."""
    return SleepingEncoder(0)


def measure_dask(options: argparse.Namespace) -> None:
    """A build by one worker process and by two."""
    import scale  # by a name that workers can import
    from distributed import Client, LocalCluster

    seconds = {}
    with tempfile.TemporaryDirectory() as directory, SqliteStore(Path(directory, "corpus.sqlite")) as corpus:
        corpus.upsert(Paper(f"p:{number}", f"graph mouse {number}", "", 2000) for number in range(2_000))
        for count in (1, 2):
            encoder_of.cache_clear()
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None)
            with cluster, Client(cluster) as client:
                client.run(lambda: __import__("indexing.jobs.shards"))  # imports are not what is measured
                workers = Workers(client.get_executor(pure=False, retries=2), count)
                jobs = IndexJobs(Path(directory, str(count)), load=scale.load_sleeping, workers=workers, shard_size=50)
                began = time.perf_counter()
                jobs.build(corpus, encoder="sleeping", engine="bm25s")
                seconds[count] = time.perf_counter() - began
    print("2,000 papers at 10 ms each, in shards of 50, by Dask workers of one thread")
    print(f"  one {seconds[1]:.1f} s, two {seconds[2]:.1f} s: {seconds[1] / seconds[2]:.2f} times (at least 1.8)")


def measure_memory(options: argparse.Namespace) -> None:
    """The peak of joining a fifth of the papers, and all of them, each in a process of its own."""
    peaks = []
    for millions in (options.millions / 5, options.millions):
        shards = round(millions * 1e6 / SHARD)
        with tempfile.TemporaryDirectory(dir=Path.cwd().parent) as directory:
            for number in range(shards):
                synthetic_shard(Path(directory), number, round(millions * 1e6))
            command = [sys.executable, __file__, "--join", str(shards), directory]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        peaks.append(found["peak"])
        print(f"  {millions:g} million papers: peak {found['peak']:,.0f} MB, {found['seconds']:.0f} s", flush=True)
    print(f"  five times the papers: {peaks[1] / peaks[0]:.2f} times the memory (at most 1.2)")


def synthetic_shard(work: Path, number: int, papers: int) -> None:
    """A shard of papers with three authors each, of one author per paper all in all, at one of 20,000 institutions."""
    random = np.random.default_rng(number)
    chosen, employers = random.integers(papers, size=(SHARD, 3)), random.integers(20_000, size=(SHARD, 3))
    made = [
        Paper(
            f"https://openalex.org/W{number * SHARD + row}",
            f"Paper {number * SHARD + row}",
            year=2020,
            authorships=tuple(
                Authorship(
                    Author(f"https://openalex.org/A{5_000_000_000 + person}", f"Person {person}"),
                    institutions=(Institution(f"Institution {where}", f"https://ror.org/{where}", "XA"),),
                )
                for person, where in zip(people, places, strict=True)
            ),
        )
        for row, (people, places) in enumerate(zip(chosen.tolist(), employers.tolist(), strict=True))
    ]
    process_shard(Job(work, "constant", load_constant, None), number, made)


def join_here(shards: int, work: Path) -> None:
    """Join shards and print the peak of this process; pages of mapped files, which the system can take back, apart."""
    import threading

    from indexing.jobs.join import join_shards
    from indexing.tables.units import Units

    peak, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            status = Path("/proc/self/status").read_text()
            peak[0] = max(peak[0], int(status.split("RssAnon:")[1].split()[0]) / 1024)

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    join_shards(
        Units.empty(), [ShardFile(shard_path(work, number)) for number in range(shards)], work / "out", work / "tmp"
    )
    seconds = time.perf_counter() - began
    done.set()
    watcher.join()
    print(json.dumps({"peak": peak[0], "seconds": seconds}))


def measure_terms(options: argparse.Namespace) -> None:
    """Finding by the rarest words, on Lucene: the same best papers, and processor time."""
    texts = abstracts(options.papers)
    queries = texts[:: max(1, len(texts) // BATCH)][:BATCH]
    with tempfile.TemporaryDirectory(dir=Path.cwd().parent) as directory:
        with write_lexical(Path(directory), "lucene") as writer:
            for start in range(0, options.papers, 5_000):
                writer.add(units := range(start, min(start + 5_000, options.papers)), [mixed(texts, n) for n in units])
        print(f"{options.papers:,} documents of abstracts of the ACL Anthology, {len(queries)} abstracts as queries")
        for depth in (100, DEPTH):
            expected, whole = searched(Path(directory), queries, depth, 0)
            for terms in (30, 40, 60):
                found, seconds = searched(Path(directory), queries, depth, terms)
                share, times = overlap(expected, found), whole / seconds
                print(f"  {terms} rarest words: overlap of the {depth} best {share:.3f}, {times:.2f} times as fast")


def mixed(texts: Sequence[str], number: int) -> str:
    """Abstract `number`; beyond the last one, half of one abstract and half of another."""
    turn, row = divmod(number, len(texts))
    if turn == 0:
        return texts[row]
    one, other = texts[row].split(), texts[(row * 7_919 + turn * 104_729) % len(texts)].split()
    return " ".join(one[: len(one) // 2] + other[len(other) // 2 :])


def searched(path: Path, queries: Sequence[str], depth: int, terms: int) -> tuple[NDArray[np.int64], float]:
    """The hits, and the least processor time of a batch."""
    seconds = []
    with open_lexical(path, "lucene", terms) as index:
        for _ in range(4):  # the first warms up
            began = time.process_time()
            found = index.search(queries, depth)
            seconds.append(time.process_time() - began)
    return found.units, min(seconds[1:])


if __name__ == "__main__":
    main()
