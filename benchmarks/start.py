"""What one `panelist find` takes from its start to its end, against another checkout of the project: a ratio.

    git worktree add /tmp/other REVISION
    python benchmarks/start.py /tmp/other [--pairs 10]

Most of such a command is start-up: Python's imports, the Java machine, the model, compiled kernels from their cache.
Both checkouts run with this environment's packages, on a demo of their own, in turns. Exits with 1 where the bar is
missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TITLE = "Stellar contamination in transmission spectra of sub-Neptunes"
BAR = 1.05


def panelist(checkout: Path, *arguments: str) -> float:
    """Run a command of a checkout; how many seconds it took."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "panelist", *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - began


def main() -> None:
    """Measure, print both medians and their ratio, exit with 1 where it is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--pairs", type=int, default=10, help="runs of each")
    options = parser.parse_args()
    checkouts = (Path(__file__).parents[1], options.other.resolve())
    taken: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as temporary:
        workspaces = [f"{temporary}/{number}" for number in range(2)]
        for checkout, workspace in zip(checkouts, workspaces, strict=True):
            panelist(checkout, "demo", "--workspace", workspace)  # compiles the kernels too
        for pair in range(options.pairs + 1):
            for side in (0, 1) if pair % 2 else (1, 0):
                found = panelist(checkouts[side], "find", "--title", TITLE, "--workspace", workspaces[side])
                if pair > 0:  # the first one warms the caches of the file system
                    taken[side].append(found)
    here, there = (statistics.median(seconds) for seconds in taken)
    each = statistics.median(a / b for a, b in zip(*taken, strict=True))
    print(f"here {here:.2f} s, there {there:.2f} s (medians of {options.pairs})")
    print(f"ratio of the medians {here / there:.2f}, median of the ratios {each:.2f}; bar {BAR}")
    sys.exit(here / there > BAR)


if __name__ == "__main__":
    main()
