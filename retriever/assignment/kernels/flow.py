"""Minimum-cost flow from rows (papers) to columns (reviewers), by successive shortest paths.

Every row sends its demand, unit by unit or several at once, along the cheapest path to a column with room. Arcs are
sorted by cost and prices are never negative, so that the scan of a row stops at the first arc that cannot beat the best
end found so far: a paper whose favourite reviewer is free looks at one arc. Potentials keep all reduced costs at or
above zero (Johnson), hence Dijkstra's algorithm and hence the optimum; costs are integers, hence no rounding.

With potentials u (rows), v (columns), w (groups) an arc with room has `cost + v - u >= 0`, one with flow `<= 0`.
A *group* is a part of a row's arcs that may carry only so much together (one reviewer per institution): a node between
the row and its columns, whose potential differs from the row's only while the group is full.
A column takes its least load first: those units are cheaper by `reward`, which outweighs all costs together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, helper, inlined, kernel

Keys = NDArray[np.int64] | NDArray[np.float64]
INFINITE = np.int64(1) << 62


@helper
def push(keys: Keys, heap: NDArray[np.int32], size: int, key: int, node: int) -> None:
    """Add a node to a heap of `size` nodes; one that is there already stays there with its older, larger key."""
    at = size
    while at > 0:
        above = (at - 1) >> 2
        if keys[above] <= key:
            break
        keys[at] = keys[above]
        heap[at] = heap[above]
        at = above
    keys[at] = key
    heap[at] = node


@helper
def drop_first(keys: Keys, heap: NDArray[np.int32], size: int) -> None:
    """Take the nearest node off a heap of `size` nodes."""
    size -= 1
    key, node = keys[size], heap[size]
    at = 0
    while True:
        below = 4 * at + 1
        if below >= size:
            break
        for other in range(below + 1, min(below + 4, size)):
            if keys[other] < keys[below]:
                below = other
        if keys[below] >= key:
            break
        keys[at] = keys[below]
        heap[at] = heap[below]
        at = below
    keys[at] = key
    heap[at] = node


class FlowNetwork(NamedTuple):
    """What a flow may do. Its arrays are marked as written to, since numba has one type for a whole tuple."""

    starts: Written[np.int64]  # (rows + 1) where the arcs of each row begin
    column: Written[np.int32]  # (arcs) where each leads
    cost: Written[np.int64]  # (arcs) ascending within a row
    capacity: Written[np.int64]  # (arcs)
    group: Written[np.int32]  # (arcs) the group of each arc, or -1; empty if there are none
    group_room: Written[np.int64]  # (groups) how much a group carries
    group_row: Written[np.int32]  # (groups) the row of each
    demand: Written[np.int64]  # (rows)
    room: Written[np.int64]  # (columns) the most that each takes
    least: Written[np.int64]  # (columns) what each takes with preference
    order: Written[np.int64]  # in which rows are served; it decides the time only


class FlowResult(NamedTuple):
    """What a kernel writes: a cheapest flow that sends all it can."""

    flow: Written[np.int64]  # (arcs)
    row_potential: Written[np.int64]  # (rows)
    column_potential: Written[np.int64]  # (columns) relative to the end: the price of a column's last unit of room
    group_potential: Written[np.int64]  # (groups)
    unmet: Written[np.int64]  # (rows) what each row could not send


@helper
def _reset(network: FlowNetwork, result: FlowResult) -> None:
    """No flow, and the highest potentials of rows that fit none."""
    result.flow[:] = 0
    result.column_potential[:] = 0
    result.group_potential[:] = 0
    result.unmet[:] = 0
    for p in range(len(network.demand)):
        start = network.starts[p]
        result.row_potential[p] = network.cost[start] if start < network.starts[p + 1] else 0


@helper
def _first_cells(column: NDArray[np.int32], room: NDArray[np.int64]) -> NDArray[np.int64]:
    """(columns + 1) where the cells of each column begin: as many as it has arcs, or room."""
    first = np.zeros(len(room) + 1, dtype=np.int64)
    for r in column:
        first[r + 1] += 1
    for r in range(len(room)):
        first[r + 1] = first[r] + min(first[r + 1], room[r])
    return first


# Parts of `send`, which are given single arrays: what is taken out of a named tuple is counted each time.


@inlined
def _raise_potentials(
    touched: NDArray[np.int32],
    known: int,
    distance: NDArray[np.int64],
    nearest: int | np.int64,
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    w: NDArray[np.int64],
) -> None:
    """After a path was found, raise the potential of all that is nearer than its end; forget the distances."""
    rows, columns = len(u), len(v)
    for i in range(known):
        node = touched[i]
        rise = nearest - distance[node]
        distance[node] = INFINITE
        if rise > 0:
            if node < rows:
                u[node] += rise
            elif node < rows + columns:
                v[node - rows] += rise
            else:
                w[node - rows - columns] += rise


@inlined
def _carried(
    amount: int,  # that its ends allow
    start: int,
    end: int,
    rows: int,
    columns: int,
    from_node: NDArray[np.int32],
    from_arc: NDArray[np.int32],
    capacity: NDArray[np.int64],
    flow: NDArray[np.int64],
    group: NDArray[np.int32],
    group_room: NDArray[np.int64],
    group_load: NDArray[np.int64],
) -> int:
    """How much the path from a row to a column carries."""
    node = end
    while node != start:
        arc, source = from_arc[node], from_node[node]
        if arc >= 0:
            if node >= rows and node < rows + columns:
                amount = min(amount, capacity[arc] - flow[arc])
                if len(group_room) and source < rows and group[arc] >= 0:
                    amount = min(amount, group_room[group[arc]] - group_load[group[arc]])
            else:
                amount = min(amount, flow[arc])
        node = source
    return amount


@inlined
def _empty_cell(
    cell: int,  # the first of the column
    column: int,
    arc: int,
    filled: NDArray[np.int64],
    cell_row: NDArray[np.int32],
    cell_arc: NDArray[np.int32],
    cell_cost: NDArray[np.int64],
) -> None:
    """Fill the cell of an arc that has no flow any more with the last one of its column."""
    filled[column] -= 1
    last = filled[column]
    while cell_arc[cell] != arc:
        cell += 1
    cell_row[cell], cell_arc[cell] = cell_row[last], cell_arc[last]
    cell_cost[cell] = cell_cost[last]


@kernel
def send(
    network: FlowNetwork,
    reward: int,  # of each unit that a column takes with preference; 0 if there are none
    result: FlowResult,  # overwritten
    watch: Written[np.int64],  # rows served; whether to stop (`retriever.assignment.watch`)
) -> None:
    """Fill `result` with a cheapest flow that sends all it can."""
    starts, column, cost, capacity = network.starts, network.column, network.cost, network.capacity
    group, group_room, group_row = network.group, network.group_room, network.group_row
    demand, room, least = network.demand, network.room, network.least
    flow, u, v, w, unmet = result
    rows, columns, groups = len(demand), len(room), len(group_room)
    grouped = groups > 0
    nodes = rows + columns + groups
    _reset(network, result)
    load = np.zeros(columns, dtype=np.int64)
    group_load = np.zeros(groups, dtype=np.int64)
    # The arcs with flow into each column, as cells side by side: arcs are many and far apart in memory.
    first = _first_cells(column, room)
    filled = first[:-1].copy()
    cell_row = np.empty(first[columns], dtype=np.int32)
    cell_arc = np.empty(first[columns], dtype=np.int32)
    cell_cost = np.empty(first[columns], dtype=np.int64)
    distance = np.full(nodes, INFINITE, dtype=np.int64)
    touched = np.empty(nodes, dtype=np.int32)
    heap = np.empty(4 * nodes + 1, dtype=np.int32)
    keys = np.empty(4 * nodes + 1, dtype=np.int64)
    from_node = np.empty(nodes, dtype=np.int32)
    from_arc = np.empty(nodes, dtype=np.int32)
    for p in network.order:
        if watch[1]:
            return
        watch[0] += 1
        need = demand[p]
        while need > 0:
            size, known = 0, 0
            nearest, end = INFINITE, -1
            distance[p] = 0
            touched[0] = p
            known = 1
            node = p
            while True:
                here = distance[node]
                if node < rows or node >= rows + columns:
                    # From a row along its arcs; from a full group along the arcs of that group only.
                    q, inside, base = node, -1, here
                    if node >= rows + columns:
                        inside = node - rows - columns
                        q = group_row[inside]
                        base -= w[inside]
                        back = base + u[q]
                        if back < nearest and back < distance[q]:
                            if distance[q] == INFINITE:
                                touched[known] = q
                                known += 1
                            distance[q] = back
                            from_node[q] = node
                            from_arc[q] = -1
                            push(keys, heap, size, distance[q], q)
                            size += 1
                    else:
                        base -= u[q]
                    lowest = INFINITE
                    for arc in range(starts[q], starts[q + 1]):
                        reach = base + cost[arc]
                        if reach >= nearest:
                            lowest = min(lowest, reach)
                            break
                        r = column[arc]
                        reach += v[r]
                        target = rows + r
                        useless = reach >= nearest or reach >= distance[target]
                        if useless and reach >= lowest:
                            continue
                        if flow[arc] >= capacity[arc]:
                            continue
                        if grouped:
                            g = group[arc]
                            if inside >= 0:
                                if g != inside:
                                    continue
                            elif g >= 0 and group_load[g] >= group_room[g]:
                                continue
                        lowest = min(lowest, reach)
                        if useless:
                            continue
                        if distance[target] == INFINITE:
                            touched[known] = target
                            known += 1
                        distance[target] = reach
                        from_node[target] = node
                        from_arc[target] = arc
                        if load[r] < room[r]:
                            close = reach - v[r] + (0 if load[r] < least[r] else reward)
                            if close < nearest:
                                nearest = close
                                end = target
                        if reach < nearest:
                            push(keys, heap, size, distance[target], target)
                            size += 1
                    if inside < 0 and here < lowest < INFINITE:
                        # As high as its arcs allow: searches then turn away from this row before they have come to it.
                        u[q] += lowest - here
                        distance[q] = lowest
                else:
                    # From a column back along the arcs that it has flow from.
                    r = node - rows
                    for cell in range(first[r], filled[r]):
                        target = cell_row[cell]
                        back = here - cell_cost[cell] - v[r]
                        g = group[cell_arc[cell]] if grouped else -1
                        if g >= 0 and group_load[g] >= group_room[g]:
                            back += w[g]
                            target = rows + columns + g
                        else:
                            back += u[target]
                        if back < nearest and back < distance[target]:
                            if distance[target] == INFINITE:
                                touched[known] = target
                                known += 1
                            distance[target] = back
                            from_node[target] = node
                            from_arc[target] = cell_arc[cell]
                            push(keys, heap, size, distance[target], target)
                            size += 1
                while size > 0 and keys[0] > distance[heap[0]]:  # reached on a shorter way since
                    drop_first(keys, heap, size)
                    size -= 1
                if size == 0 or keys[0] >= nearest:
                    break
                node = heap[0]
                drop_first(keys, heap, size)
                size -= 1
                if size + nodes > len(heap):
                    heap, keys = np.append(heap, heap), np.append(keys, keys)
            if end < 0:
                for i in range(known):
                    distance[touched[i]] = INFINITE
                unmet[p] = need
                break
            _raise_potentials(touched, known, distance, nearest, u, v, w)
            r = end - rows
            amount = min(need, room[r] - load[r])
            if load[r] < least[r]:
                amount = min(amount, least[r] - load[r])
            amount = _carried(
                amount, p, end, rows, columns, from_node, from_arc, capacity, flow, group, group_room, group_load
            )
            load[r] += amount
            need -= amount
            node = end
            while node != p:
                arc, source = from_arc[node], from_node[node]
                if arc < 0:  # from a full group back to its row
                    group_load[source - rows - columns] -= amount
                elif node >= rows and node < rows + columns:
                    if flow[arc] == 0:
                        cell = filled[column[arc]]
                        filled[column[arc]] += 1
                        cell_row[cell] = source if source < rows else group_row[source - rows - columns]
                        cell_arc[cell] = arc
                        cell_cost[cell] = cost[arc]
                    flow[arc] += amount
                    if grouped and source < rows and group[arc] >= 0:
                        g = group[arc]
                        group_load[g] += amount
                        if group_load[g] >= group_room[g]:
                            w[g] = u[source]
                else:
                    flow[arc] -= amount
                    if grouped and node < rows and group[arc] >= 0:
                        group_load[group[arc]] -= amount
                    if flow[arc] == 0:
                        _empty_cell(first[column[arc]], column[arc], arc, filled, cell_row, cell_arc, cell_cost)
                node = source
    v -= reward  # prices are relative to the end, which has had this potential all along
    u -= reward
    w -= reward
