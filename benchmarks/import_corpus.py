"""Import of the real OpenAlex-shaped works against `json.loads` alone on the same lines, in the same run.

    python benchmarks/import_corpus.py [--data DIR] [--runs N]

The import is the whole of it: decompressing, parsing, checking, converting, and writing to a new SQLite corpus. The
baseline only parses lines that are decompressed already. Both are timed in turn, `--runs` times, and the best of each
counts, since on a shared machine the rest is other people's work. Exits with 1 where the bar is missed.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from panelist.config import data_dir
from panelist.corpus.importing import import_papers
from panelist.corpus.readers import openalex
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import ReadReport
from panelist.workspace import Workspace

MAX_RATIO = 3.0
MAX_RSS_MB = 300


def parse_only(parts: list[Path]) -> float:
    """Seconds that `json.loads` takes for all lines; reading and decompressing them is not counted."""
    seconds = 0.0
    for part in parts:
        for _, line in read_lines(part, ReadReport()):
            start = time.perf_counter()
            json.loads(line)
            seconds += time.perf_counter() - start
    return seconds


def import_all(parts: list[Path]) -> int:
    """Import into a new workspace; the number of works."""
    report = ReadReport()
    with tempfile.TemporaryDirectory() as directory, Workspace(Path(directory)).open_corpus(create=True) as corpus:
        return import_papers(openalex.read(parts, report), report, corpus).papers


def timed(job: Callable[[], int]) -> tuple[float, int]:
    """Seconds and result of a job."""
    start = time.perf_counter()
    result = job()
    return time.perf_counter() - start, result


def main() -> int:
    """Run both, print the figures, and say whether the bar was met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_dir(), help="directory with elife/works and acl/works")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    parts = openalex.find([arguments.data / "elife/works", arguments.data / "acl/works"])

    baseline = imported = float("inf")
    works = 0
    for run in range(arguments.runs):
        baseline = min(baseline, parse_only(parts))
        seconds, works = timed(lambda: import_all(parts))
        imported = min(imported, seconds)
        print(f"run {run + 1}: best json.loads {baseline:.2f} s, best import {imported:.2f} s", file=sys.stderr)
    ratio = imported / baseline
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    print(f"works          {works:>10,}")
    print(f"json.loads     {baseline:>10.2f} s")
    print(f"import         {imported:>10.2f} s   {works / imported:,.0f} works/s")
    print(f"ratio          {ratio:>10.2f}     at most {MAX_RATIO}")
    print(f"peak memory    {rss:>10.0f} MB  below {MAX_RSS_MB}")
    return 0 if ratio <= MAX_RATIO and rss < MAX_RSS_MB else 1


if __name__ == "__main__":
    sys.exit(main())
