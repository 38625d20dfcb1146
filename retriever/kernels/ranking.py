"""The kernel of learned rankers: all trees for all people."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Matrix, Written, kernel


@kernel
def add_trees(
    described: Matrix[np.float32],  # (features, people)
    node_starts: NDArray[np.int64],  # (trees + 1) where the nodes of each tree begin
    features: NDArray[np.int64],  # (nodes) what each node compares
    thresholds: NDArray[np.float64],  # (nodes) with what
    remaining: NDArray[np.uint32],  # (nodes) leaves still in reach where the feature is above the threshold, as bits
    leaf_starts: NDArray[np.int64],  # (trees + 1) where the leaves of each tree begin
    values: NDArray[np.float64],  # (leaves), from left to right
    out: Written[np.float64],  # (people), added to
) -> None:
    """Add what each tree gives to each person; see `retriever.ranking.trees`."""
    people = described.shape[1]
    reachable = np.empty(people, dtype=np.uint32)
    all_bits = np.uint32(0xFFFFFFFF)
    for tree in range(len(node_starts) - 1):
        reachable[:] = all_bits
        for node in range(node_starts[tree], node_starts[tree + 1]):
            column, threshold, left = described[features[node]], thresholds[node], remaining[node]
            for person in range(people):
                reachable[person] &= left if column[person] > threshold else all_bits
        for person in range(people):
            lowest = reachable[person] & (~reachable[person] + np.uint32(1))
            out[person] += values[leaf_starts[tree] + np.int64(np.log2(np.float64(lowest)))]
