"""What papers and submissions both cite, and who is cited."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, kernel


class Rows(NamedTuple):
    """A sparse matrix by rows. Its arrays are marked as written to, since numba has one type for a whole tuple."""

    starts: Written[np.int64]  # (rows + 1) where the entries of each begin
    columns: Written[np.int32]  # of the entries
    values: Written[np.float32]


@kernel
def gather_strengths(
    asks: Rows,  # (submissions, works) the weight of what each cites, above 0
    citing: Rows,  # (works, papers) the weight of a work in the papers that cite it, above 0
    owners: Rows,  # (papers, reviewers) in whose profile a paper is
    cited: Rows,  # (submissions, reviewers) how much it counts that somebody is cited, above 0
    reviewers: int,  # how many there are
    weight: np.float32,  # of the largest product
    least: np.float32,  # smaller products count as none
    offset: int,  # the first submission
    stop: int,  # behind the last one
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The evidence of all reviewers who have any: what `cited` says, and `weight` times their largest product.

    Returns:
        Where those of each submission begin; their numbers, ascending; their evidence.
    """
    papers = len(owners.starts) - 1
    product, touched = np.zeros(papers, dtype=np.float32), np.empty(papers + 1, dtype=np.int32)
    best, strength = np.zeros(reviewers, dtype=np.float32), np.zeros(reviewers, dtype=np.float32)
    ends, count = np.zeros(stop - offset + 1, dtype=np.int64), 0
    people = np.empty((stop - offset) * reviewers, dtype=np.int32)
    strengths = np.empty((stop - offset) * reviewers, dtype=np.float32)
    for submission in range(offset, stop):
        met = 0
        for k in range(asks.starts[submission], asks.starts[submission + 1]):
            work = asks.columns[k]
            for p in range(citing.starts[work], citing.starts[work + 1]):
                paper = citing.columns[p]
                touched[met] = paper  # once each: no branch, which would often be guessed wrong
                met += product[paper] == 0
                product[paper] += citing.values[p] * asks.values[k]
        for paper in touched[:met]:
            if product[paper] >= least:
                for owner in owners.columns[owners.starts[paper] : owners.starts[paper + 1]]:
                    best[owner] = max(best[owner], product[paper])
            product[paper] = 0
        for entry in range(cited.starts[submission], cited.starts[submission + 1]):
            strength[cited.columns[entry]] = cited.values[entry]
        for reviewer in range(reviewers):
            lift = strength[reviewer] + weight * best[reviewer]
            if lift > 0:
                people[count], strengths[count] = reviewer, lift
                strength[reviewer] = best[reviewer] = 0
                count += 1
        ends[submission - offset + 1] = count
    return ends, people[:count].copy(), strengths[:count].copy()
