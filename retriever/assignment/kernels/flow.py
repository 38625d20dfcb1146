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

from indexing.kernels import Written, helper, kernel

Keys = NDArray[np.int64] | NDArray[np.float64]
INFINITE = np.int64(1) << 62


@helper
def push(keys: Keys, heap: NDArray[np.int32], size: int, key: int, node: int) -> None:
    """Add a node to a heap of `size` nodes; one that is there already stays there with its older, larger key."""
    cell = size
    while cell > 0:
        above = (cell - 1) >> 2
        if keys[above] <= key:
            break
        keys[cell] = keys[above]
        heap[cell] = heap[above]
        cell = above
    keys[cell] = key
    heap[cell] = node


@helper
def drop_first(keys: Keys, heap: NDArray[np.int32], size: int) -> None:
    """Take the nearest node off a heap of `size` nodes."""
    size -= 1
    key, node = keys[size], heap[size]
    cell = 0
    while True:
        below = 4 * cell + 1
        if below >= size:
            break
        for other in range(below + 1, min(below + 4, size)):
            if keys[other] < keys[below]:
                below = other
        if keys[below] >= key:
            break
        keys[cell] = keys[below]
        heap[cell] = heap[below]
        cell = below
    keys[cell] = key
    heap[cell] = node


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


@kernel
def send(
    network: FlowNetwork,
    reward: int,  # of each unit that a column takes with preference; 0 if there are none
    watch: Written[np.int64],  # rows served; whether to stop (`retriever.assignment.watch`)
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find a cheapest flow that sends all it can.

    Returns:
        (arcs) the flow; (rows) what each could not send; (rows) potentials; (columns) potentials relative to the end:
        the price of the last unit of room.
    """
    starts, column, cost, capacity = network.starts, network.column, network.cost, network.capacity
    group, group_room, group_row = network.group, network.group_room, network.group_row
    demand, room, least = network.demand, network.room, network.least
    rows, columns, groups = len(demand), len(room), len(group_room)
    grouped = groups > 0
    nodes = rows + columns + groups
    flow, unmet = np.zeros(len(cost), dtype=np.int64), np.zeros(rows, dtype=np.int64)
    potential = np.zeros(nodes, dtype=np.int64)
    u, v, w = potential[:rows], potential[rows : rows + columns], potential[rows + columns :]
    for p in range(rows):
        if starts[p] < starts[p + 1]:
            u[p] = cost[starts[p]]  # the highest that fits
    load = np.zeros(columns, dtype=np.int64)
    group_load = np.zeros(groups, dtype=np.int64)
    # The arcs with flow into each column, as cells side by side: arcs are many and far apart in memory.
    first = np.zeros(columns + 1, dtype=np.int64)
    first[1:] = np.cumsum(np.minimum(np.bincount(column, minlength=columns), room))
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
            break
        watch[0] += 1
        need = demand[p]
        while need > 0:
            size, touched_count = 0, 0
            nearest, end = INFINITE, -1
            distance[p] = 0
            touched[0] = p
            touched_count = 1
            node = p
            while True:
                node_distance = distance[node]
                if node < rows or node >= rows + columns:
                    # From a row along its arcs; from a full group along the arcs of that group only.
                    q, entry_group, base = node, -1, node_distance
                    if node >= rows + columns:
                        entry_group = node - rows - columns
                        q = group_row[entry_group]
                        base -= w[entry_group]
                        back = base + u[q]
                        if back < nearest and back < distance[q]:
                            if distance[q] == INFINITE:
                                touched[touched_count] = q
                                touched_count += 1
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
                            if entry_group >= 0:
                                if g != entry_group:
                                    continue
                            elif g >= 0 and group_load[g] >= group_room[g]:
                                continue
                        lowest = min(lowest, reach)
                        if useless:
                            continue
                        if distance[target] == INFINITE:
                            touched[touched_count] = target
                            touched_count += 1
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
                    if entry_group < 0 and node_distance < lowest < INFINITE:
                        # As high as its arcs allow: searches then turn away from this row before they have come to it.
                        u[q] += lowest - node_distance
                        distance[q] = lowest
                else:
                    # From a column back along the arcs that it has flow from.
                    r = node - rows
                    for cell in range(first[r], filled[r]):
                        target = cell_row[cell]
                        back = node_distance - cell_cost[cell] - v[r]
                        g = group[cell_arc[cell]] if grouped else -1
                        if g >= 0 and group_load[g] >= group_room[g]:
                            back += w[g]
                            target = rows + columns + g
                        else:
                            back += u[target]
                        if back < nearest and back < distance[target]:
                            if distance[target] == INFINITE:
                                touched[touched_count] = target
                                touched_count += 1
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
                distance[touched[:touched_count]] = INFINITE
                unmet[p] = need
                break
            for node in touched[:touched_count]:  # all that is nearer than the end
                rise = nearest - distance[node]
                distance[node] = INFINITE
                if rise > 0:
                    potential[node] += rise
            r = end - rows
            amount = min(need, room[r] - load[r])
            if load[r] < least[r]:
                amount = min(amount, least[r] - load[r])
            node = end
            while node != p:  # what the path carries
                arc, source = from_arc[node], from_node[node]
                if arc >= 0 and rows <= node < rows + columns:
                    amount = min(amount, capacity[arc] - flow[arc])
                    if grouped and source < rows and group[arc] >= 0:
                        amount = min(amount, group_room[group[arc]] - group_load[group[arc]])
                elif arc >= 0:
                    amount = min(amount, flow[arc])
                node = source
            load[r] += amount
            need -= amount
            node = end
            while node != p:
                arc, source = from_arc[node], from_node[node]
                if arc < 0:  # from a full group back to its row
                    group_load[source - rows - columns] -= amount
                elif rows <= node < rows + columns:
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
                        filled[column[arc]] -= 1
                        last, cell = filled[column[arc]], first[column[arc]]
                        while cell_arc[cell] != arc:
                            cell += 1
                        cell_row[cell], cell_arc[cell], cell_cost[cell] = (
                            cell_row[last],
                            cell_arc[last],
                            cell_cost[last],
                        )
                node = source
    potential -= reward  # prices are relative to the end, which has had this potential all along
    return flow, unmet, u, v
