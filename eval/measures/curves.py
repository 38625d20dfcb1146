"""Means over queries with 95% intervals from resampled queries: of a measure, and of recall at every depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eval.measures.bootstrap import interval, resampling_counts
from eval.measures.ranking import Measure, measure
from eval.reports.figures import Estimate, Line
from eval.runs import Qrels, Run

DEPTH = 100
DEPTHS = tuple(range(1, DEPTH + 1))


def estimate(values: NDArray[np.float64]) -> Estimate:
    """The mean of (queries,) values with its interval."""
    return float(values.mean()), *interval(resampling_counts(len(values)) @ values / len(values))


def recall_values(qrels: Qrels, run: Run) -> NDArray[np.float64]:
    """Recall@1 … Recall@100 of every judged query: (100, queries)."""
    return np.stack(list(measure(qrels, run, [Measure("recall", k) for k in DEPTHS]).values()))


def recall_line(values: NDArray[np.float64]) -> Line:
    """The curve of mean recall, (depths, queries) to a line with its band."""
    resampled = resampling_counts(values.shape[1]) @ values.T / values.shape[1]
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    return Line(values.mean(axis=1).tolist(), low.tolist(), high.tolist())
