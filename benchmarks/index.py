"""Papers per second of each stage of an index build, peak memory and bytes per paper, on eLife and the ACL Anthology.

    python benchmarks/index.py [--limit N] [--engine lucene|bm25s] [--dense KIND] [--encoder NAME] [--workspace DIR]

The build runs as `panelist index build` runs it. Texts that are in the embedding cache are not encoded again: the line
`encode` is what the encoder really did, `cache` all that came out of the cache. Then the last hundredth of the papers,
held back so far, comes in by `add`, and a fresh interpreter opens the index, as every command does. A workspace that is
given is kept, and its corpus is used as it is.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from indexing.encoders.cache import CachedEncoder
from indexing.jobs.build import IndexJobs
from indexing.jobs.manifest import Manifest
from indexing.lexical import ENGINES
from indexing.text import Text
from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import CorpusStore
from panelist.records import Paper
from panelist.workspace import Workspace

SETS = ("elife", "acl")
HELD_BACK = 100  # one paper in a hundred comes in by `add`
OPEN = """
import sys, time
began = time.perf_counter()
from pathlib import Path
from indexing.index import open_index
imported = time.perf_counter()
with open_index(Path(sys.argv[1])) as index:
    index.units.find(["nobody"])
print(f"{imported - began:.2f} s of imports, {time.perf_counter() - imported:.3f} s to open")
"""


class TimedEncoder:
    """An encoder that counts what goes through it."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.revision, self.dimension = encoder.name, encoder.revision, encoder.dimension
        self.texts, self.seconds = 0, 0.0
        self._encoder = encoder

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """As the encoder within does it."""
        began = time.perf_counter()
        vectors = self._encoder.encode(texts, progress)
        self.texts += len(texts)
        self.seconds += time.perf_counter() - began
        return vectors


class Run:
    """One job: the seconds between its reports by stage, and what the encoder and its cache did."""

    def __init__(self, name: str) -> None:
        self.inner = TimedEncoder(load_encoder(name))
        self.outer = TimedEncoder(CachedEncoder(self.inner))
        self.seconds: dict[str, float] = {}
        self.began = self._last = time.perf_counter()

    def load(self, name: str) -> Encoder:
        """The counted encoder."""
        return self.outer

    def report(self, stage: str, done: int, total: int) -> None:
        """Count the time since the last report as time of this stage, unless the stage only begins."""
        now = time.perf_counter()
        if done:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def show(self, title: str, papers: int, streamed: float) -> None:
        """Print a line for each stage."""
        total = time.perf_counter() - self.began
        stages = dict(self.seconds)
        shards = stages.pop("papers", 0.0) - self.outer.seconds - streamed
        cached = self.outer.texts - self.inner.texts
        rows = [
            ("stream", papers, streamed),
            ("encode", self.inner.texts, self.inner.seconds),
            ("cache", cached, self.outer.seconds - self.inner.seconds),
            ("shard files", papers, shards),
            *((stage, papers, seconds) for stage, seconds in stages.items()),
            ("rest", papers, total - sum(self.seconds.values())),
            ("all", papers, total),
        ]
        print(f"{title}: {papers:,} papers")
        for stage, count, seconds in rows:
            rate = f"{count / seconds:>12,.0f}" if count and seconds > 0 else f"{'-':>12}"
            print(f"  {stage:<14}{seconds:>9.2f} s{rate} papers/s")


def read_papers(data: Path, limit: int | None) -> Iterator[Paper]:
    """The papers of all sets, half of a limit from each."""
    share = None if limit is None else limit // len(SETS)
    parts = (openalex.read([data / name / "works"], ReadReport()) for name in SETS)
    return chain.from_iterable(islice(part, share) for part in parts)


def seconds_to_stream(corpus: CorpusStore) -> float:
    """How long reading the whole corpus takes."""
    began = time.perf_counter()
    for _ in corpus.iter_papers():
        pass
    return time.perf_counter() - began


def measure(workspace: Workspace, later: Sequence[Paper], options: argparse.Namespace) -> None:
    """Build, add, open; print everything."""
    with workspace.open_corpus() as corpus:
        streamed = seconds_to_stream(corpus)
        run = Run(options.encoder)
        jobs = partial(IndexJobs, workspace.index_path)
        build = partial(jobs(load=run.load, progress=run.report).build, encoder=options.encoder)
        manifest = build(corpus, engine=options.engine, dense=options.dense)
        run.show(f"build, {options.engine} and {manifest.dense.kind}", corpus.counts().papers, streamed)
        if later:
            corpus.upsert(later)
            streamed = seconds_to_stream(corpus)
            run = Run(options.encoder)
            manifest = jobs(load=run.load, progress=run.report).add(corpus)
            run.show(f"add, {len(later):,} of them new", corpus.counts().papers, streamed)
    show_sizes(manifest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB (Java included)")
    opened = subprocess.run(
        [sys.executable, "-c", OPEN, workspace.index_path], capture_output=True, text=True, check=True
    )
    print(f"a fresh interpreter: {opened.stdout.strip()}")


def show_sizes(manifest: Manifest) -> None:
    """Print the bytes per paper of each part."""
    papers = manifest.counts.papers
    parts = ", ".join(f"{part} {size / papers:,.0f}" for part, size in manifest.parts().items())
    print(f"bytes per paper: {parts}, all {sum(manifest.parts().values()) / papers:,.0f}")


def main() -> None:
    """Read the arguments, fill a workspace, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="papers, half of each set")
    parser.add_argument("--engine", default=ENGINES[0], choices=ENGINES)
    parser.add_argument("--dense", default="auto")
    parser.add_argument("--encoder", default=DEFAULT_ENCODER)
    parser.add_argument("--workspace", type=Path, help="a workspace to fill, if it is new, and to keep")
    parser.add_argument("--data", type=Path, default=data_dir())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        workspace = Workspace((options.workspace or Path(temporary)).absolute())
        later: list[Paper] = []
        if not workspace.corpus_path.exists():
            now: list[Paper] = []
            with workspace.open_corpus(create=True) as corpus:
                for number, paper in enumerate(read_papers(options.data, options.limit), start=1):
                    (later if number % HELD_BACK == 0 else now).append(paper)
                    if len(now) == 1_000:
                        corpus.upsert(now)
                        now.clear()
                corpus.upsert(now)
        measure(workspace, later, options)


if __name__ == "__main__":
    main()
