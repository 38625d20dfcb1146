"""Dual block ascent for a quadratic transport problem.

Maximises Σ s·x - strength·s·x² where rows add up to their demands, columns lie between their bounds and 0 <= x <= cap.
With prices λ of rows and μ of columns, x = clip((s - λ - μ) / (2·strength·s), 0, cap). Each row's price is set so that
its demand is met, each column's so that its bounds hold, in turn; the dual function is concave and smooth, so this
converges (block coordinate ascent). A group is a part of a row's edges that carry at most 1 together; its price is
taken off their scores.
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, helper, kernel

_TURNS = 60


@helper
def _sum(
    edges: NDArray[np.int64], score: NDArray[np.float64], slope: NDArray[np.float64], cap: NDArray[np.float64],
    others: NDArray[np.float64], other: NDArray[np.int32], price: float,
) -> tuple[float, float]:  # fmt: skip
    """How much the edges of a line carry at a price, and how fast that falls."""
    total, fall = 0.0, 0.0
    for e in edges:
        x = (score[e] - price - others[other[e]]) * slope[e]
        if x >= cap[e]:
            total += cap[e]
        elif x > 0:
            total += x
            fall += slope[e]
    return total, fall


@helper
def _price(
    edges: NDArray[np.int64], score: NDArray[np.float64], slope: NDArray[np.float64], cap: NDArray[np.float64],
    others: NDArray[np.float64], other: NDArray[np.int32], price: float, wanted: float,
) -> float:  # fmt: skip
    """The price at which a line carries what is wanted: Newton's method between bounds that close in."""
    low, high = -np.inf, np.inf
    for _ in range(_TURNS):
        total, fall = _sum(edges, score, slope, cap, others, other, price)
        if abs(total - wanted) <= 1e-13 * (1.0 + wanted):
            return price
        if total > wanted:
            low = price
        else:
            high = price
        step = (total - wanted) / fall if fall > 0 else np.nan
        following = price + step
        if fall <= 0 or not low < following < high:
            if low == -np.inf:
                following = high - 1.0 - abs(high)
            elif high == np.inf:
                following = low + 1.0 + abs(low)
            else:
                following = (low + high) / 2
        if following == price:
            return price
        price = following
    return price


@kernel
def ascend(
    row_starts: NDArray[np.int64],  # (rows + 1) edges are sorted by row
    column_starts: NDArray[np.int64],  # (columns + 1) into `column_edges`
    column_edges: NDArray[np.int64],  # the edges by column
    row: NDArray[np.int32],  # (edges)
    column: NDArray[np.int32],  # (edges)
    group_starts: NDArray[np.int64],  # (groups + 1) into `group_edges`
    group_edges: NDArray[np.int64],  # the edges by group
    score: Written[np.float64],  # (edges) without the prices of groups
    slope: NDArray[np.float64],  # (edges) 1 / (2·strength·s)
    cap: NDArray[np.float64],  # (edges)
    demand: NDArray[np.float64],  # (rows)
    least: NDArray[np.float64],  # (columns)
    most: NDArray[np.float64],  # (columns)
    row_price: Written[np.float64],  # (rows)
    column_price: Written[np.float64],  # (columns)
    group_price: Written[np.float64],  # (groups)
    sweeps: int,  # at most
    near: float,  # how exactly bounds must hold
    watch: Written[np.int64],  # sweeps made; whether to stop (`retriever.assignment.watch`)
) -> None:
    """Improve the prices in place until no column is further than `near` from its bounds."""
    for _ in range(sweeps):
        if watch[1]:
            return
        watch[0] += 1
        for p in range(len(demand)):
            edges = np.arange(row_starts[p], row_starts[p + 1])
            if len(edges) > 0:
                row_price[p] = _price(edges, score, slope, cap, column_price, column, row_price[p], demand[p])
        furthest = 0.0
        for g in range(len(group_price)):
            edges = group_edges[group_starts[g] : group_starts[g + 1]]
            base = row_price[row[edges[0]]]  # of the one row that they all are of
            total, _ = _sum(edges, score, slope, cap, column_price, column, base)
            if total > 1.0 or group_price[g] > 0:
                furthest = max(furthest, abs(total - 1.0))
                old_price = group_price[g]
                step = _price(edges, score, slope, cap, column_price, column, base, 1.0) - base
                group_price[g] = max(old_price + step, 0.0)
                score[edges] -= group_price[g] - old_price
        for r in range(len(most)):
            edges = column_edges[column_starts[r] : column_starts[r + 1]]
            if len(edges) == 0:
                continue
            mu = column_price[r]
            total, _ = _sum(edges, score, slope, cap, row_price, row, mu)
            wanted = total
            if mu > 0 or total > most[r]:
                wanted = most[r]
            elif mu < 0 or total < least[r]:
                wanted = least[r]
            if wanted == total:
                continue
            furthest = max(furthest, abs(total - wanted))
            following = _price(edges, score, slope, cap, row_price, row, mu, wanted)
            # A price of a bound that is not reached any more is 0, and then the other bound may count.
            if wanted == most[r] and mu >= 0:
                following = max(following, 0.0)
            elif wanted == least[r] and mu <= 0:
                following = min(following, 0.0)
            column_price[r] = following
        if furthest <= near:
            return
