"""Ejection chains: a row gets a better column by taking it from another row, which takes one from a third, and so on.

A chain begins at a row that gives up one of its arcs for a better one. The column it takes, if it is full, must give up
one of its rows; that row takes another column, which must still leave it at or above its floor. The chain ends at a
column with room, or at the column that the first row gave up. Dijkstra's algorithm with the prices of the greatest
total as potentials finds a chain that costs the total least; a row is met at most once in a chain.
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, helper, kernel
from retriever.assignment.board import Board, ChainSearch
from retriever.assignment.kernels.flow import drop_first, push

EVERYWHERE = 1 << 60  # a search without a limit
_NEARBY = 400  # columns that the search of one row goes on from, when rows are raised one by one
_SLACK = 1e-12  # sums of a few float64 numbers that should be equal differ by less


@helper
def _meets(board: Board, search: ChainSearch, node: int, row: int) -> bool:
    """Whether the chain to a column has met a row before."""
    while node >= 0:
        if board.row_of[search.taken[node]] == row:
            return True
        node = search.before[node]
    return False


@kernel
def find_chain(
    board: Board,  # the assignment
    search: ChainSearch,  # scratch memory
    floor: NDArray[np.float64],  # (rows) what every other row must have afterwards
    start: int,  # the row
    target: float,  # what it must have afterwards
    only: int,  # the arc that it takes up, -1: any
    one_more: bool,  # whether the row gives nothing up but gets one more
    most: int,  # columns that the search goes on from, at most
) -> int:
    """A chain that brings row `start` to `target`, written to the search; returns its length, 0 if there is none."""
    starts, column, worth, price, load = board.starts, board.column, board.worth, board.price, board.load
    seen, done, distance, taken = search.seen, search.done, search.distance, search.taken
    given, before, first = search.given, search.before, search.first
    search.turn[0] += 1
    turn = search.turn[0]
    keys, heap, size = np.empty(64, dtype=np.float64), np.empty(64, dtype=np.int32), 0
    nearest, end, node = np.inf, -1, -1
    while True:
        count = load[node] if node >= 0 else 1 if one_more else board.arcs_by_row.shape[1]
        for i in range(count):
            if node >= 0:
                out, base = board.arcs_by_reviewer[node, i], distance[node] - price[node]
                row = board.row_of[out]
                origin = first[node]
                if board.fixed[out] or row == start or _meets(board, search, node, row):
                    continue
                needed = floor[row] - board.total[row] - _SLACK
            else:
                row, out, base = start, -1 if one_more else board.arcs_by_row[start, i], 0.0
                origin = out
                if not one_more and (out < 0 or board.fixed[out]):
                    continue
                needed = target - board.total[row] - _SLACK
            if out >= 0:
                needed += worth[out]
                base += worth[out]
            home = column[origin] if origin >= 0 else -1
            stays = origin >= 0 and load[home] <= board.least[home]  # its least load: the chain must end there
            for arc in range(starts[row], starts[row + 1]):
                if worth[arc] < needed:
                    break
                r = column[arc]
                if done[r] == turn or board.chosen[arc] or not board.usable[arc] or (node < 0 <= only != arc):
                    continue
                reach = base - worth[arc] + price[r]
                if node >= 0 and reach < distance[node]:
                    reach = distance[node]
                if seen[r] == turn and reach >= distance[r]:
                    continue
                ends = r == home or (load[r] < board.room[r] and not stays)
                if ends and reach - price[r] < nearest:
                    nearest, end = reach - price[r], r
                elif reach >= nearest or r == end:  # what leads to the end so far is not overwritten by what cannot end
                    continue
                seen[r] = turn
                distance[r] = reach
                taken[r], given[r], before[r], first[r] = arc, out, node, origin
                if size >= len(heap):
                    keys, heap = np.append(keys, keys), np.append(heap, heap)
                push(keys, heap, size, reach, r)
                size += 1
        while size > 0 and done[heap[0]] == turn:
            drop_first(keys, heap, size)
            size -= 1
        if size == 0 or keys[0] >= nearest or heap[0] == end or most == 0:
            break
        most -= 1
        node = heap[0]
        drop_first(keys, heap, size)
        size -= 1
        done[node] = turn
    length = 0
    while end >= 0:
        search.arcs_in[length], search.arcs_out[length] = taken[end], given[end]
        length += 1
        end = before[end]
    return length


@kernel
def apply_chain(board: Board, search: ChainSearch, length: int) -> None:
    """Carry out the chain that was found."""
    for i in range(length):
        out = search.arcs_out[i]
        r = board.column[out]
        board.chosen[out] = False
        board.load[r] -= 1
        cells = board.arcs_by_reviewer[r]
        cells[np.argmax(cells == out)] = cells[board.load[r]]
        board.total[board.row_of[out]] -= board.worth[out]
    for i in range(length):
        arc, out = search.arcs_in[i], search.arcs_out[i]
        r, row = board.column[arc], board.row_of[arc]
        board.chosen[arc] = True
        board.arcs_by_reviewer[r, board.load[r]] = arc
        board.load[r] += 1
        board.total[row] += board.worth[arc]
        board.arcs_by_row[row, np.argmax(board.arcs_by_row[row] == out)] = arc


@kernel
def raise_floor(
    board: Board, search: ChainSearch, wanted: NDArray[np.bool_], target: float, halvings: int, watch: Written[np.int64]
) -> bool:
    """Bring every wanted row to `target`, or as near as one can; whether all of them are there.

    A row that no chain brings there at once is brought half the way, or a quarter, and tried again.
    """
    total = board.total
    everything = True
    for row in np.argsort(total):
        if watch[1]:
            return False
        watch[0] += 1
        tries = 0
        while wanted[row] and total[row] < target - _SLACK:
            floor = np.minimum(total, target)
            way, length = target - total[row], 0
            for _ in range(halvings + 1):
                length = find_chain(board, search, floor, row, total[row] + way, -1, False, EVERYWHERE)
                if length > 0:
                    break
                way /= 2
            tries += 1
            if length == 0 or tries > 4 * halvings:
                everything = False
                break
            apply_chain(board, search, length)
    return everything


@helper
def _lift(board: Board, search: ChainSearch, settled: NDArray[np.bool_], row: int, way: float) -> int:
    """A chain that raises a row by `way`; no settled row is lowered, and none below where this one will be."""
    target = board.total[row] + way
    floor = np.where(settled, board.total, np.minimum(board.total, target))
    return find_chain(board, search, floor, row, target, -1, False, _NEARBY)


@kernel
def raise_all(
    board: Board,
    search: ChainSearch,
    wanted: NDArray[np.bool_],
    ceiling: NDArray[np.float64],
    halvings: int,
    watch: Written[np.int64],
) -> None:
    """Raise the lowest row, then the next lowest, and so on; none is lowered below one that it helps.

    A row that cannot be raised any more stays where it is, and so do all below it. `watch` counts the rows that stay.
    """
    total = board.total
    settled = ~wanted
    while True:
        row = -1
        for other in range(len(total)):
            if not settled[other] and (row < 0 or total[other] < total[row]):
                row = other
        if row < 0 or watch[1]:
            return
        way, length = ceiling[row] - total[row], 0
        if way > _SLACK:
            length = _lift(board, search, settled, row, way)
            if length == 0 and _lift(board, search, settled, row, min(way, 1e-6 * (1 + abs(total[row])))) > 0:
                for step in range(1, halvings + 1):  # there is a way, so how far does it lead?
                    length = _lift(board, search, settled, row, way / 2**step)
                    if length > 0:
                        break
        if length == 0:
            settled[row] = True
            watch[0] += 1
        else:
            apply_chain(board, search, length)


@kernel
def pick_in_turn(board: Board, search: ChainSearch, turns: NDArray[np.int64], watch: Written[np.int64]) -> None:
    """Rows pick in the order of `turns` the best arc with which all others can still be served; picks become fixed.

    The board holds a whole assignment at any time: what is picked already, and how the rest can be served.
    """
    free = np.full(len(board.total), -np.inf)
    for row in turns:
        if watch[1]:
            return
        watch[0] += 1
        for arc in range(board.starts[row], board.starts[row + 1]):
            if board.fixed[arc]:
                continue
            if not board.chosen[arc]:
                if not board.usable[arc]:
                    continue
                length = find_chain(board, search, free, row, -np.inf, arc, False, EVERYWHERE)
                if length == 0:
                    continue
                apply_chain(board, search, length)
            board.fixed[arc] = True
            break
