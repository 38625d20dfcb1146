"""Speed and memory of the assignment, beside OR-tools' SimpleMinCostFlow on the same pairs in the same run.

    python benchmarks/assign.py --ortools VENV/bin/python [--rounds 5] [--small] [--data topics]
    python benchmarks/assign.py --rules            # lotteries with all rules on AAMAS 2021
    python benchmarks/assign.py --aaai 25000    # as large as AAAI-26, with all rules; no OR-tools needed

OR-tools is needed here only, and its protobuf is another one than Panelist's, so it lives in an environment of its own:

    python -m venv VENV && VENV/bin/pip install ortools numpy

`--ortools` is that environment's Python (default: this one); it runs in a process of its own, for ortools and highspy
cannot be imported into one. Its time is `solve()` alone; ours is everything from the scores to the chosen pairs. Both
are single-threaded and take turns; ratios are of processor time, medians over rounds: a busy machine slows both.

Scores are like those of embeddings: papers and reviewers are points in eight dimensions, a score is the logistic
function of their product with some noise, and every paper keeps its K best. `--data topics` makes them harder: mixtures
of 20 topics, hence many reviewers who are alike and sought after.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from retriever.affinity.output import write_scores
from retriever.affinity.sparse import SparseScores
from retriever.assignment.assignment import Assignment
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, Quota, Records, Reviewer, ScoreTable
from retriever.assignment.flow import cheapest_flow
from retriever.assignment.methods.capped import capped
from retriever.assignment.methods.certain import fair, floor_bound, leximin
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import Problem, ReviewerTraits
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.rules import violations
from retriever.assignment.solve import assign

LOAD = 6
CASES = {  # papers, reviewers, candidates per paper, demand
    "loose": (1_000, 2_000, 100, 3),
    "tight": (1_000, 700, 100, 3),
    "large loose": (5_000, 10_000, 200, 4),
    "large tight": (5_000, 3_600, 200, 4),
}
PEER = """
import json, sys, time
import numpy as np
from ortools.graph.python import min_cost_flow
data = np.load(sys.argv[1])
starts, reviewer, cost, demand, most = (data[name] for name in ("starts", "reviewer", "cost", "demand", "most"))
papers, reviewers = len(demand), len(most)
row = np.repeat(np.arange(papers), np.diff(starts))
flow = min_cost_flow.SimpleMinCostFlow()
flow.add_arcs_with_capacity_and_unit_cost(row, papers + reviewer, np.ones(len(row), dtype=np.int64), cost)
end = np.full(reviewers, papers + reviewers)
flow.add_arcs_with_capacity_and_unit_cost(papers + np.arange(reviewers), end, most, np.zeros(reviewers, dtype=np.int64))
flow.set_nodes_supplies(np.arange(papers), demand)
flow.set_node_supply(papers + reviewers, -int(demand.sum()))
for line in sys.stdin:
    before = time.process_time()
    status = flow.solve()
    spent = time.process_time() - before
    optimal = status == flow.OPTIMAL
    print(json.dumps({"seconds": spent, "cost": flow.optimal_cost() if optimal else None}), flush=True)
"""
# The peak that getrusage knows of a child includes its parent before it became another program; this one does not.
WATCHED = """
import sys
from panelist.app.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def main() -> None:
    """Run the benchmark and print what it measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ortools", default=sys.executable, help="a Python that can import ortools")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="only the cases with 1,000 papers")
    parser.add_argument("--data", choices=("points", "topics"), default="points")
    parser.add_argument("--aaai", type=int, metavar="PAPERS", help="only this: a lottery with all rules, at this size")
    parser.add_argument("--rules", action="store_true", help="only this: lotteries on AAMAS 2021 (PANELIST_DATA)")
    options = parser.parse_args()
    if options.rules:
        ruled()
        return
    if options.aaai:
        large(options.aaai)
        return
    made: dict[str, SparseScores] = {}
    for name, (papers, reviewers, best, demand) in CASES.items():
        if options.small and papers > 1_000:
            continue
        made[name] = scores(papers, reviewers, best, options.data)
        problem = problem_of(made[name], demand)
        print(f"{name}: {papers:,} papers × {reviewers:,} reviewers, {best} candidates each, demand {demand}")
        compare(problem, options.ortools, options.rounds)
    growth(options.data)
    if not options.small:
        memory(made["large loose"])


def problem_of(scored: SparseScores, demand: int) -> Problem:
    """The problem of these scores."""
    return make_problem(Records(scores={AFFINITY: ScoreTable.of(scored)}), AssignOptions(demand=demand, most=LOAD))


def scores(papers: int, reviewers: int, best: int, kind: str) -> SparseScores:
    """Random scores of which every paper keeps its best."""
    dice = np.random.default_rng(0)
    if kind == "points":
        products = dice.normal(size=(papers, 8)) @ dice.normal(size=(reviewers, 8)).T
        all_scores = 1 / (1 + np.exp(-products)) + 0.1 * dice.random(products.shape)
    else:
        mixtures = dice.dirichlet(np.full(20, 0.1), papers) @ dice.dirichlet(np.full(20, 0.1), reviewers).T
        all_scores = mixtures + 0.05 * dice.random(mixtures.shape)
    chosen = np.argpartition(-all_scores, best, axis=1)[:, :best]
    return SparseScores(
        tuple(f"paper{i}" for i in range(papers)),
        tuple(f"reviewer{i}" for i in range(reviewers)),
        np.arange(papers + 1, dtype=np.int64) * best,
        chosen.ravel().astype(np.int64),
        np.take_along_axis(all_scores, chosen, axis=1).ravel(),
    )


def compare(problem: Problem, python: str, rounds: int) -> None:
    """Our methods and the peer in turns."""
    half = problem.with_cap(0.5)
    methods: dict[str, Callable[[], Any]] = {
        "total": lambda: cheapest_flow(problem),
        "fair": lambda: fair(problem, cheapest_flow(problem)),
        "random, cap .5": lambda: capped(half),
    }
    for method in methods.values():
        method()  # compiles
    pairs = problem.candidates
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        unit = 1e6
        np.savez(
            path,
            starts=pairs.starts,
            reviewer=pairs.reviewer.astype(np.int64),
            cost=-np.rint(pairs.score * unit).astype(np.int64),
            demand=problem.demand,
            most=problem.most,
        )
        peer = subprocess.Popen(
            [python, "-c", PEER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if peer.stdin is None or peer.stdout is None:
            raise RuntimeError("no pipe to the peer")
        theirs: list[float] = []
        ours: dict[str, list[float]] = {name: [] for name in methods}
        answer: dict[str, Any] = {}
        for _ in range(rounds):
            peer.stdin.write("\n")
            peer.stdin.flush()
            answer = json.loads(peer.stdout.readline())
            theirs.append(answer["seconds"])
            for name, method in methods.items():
                start = time.process_time()
                method()
                ours[name].append(time.process_time() - start)
        peer.stdin.close()
        peer.wait()
    total = float((pairs.score * methods["total"]().amount).sum())
    print(f"  OR-tools {np.median(theirs):.3f} s; totals {total:.4f} and {-answer['cost'] / unit:.4f}")
    for name, times in ours.items():
        ratio = np.median(np.array(times) / np.array(theirs))
        print(f"  {name}: {np.median(times):.3f} s, {ratio:.2f}× of OR-tools' flow")
    fairest = fair(problem, cheapest_flow(problem))
    share = float((pairs.score * fairest.chosen).sum()) / total
    floor, bound = fairest.working.board.total.min(), floor_bound(problem)
    print(f"  fair: floor {floor:.4f} of a bound of {bound:.4f}, total {share:.4f} of the greatest")
    start = time.process_time()
    leximin(problem, cheapest_flow(problem))
    print(f"  leximin: {time.process_time() - start:.1f} s, once")


def growth(kind: str) -> None:
    """How the time grows with the number of pairs."""
    for papers in (1_250, 2_500, 5_000):
        problem = problem_of(scores(papers, 2 * papers, 200, kind), 4)
        start = time.process_time()
        cheapest_flow(problem)
        spent = time.process_time() - start
        print(f"growth: {len(problem.candidates):,} pairs, {spent / len(problem.candidates) * 1e9:.0f} ns per pair")


def ruled() -> None:
    """What all rules cost on the similarities of AAMAS 2021, with invented seniority, regions, authors."""
    path = Path(os.environ["PANELIST_DATA"]) / "assignment" / "aamas2021.csv.gz"
    problem = read_problem(Sources(scores=[path]), AssignOptions("total", demand=4, most=LOAD))
    papers, reviewers, dice = len(problem.papers), len(problem.reviewers), np.random.default_rng(0)
    authored = np.stack([np.repeat(np.arange(papers), 2), dice.integers(0, reviewers, 2 * papers)], axis=1)
    authored = np.unique(authored, axis=0)
    region, institution = (
        dice.choice(5, reviewers, p=(0.35, 0.3, 0.2, 0.1, 0.05)),
        dice.integers(0, reviewers // 4, reviewers),
    )
    senior, role = dice.random(reviewers) < 0.3, np.zeros(reviewers, dtype=np.int64)
    by_authors = np.isin(problem.pair_keys, authored[:, 0] * reviewers + authored[:, 1])
    people = ReviewerTraits(role, senior, institution, region, authored)
    problem = replace(problem, committee=people).dropping(by_authors)
    everything = {"senior": 1, "apart": {"institution": 1, "coauthors": 1, "region": 2}, "no_cycles": True}
    for method, cap in (("total", 1.0), ("random", 0.9), ("random", 0.5), ("perturbed", 0.9)):
        for rules in ({}, everything):
            made = assign(with_cap(problem, cap), AssignOptions(method, **rules))  # type: ignore[arg-type]
            print(f"{method}, cap {cap}{', all rules' if rules else ''}: expected total {made.expected:.2f}", end="")
            tell_draws(made)


def with_cap(problem: Problem, cap: float) -> Problem:
    """The same problem with a cap on every pair."""
    return problem.with_cap(cap).with_options(cap=cap if cap < 1 else None)


def tell_draws(made: Assignment) -> None:
    """Print how spread a lottery is, and how often its draws break a rule; nothing of other assignments."""
    if made.lottery is None:
        print()
        return
    chance = made.lottery.probability[made.lottery.amount > 0]
    draws = (made.lottery.draw(made.solved, seed) for seed in range(10))
    broken = sum(len(violations(made.solved, made.options.rules, drawn)) for drawn in draws)
    entropy = -(chance * np.log(chance)).sum()
    print(f"; support {len(chance):,}, entropy {entropy:.0f}, rules broken in 10 draws: {broken}", flush=True)


def large(papers: int) -> None:
    """As many reviewers as papers, 50 scores per paper, three pools (one senior, one reciprocal, two others)."""
    problem = large_problem(papers)
    print(f"{papers:,} papers × {papers:,} reviewers, {len(problem.candidates):,} pairs")
    everything = {"senior": 1, "apart": {"institution": 1, "coauthors": 1, "region": 3}, "no_cycles": True}
    greatest = 0.0
    for method, rules in (("total", {}), ("fair", {}), ("total", everything), ("random", everything)):
        cap = 0.9 if method == "random" else 1.0
        start, spent = time.perf_counter(), time.process_time()
        made = assign(with_cap(problem, cap), AssignOptions(method, **rules))  # type: ignore[arg-type]
        start, spent = time.perf_counter() - start, time.process_time() - spent
        greatest = greatest or made.expected
        status = Path("/proc/self/status").read_text().splitlines()
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**20
        print(
            f"{method}{', all rules' if rules else ''}{f', cap {cap}' if cap < 1 else ''}: "
            f"{start:.0f} s ({spent:.0f} s of processor time), {made.expected / greatest:.4f} of the greatest total, "
            f"lowest paper {made.floor:.4f}, peak memory so far {peak:.2f} GB",
            end="",
        )
        tell_draws(made)


def large_problem(count: int) -> Problem:
    """Papers and people of topics with 125 people each; two of a paper's 500 nearest people are its authors."""
    dice = np.random.default_rng(0)
    pool = dice.choice(3, count, p=(0.25, 0.35, 0.4))  # seniors, reciprocal reviewers, others
    topics = max(count // 125, 4)
    near = np.stack([dice.dirichlet(np.full(topics, 3 / topics), count) for _ in range(2)]).astype(np.float32)
    near /= np.linalg.norm(near, axis=2, keepdims=True)
    rows, columns, values, authored = [], [], [], []
    for start in range(0, count, 500):
        block = near[0, start : start + 500] @ near[1].T + 0.05 * dice.random(
            (min(500, count - start), count), np.float32
        )
        nearest = np.argpartition(-block, 500, axis=1)[:, :500]
        authors = dice.permuted(nearest, axis=1)[:, :2]
        np.put_along_axis(block, authors, -1.0, axis=1)
        authored.append(authors)
        for number, best in enumerate((12, 13, 25)):
            members = np.flatnonzero(pool == number)
            chosen = np.argpartition(-block[:, members], best, axis=1)[:, :best]
            rows.append(np.repeat(np.arange(len(block)) + start, best))
            columns.append(members[chosen].ravel())
            values.append(np.take_along_axis(block[:, members], chosen, axis=1).ravel().astype(np.float64))
    names = ("senior", "reciprocal", "reviewer")
    written = defaultdict[int, list[str]](list)
    for paper, pair in enumerate(np.concatenate(authored).tolist()):
        for author in pair:
            written[author].append(f"paper{paper}")
    countries = dice.choice(("US", "CN", "DE", "BR", "AU", "ZA"), count, p=(0.35, 0.3, 0.2, 0.05, 0.05, 0.05)).tolist()
    senior, institution = (pool == 0).tolist(), dice.integers(0, max(count // 12, 2), count).tolist()
    people = {
        f"reviewer{person}": Reviewer(
            senior[person],
            f"institution{institution[person]}",
            countries[person],
            names[pool[person]],
            tuple(written[person]),
        )
        for person in range(count)
    }
    papers = tuple(f"paper{number}" for number in range(count))
    table = ScoreTable(papers, tuple(people), np.concatenate(rows), np.concatenate(columns), np.concatenate(values))
    # Who wrote something reviews something: reciprocal reviewers with a dozen scores or more have a least load of 1.
    sought = np.bincount(table.reviewer, minlength=count) >= 12
    quotas = {f"reviewer{person}": Quota(6, 1) for person in np.flatnonzero((pool == 1) & sought)}
    options = AssignOptions(demand={"senior": 1, "reciprocal": 1, "reviewer": 2}, most=8)
    return make_problem(Records(scores={AFFINITY: table}, people=people, quotas=quotas), options)


def memory(made: SparseScores) -> None:
    """The whole command on a file, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "scores.csv", Path(folder) / "assignment.csv"
        write_scores(made, source)
        command = [sys.executable, "-c", WATCHED, "assign", str(source), "-o", str(target), "--demand", "4"]
        before = time.perf_counter()
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        spent = time.perf_counter() - before
        peak = int(done.stdout.split()[-2]) / 2**20
        lines = sum(1 for _ in target.open())
        size = source.stat().st_size / 2**20
    print(f"CSV in ({size:.0f} MB) and out ({lines:,} lines): {spent:.1f} s, peak memory {peak:.2f} GB")


if __name__ == "__main__":
    main()
