"""Connectedness of the assignment: only papers joined by a chain of shared reviewers can be compared by data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eval.calibration.reviews import ReviewTable


def paper_components(reviews: ReviewTable) -> NDArray[np.int64]:
    """The number of every paper's connected component in the paper–reviewer graph, the largest (by papers) being 0."""
    papers, reviewers = len(reviews.papers.names), len(reviews.reviewers.names)
    edges = (np.ones(len(reviews)), (reviews.papers.codes, papers + reviews.reviewers.codes))
    graph = sparse.csr_array(edges, shape=(papers + reviewers, papers + reviewers))
    count, labels = sparse.csgraph.connected_components(graph, directed=False)
    labels = labels[:papers]
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-np.bincount(labels, minlength=count), kind="stable")] = np.arange(count)
    return rank[labels]
