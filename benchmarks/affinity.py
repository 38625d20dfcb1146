"""Speed and memory of the affinity matrix, beside the bare matrix products that it cannot do without.

    python benchmarks/affinity.py [--submissions 5000] [--reviewers 10000] [--papers 15] [--sparse 400]

Vectors are given (random, 384 dimensions). Products and the whole job, that is products, pooling, the choice of the
best pairs and the CSV file, are timed in turns, so that a busy machine slows both; then the job that also counts near
papers, for the confidence of every pair. `--growth` measures four sizes, for the time per pair. `--hybrid`
adds a lexical part of random terms with the frequencies of words; `--references` gives every paper 65 references, so
that 4 of 100 papers and 13 of 100 reviewers share one with a submission, as in eLife, and has every submission cite 60
reviewers by name.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, random_array
from threadpoolctl import threadpool_limits

from indexing.parallel import map_parallel
from panelist.records import Submission
from retriever.affinity.blocks import TILE, PooledBlocks
from retriever.affinity.model import Blocks
from retriever.affinity.models.term_counts import count_matrix, normalise
from retriever.affinity.output import write_scores
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.references import Evidence, RearrangedBlocks
from retriever.affinity.similarity import DenseSimilarity, LexicalSimilarity, Similarity
from retriever.affinity.sparse import sparse_scores

DIMENSION = 384


def main() -> None:
    """Run the benchmark and print what it measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=5_000)
    parser.add_argument("--reviewers", type=int, default=10_000)
    parser.add_argument("--papers", type=int, default=15)
    parser.add_argument("--sparse", type=int, default=400)
    parser.add_argument("--pooling", default="discounted")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--hybrid", action="store_true")
    parser.add_argument("--references", action="store_true")
    options = parser.parse_args()
    shares = (0.125, 0.25, 0.5, 1.0) if options.growth else (1.0,)
    for share in shares:
        job = Job(int(options.submissions * share), int(options.reviewers * share), options.papers, options)
        pairs = job.submissions * job.reviewers
        job.run()  # compiles, and has the machine lend the memory
        bare, whole, counting = [], [], []
        for _ in range(options.rounds):
            products = [job.timed(lambda: job.products(blas)) for blas in (False, True)]  # noqa: B023
            bare.append(min(products))
            whole.append(job.timed(job.run))
            counting.append(job.timed(lambda: job.run(near=True)))  # noqa: B023
        print(
            f"{job.submissions:,} × {job.reviewers:,} × {options.papers} papers: products {min(bare)[0]:.1f} s, "
            f"all {min(whole)[0]:.1f} s, {min(whole)[0] / pairs * 1e9:.0f} ns per pair, {job.lines:,} lines; "
            f"{_ratio(whole, bare)}"
        )
        print(f"  with grades: all {min(counting)[0]:.1f} s; {_ratio(counting, bare)}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


class Job:
    """One conference of random vectors."""

    def __init__(self, submissions: int, reviewers: int, papers: int, options: argparse.Namespace) -> None:
        dice = np.random.default_rng(0)
        self.submissions, self.reviewers, self.papers, self.lines = submissions, reviewers, papers, 0
        self._options = options
        self._paper_vectors = _unit(dice, reviewers * papers)
        self._submission_vectors = _unit(dice, submissions)
        starts = np.arange(reviewers + 1, dtype=np.int64) * papers
        documents = tuple(Submission(str(number), str(number)) for number in range(reviewers * papers))
        self._profiles = Profiles(documents, starts, dice.permutation(reviewers * papers))
        dense = DenseSimilarity(self._paper_vectors, self._submission_vectors)
        self._similarity: Similarity = LexicalSimilarity(*self._terms(), dense) if options.hybrid else dense
        self._evidence = self._references() if options.references else None

    def timed(self, work: Callable[[], None]) -> tuple[float, float]:
        """Seconds, and seconds of processor time, of some work."""
        start, processor = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - start, time.process_time() - processor

    def run(self, near: bool = False) -> None:
        """Everything: products, pooling, the choice of the best pairs, the file; with `near` also their grades."""
        plan = ProfilePooling.parse(self._options.pooling).plan
        blocks: Blocks = PooledBlocks(self._similarity, self._profiles, self.submissions, plan)
        if self._evidence is not None:
            blocks = RearrangedBlocks(blocks, self._evidence, np.zeros((0, 2), np.int64))
        submissions = [f"submission{number}" for number in range(self.submissions)]
        reviewers = [f"~Reviewer_Number{number}" for number in range(self.reviewers)]
        scores = sparse_scores(blocks, submissions, reviewers, self._options.sparse)
        if near and (papers := blocks.near()) is not None:
            papers.grades(scores.submission, scores.reviewer, reviewers)
        with tempfile.TemporaryDirectory() as directory:
            write_scores(scores, Path(directory) / "scores.csv")
        self.lines = len(scores.scores)

    def products(self, threads_of_blas: bool) -> None:
        """The bare products of the same blocks: BLAS on all cores, or one product per core."""
        blocks = [
            (slice(first, first + TILE), slice(row, row + TILE))
            for first in range(0, self.submissions, TILE)
            for row in range(0, self.reviewers * self.papers, TILE)
        ]

        def multiply(block: tuple[slice, slice]) -> None:
            np.matmul(self._paper_vectors[block[1]], self._submission_vectors[block[0]].T)

        if threads_of_blas:
            for block in blocks:
                multiply(block)
        else:
            with threadpool_limits(1, user_api="blas"):
                map_parallel(multiply, blocks)

    def _references(self) -> Evidence:
        dice = np.random.default_rng(2)

        def cites(fields: np.ndarray) -> csr_array:  # papers of a field share works, of which there are 11,000 each
            works = fields[:, None] * 11_000 + dice.integers(0, 11_000, (len(fields), 65))
            rows = np.repeat(np.arange(len(fields)), 65)
            entries = (np.full(works.size, 65**-0.5, np.float32), (rows, works.ravel()))
            return csr_array(coo_array(entries, shape=(len(fields), 8 * 11_000)))

        of_papers = np.empty(self.reviewers * self.papers, np.int64)
        of_papers[self._profiles.members] = np.repeat(dice.integers(0, 8, self.reviewers), self.papers)
        asks, papers = cites(dice.integers(0, 8, self.submissions)), csr_array(cites(of_papers).T)
        shape = (self.submissions, self.reviewers)
        people = csr_array(random_array(shape, density=60 / self.reviewers, dtype=np.float32, rng=dice))
        owners = np.repeat(np.arange(self.reviewers), self.papers)
        ones = np.ones(len(owners), np.float32)
        return Evidence(asks, papers, csr_array(coo_array((ones, (self._profiles.members, owners)))), people)

    def _terms(self) -> tuple[csr_array, csr_array]:
        dice = np.random.default_rng(1)

        def texts(count: int) -> Any:  # 120 words each, as frequent as words are (Zipf)
            words = np.minimum(dice.zipf(1.2, (count, 120)) + 30, 100_000).astype(np.int32)
            matrix = count_matrix(list(words), 100_001)
            normalise(matrix)
            return matrix

        return texts(self.reviewers * self.papers), texts(self.submissions)


def _ratio(whole: list[tuple[float, float]], bare: list[tuple[float, float]]) -> str:
    """How much longer a job takes than the bare products, round by round."""
    ratios = [whole_ / bare_ for (whole_, _), (bare_, _) in zip(whole, bare, strict=True)]
    processor = float(np.median([cpu for _, cpu in whole]) / np.median([cpu for _, cpu in bare]))
    rounds = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"median ratio {np.median(ratios):.2f} (rounds {rounds}), of processor time {processor:.2f}"


def _unit(dice: np.random.Generator, rows: int) -> np.ndarray:
    vectors = dice.standard_normal((rows, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


if __name__ == "__main__":
    main()
