"""Speed and memory of `ReviewCalibrator` beside R's lme4, on the same data in the same run.

    python benchmarks/calibration.py [--skip-lme4] [--limit SECONDS] [insteval] [conference]

lme4 needs an hour or more for the conference; after `--limit` seconds it is stopped, and the ratio is a lower bound.
Needs `Rscript` with lme4 (Debian: r-cran-lme4) for the comparison, and PANELIST_DATA for insteval. Every fit runs in a
process of its own, so that its peak memory is its own. `fit` is from the table of reviews to estimates with all
standard deviations; `posterior` is the probability of acceptance from 1,000 joint samples; reading the file is outside
both, as it is for lme4, whose figure is the call of lmer alone (no standard deviations of the effects).
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from panelist.config import data_dir

R_SCRIPT = Path(__file__).with_name("calibration_lme4.R")
SAMPLES = 1000


def write_conference(path: Path, papers: int = 15_000, reviewers: int = 12_000, load: int = 4, seed: int = 0) -> None:
    """A synthetic conference: every paper gets `load` reviewers uniformly at random."""
    rng = np.random.default_rng(seed)
    reviewer = np.concatenate([rng.choice(reviewers, load, replace=False) for _ in range(papers)])
    paper = np.repeat(np.arange(papers), load)
    scores = 5 + rng.normal(0, 1.0, papers)[paper] + rng.normal(0, 0.6, reviewers)[reviewer]
    scores += rng.normal(0, 1.2, len(paper))
    lines = (f"p{p},r{r},{s:.6f}\n" for p, r, s in zip(paper, reviewer, scores, strict=True))
    path.write_text("paper,reviewer,score\n" + "".join(lines))


def ours(path: Path) -> dict[str, float]:
    """Fit and sample in this process; times, peak memory and estimates."""
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.reviews import read_reviews

    table = read_reviews(path)
    start, cpu = time.perf_counter(), time.process_time()
    fitted = ReviewCalibrator().fit(table)
    middle, middle_cpu = time.perf_counter(), time.process_time()
    fitted.acceptance(0.25, samples=SAMPLES)
    end, end_cpu = time.perf_counter(), time.process_time()
    return {
        "mu": fitted.mu_, "alpha_f": fitted.alpha_f_, "alpha_b": fitted.alpha_b_, "sigma2": fitted.sigma2_,
        "nll": fitted.nll_, "seconds": middle - start, "cpu_seconds": middle_cpu - cpu,
        "posterior_seconds": end - middle, "posterior_cpu_seconds": end_cpu - middle_cpu,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }  # fmt: skip


def in_process(command: list[str], limit: float | None = None) -> dict[str, float]:
    """Run a command that prints one JSON object, on one thread: lme4 uses no more, and a ratio should be fair."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | single, timeout=limit)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def compare(name: str, path: Path, with_lme4: bool, limit: float | None) -> None:
    """Print one data set's figures, ours beside lme4's."""
    mine = in_process([sys.executable, __file__, "--one", str(path)])
    print(f"\n{name}")
    print(f"  panelist  fit {mine['seconds']:8.2f} s (cpu {mine['cpu_seconds']:.2f} s)   posterior, {SAMPLES} samples "
          f"{mine['posterior_seconds']:.2f} s (cpu {mine['posterior_cpu_seconds']:.2f} s)   "
          f"peak {mine['gigabytes']:.2f} GB   −log L {mine['nll']:.4f}")  # fmt: skip
    if not with_lme4:
        return
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        theirs = in_process(["Rscript", str(R_SCRIPT), str(path)], limit)
    except subprocess.TimeoutExpired:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"  lme4      not finished after {limit:.0f} s (cpu {cpu:.0f} s)")
        print(
            f"  ratio     more than {(limit or 0) / mine['seconds']:.1f} (cpu {cpu / mine['cpu_seconds']:.1f}) × faster"
        )
        return
    print(f"  lme4      fit {theirs['seconds']:8.2f} s (cpu {theirs['cpu_seconds']:.2f} s, {theirs['evaluations']:.0f} "
          f"evaluations)   peak {theirs['gigabytes']:.2f} GB   −log L {theirs['nll']:.4f}   "
          f"lme4 {theirs['lme4']}, {theirs['blas']}")  # fmt: skip
    worst = max(abs(mine[key] / theirs[key] - 1) for key in ("mu", "alpha_f", "alpha_b", "sigma2"))
    wall, cpu = (theirs[key] / mine[key] for key in ("seconds", "cpu_seconds"))
    print(f"  ratio     {wall:.1f} (cpu {cpu:.1f}) × faster; largest relative difference of an estimate {worst:.1e}")


def main() -> None:
    """Run the data sets that were asked for, both by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["insteval", "conference"])
    parser.add_argument("--skip-lme4", action="store_true")
    parser.add_argument("--limit", type=float, help="stop lme4 after N seconds")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(ours(options.one)))
        return
    with_lme4 = not options.skip_lme4 and shutil.which("Rscript") is not None
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            path = data_dir() / "calibration" / f"{name}.csv"
            if name == "conference":
                path = Path(folder) / "conference.csv"
                write_conference(path)
            compare(name, path, with_lme4, options.limit)


if __name__ == "__main__":
    main()
