"""Import of the real OpenAlex-shaped works against `json.loads` alone on the same files, in the same run.

    python benchmarks/import_corpus.py [--data DIR]

The import is the whole of it: decompressing, parsing, checking, converting, and writing to a SQLite corpus that grows
from nothing. The baseline decompresses the same files and parses their lines, nothing more. The works are cut into
parts of some thousand, and each part is parsed and imported in turn, so that both meet the same machine at the same
time. The bar is on the clock, since the import uses a second thread; processor time, and the parsing of lines that are
decompressed already, are printed beside. Exits with 1 where the bar is missed.
"""

import argparse
import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from panelist.config import data_dir
from panelist.corpus.importing import import_papers
from panelist.corpus.readers import openalex
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.corpus.store import CorpusStore
from panelist.workspace import Workspace

PART = 8_000
MAX_RATIO = 3.0
MAX_RSS_MB = 300


class Cost(NamedTuple):
    """What a job took, in seconds."""

    processor: float
    wall: float


def split(sources: list[Path], directory: Path) -> list[Path]:
    """The same lines in gzipped parts of `PART` works."""
    lines = (line for source in sources for _, line in read_lines(source, ReadReport()))
    parts: list[Path] = []
    while some := list(islice(lines, PART)):
        parts.append(directory / f"part_{len(parts):03}.jsonl.gz")
        parts[-1].write_bytes(gzip.compress(b"\n".join(some)))
    return parts


def parse(part: Path) -> tuple[Cost, Cost]:
    """What `json.loads` takes for the lines of a part, with and without decompressing them."""
    with stopwatch() as costs, gzip.open(part) as lines:
        for line in lines:
            json.loads(line)
    decompressed = gzip.decompress(part.read_bytes()).splitlines()
    with stopwatch() as alone:
        for line in decompressed:
            json.loads(line)
    return costs[0], alone[0]


def import_part(part: Path, corpus: CorpusStore) -> Cost:
    """What it takes to import a part."""
    report = ReadReport()
    with stopwatch() as costs:
        import_papers(openalex.read([part], report), report, corpus, Removals(part.parent))
    return costs[0]


@contextmanager
def stopwatch() -> Iterator[list[Cost]]:
    """Measure what is done inside; the list holds the cost afterwards."""
    costs: list[Cost] = []
    processor, wall = time.process_time(), time.perf_counter()
    yield costs
    costs.append(Cost(time.process_time() - processor, time.perf_counter() - wall))


def main() -> int:
    """Run both, print the figures, and say whether the bar was met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_dir(), help="directory with elife/works and acl/works")
    arguments = parser.parse_args()
    sources = openalex.find([arguments.data / "elife/works", arguments.data / "acl/works"])

    parsed, alone, imported = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        parts = split(sources, Path(directory))
        with Workspace(Path(directory, "workspace")).open_corpus(create=True) as corpus:
            for part in parts:
                of_file, of_lines = parse(part)
                parsed.append(of_file)
                alone.append(of_lines)
                imported.append(import_part(part, corpus))
            works = corpus.counts().papers
    baseline, lines, cost = (Cost(*map(sum, zip(*costs, strict=True))) for costs in (parsed, alone, imported))
    ratio = cost.wall / baseline.wall
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    print(f"{'':20} {'clock':>8} {'processor':>10}")
    for name, (processor, wall) in (("json.loads, files", baseline), ("json.loads, lines", lines), ("import", cost)):
        print(f"{name:20} {wall:>6.2f} s {processor:>8.2f} s")
    print(f"{'works/s':20} {works / cost.wall:>8,.0f} {works / cost.processor:>10,.0f}")
    print(f"{'ratio to files':20} {ratio:>8.2f} {cost.processor / baseline.processor:>10.2f}   at most {MAX_RATIO}")
    print(f"{'ratio to lines':20} {cost.wall / lines.wall:>8.2f} {cost.processor / lines.processor:>10.2f}")
    print(f"{'peak memory':20} {rss:>5.0f} MB {'':>10}   below {MAX_RSS_MB}")
    return 0 if ratio <= MAX_RATIO and rss < MAX_RSS_MB else 1


if __name__ == "__main__":
    sys.exit(main())
