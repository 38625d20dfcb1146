"""Import of the real OpenAlex-shaped works against `json.loads` alone on the same lines, in the same run.

    python benchmarks/import_corpus.py [--data DIR] [--runs N]

The import is the whole of it: decompressing, parsing, checking, converting, and writing to a new SQLite corpus. The
baseline only parses lines that are decompressed already. Both are run in turn, `--runs` times. The ratio is that of
processor time (of all threads, with the system's share), the best run of each, since on a shared machine the clock on
the wall measures other people's work; it is printed beside. Exits with 1 where the bar is missed.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from panelist.config import data_dir
from panelist.corpus.importing import import_papers
from panelist.corpus.readers import openalex
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import ReadReport
from panelist.workspace import Workspace

T = TypeVar("T")

MAX_RATIO = 3.0
MAX_RSS_MB = 300


class Cost(NamedTuple):
    """What a job took, in seconds."""

    processor: float
    wall: float


def parse_only(parts: list[Path]) -> Cost:
    """What `json.loads` takes for all lines; reading and decompressing them is not counted."""
    processor = wall = 0.0
    for part in parts:
        lines = read_lines(part, ReadReport())
        while some := [line for _, line in islice(lines, 1000)]:
            cost, _ = measured(lambda some=some: [json.loads(line) and None for line in some])
            processor, wall = processor + cost.processor, wall + cost.wall
    return Cost(processor, wall)


def import_all(parts: list[Path]) -> int:
    """Import into a new workspace; the number of works."""
    report = ReadReport()
    with tempfile.TemporaryDirectory() as directory, Workspace(Path(directory)).open_corpus(create=True) as corpus:
        return import_papers(openalex.read(parts, report), report, corpus).papers


def measured(job: Callable[[], T]) -> tuple[Cost, T]:
    """What a job costs, and its result."""
    processor, wall = time.process_time(), time.perf_counter()
    result = job()
    return Cost(time.process_time() - processor, time.perf_counter() - wall), result


def main() -> int:
    """Run both, print the figures, and say whether the bar was met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_dir(), help="directory with elife/works and acl/works")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    parts = openalex.find([arguments.data / "elife/works", arguments.data / "acl/works"])

    baselines, imports = [], []
    for _ in range(arguments.runs):
        baselines.append(parse_only(parts))
        cost, works = measured(lambda: import_all(parts))
        imports.append(cost)
        print(f"json.loads {baselines[-1].processor:.2f} s, import {cost.processor:.2f} s", file=sys.stderr)
    baseline, imported = min(baselines), min(imports)
    ratio = imported.processor / baseline.processor
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    print(f"works          {works:>10,}")
    print(f"json.loads     {baseline.processor:>10.2f} s   {baseline.wall:.2f} s on the wall")
    print(f"import         {imported.processor:>10.2f} s   {imported.wall:.2f} s on the wall")
    print(f"works/s        {works / imported.processor:>10,.0f}     {works / imported.wall:,.0f} on the wall")
    print(f"ratio          {ratio:>10.2f}     at most {MAX_RATIO}")
    print(f"peak memory    {rss:>10.0f} MB  below {MAX_RSS_MB}")
    return 0 if ratio <= MAX_RATIO and rss < MAX_RSS_MB else 1


if __name__ == "__main__":
    sys.exit(main())
