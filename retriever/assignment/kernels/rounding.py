"""Dependent rounding: a random assignment in which every pair comes up exactly as often as it should.

After Gandhi, Khuller, Parthasarathy & Srinivasan (2006), with the groups of Budish, Che, Kojima & Milgrom (2013). Edges
lead from rows to columns, some by way of a group, with amounts between 0 and `scale`. Along a cycle of undecided edges,
or a path between columns that have one each, amounts are raised where the walk follows an edge and lowered where it
goes against it, or the other way round, until one is decided; which way is drawn so that expectations do not change.
Sums at rows never change, what leads into a group leads out of it, sums at columns stay between the whole numbers next
to them.
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, kernel


@kernel
def round_dependently(
    inner: int,  # nodes that are no columns: rows, whose sums are multiples of `scale`, then groups
    columns: int,  # how many, after those
    tail: NDArray[np.int32],  # (edges) the row or group that each comes from
    head: NDArray[np.int32],  # (edges) the group or column that it leads to
    scale: int,  # what counts as one
    amount: Written[np.int64],  # (edges) from 0 to `scale`
    draws: NDArray[np.float64],  # (edges) uniform random numbers
) -> None:
    """Round all amounts to 0 or `scale`, in place."""
    nodes = inner + columns
    undecided = np.flatnonzero((amount > 0) & (amount < scale))
    counts = np.bincount(tail[undecided], minlength=nodes) + np.bincount(head[undecided], minlength=nodes)
    starts = np.cumsum(counts) - counts
    cells = np.empty(2 * len(undecided), dtype=np.int32)  # the undecided edges of each node
    degree = np.zeros(nodes, dtype=np.int64)
    for e in undecided:
        for end in (tail[e], head[e]):
            cells[starts[end] + degree[end]] = e
            degree[end] += 1
    ends = np.empty(columns + len(tail), dtype=np.int32)  # columns that may have one undecided edge
    single = inner + np.flatnonzero(degree[inner:] == 1)
    waiting = len(single)
    ends[:waiting] = single
    position = np.full(nodes, -1, dtype=np.int64)
    path = np.empty(nodes + 1, dtype=np.int32)
    edges = np.empty(nodes + 1, dtype=np.int32)
    along = np.empty(nodes + 1, dtype=np.bool_)  # whether the walk follows each edge
    draw, other = 0, inner
    while True:
        while waiting > 0 and degree[ends[waiting - 1]] != 1:
            waiting -= 1
        if waiting > 0:
            node = ends[waiting - 1]
        else:
            while other < nodes and degree[other] == 0:
                other += 1
            if other == nodes:
                return
            node = other
        length, came = 0, -1
        begin = 0
        while True:
            if position[node] >= 0:  # a cycle: the path before it is left alone
                begin = position[node]
                path[length] = node
                break
            position[node] = length
            path[length] = node
            if came >= 0 and degree[node] == 1:  # the other end; only a column has one
                break
            e = cells[starts[node]]
            if e == came:
                e = cells[starts[node] + 1]
            edges[length] = e
            along[length] = node == tail[e]
            came = e
            node = head[e] if along[length] else tail[e]
            length += 1
        for i in range(length + 1):
            position[path[i]] = -1
        up, down = np.int64(scale), np.int64(scale)
        for i in range(begin, length):
            e = edges[i]
            if along[i] == along[begin]:
                up, down = min(up, scale - amount[e]), min(down, amount[e])
            else:
                up, down = min(up, amount[e]), min(down, scale - amount[e])
        change = up if draws[draw] * (up + down) < down else -down
        draw += 1
        for i in range(begin, length):
            e = edges[i]
            amount[e] += change if along[i] == along[begin] else -change
            if amount[e] == 0 or amount[e] == scale:
                for end in (tail[e], head[e]):
                    degree[end] -= 1
                    cell = starts[end]
                    while cells[cell] != e:
                        cell += 1
                    cells[cell] = cells[starts[end] + degree[end]]
                    if end >= inner and degree[end] == 1:
                        ends[waiting] = end
                        waiting += 1
