"""An assignment that is being improved: who has what, as the arrays that the kernels for chains take and change.

All of them are marked as written to, since numba has one type for a whole tuple; only the assignment itself (from
`chosen` on) and the search change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from indexing.kernels import Written, WrittenMatrix
from retriever.assignment.problem import Flags, Floats, Problem, add_up, positions_within


class Board(NamedTuple):
    """An assignment that chains change."""

    starts: Written[np.int64]  # (rows + 1) where the arcs of each row begin
    column: Written[np.int32]  # (arcs)
    worth: Written[np.float64]  # (arcs) descending within a row
    row_of: Written[np.int32]  # (arcs)
    usable: Written[np.bool_]  # (arcs) whether an arc may be taken up
    fixed: Written[np.bool_]  # (arcs) whether an arc may not be given up
    room: Written[np.int64]  # (columns) greatest loads
    least: Written[np.int64]  # (columns) smallest loads
    price: Written[np.float64]  # (columns) potentials
    chosen: Written[np.bool_]  # (arcs) the assignment
    arcs_by_reviewer: WrittenMatrix[np.int32]  # (columns, most) arcs of each column; the first `load` count
    arcs_by_row: WrittenMatrix[np.int32]  # (rows, most) arcs of each row; -1: none
    load: Written[np.int64]  # (columns)
    total: Written[np.float64]  # (rows) sums of worth, with locked pairs


class ChainSearch(NamedTuple):
    """What a search notes at each column; `turn` says of which search it is."""

    turn: Written[np.int64]  # (1) the number of the search
    seen: Written[np.int64]  # (columns) the last search that came there
    done: Written[np.int64]  # (columns) the last search that left from there
    distance: Written[np.float64]  # (columns)
    taken: Written[np.int32]  # (columns) the arc that leads there
    given: Written[np.int32]  # (columns) the arc that its row gives up for it, -1: none
    before: Written[np.int32]  # (columns) the column of that arc, -1 at the beginning of the chain
    first: Written[np.int32]  # (columns) the arc that the first row of the chain gives up, -1: none
    arcs_in: Written[np.int32]  # (rows + 1) the chain that was found: what is taken up
    arcs_out: Written[np.int32]  # (rows + 1) what is given up for it


@dataclass(frozen=True, slots=True, eq=False)
class WorkingAssignment:
    """The chosen candidates of a problem, by row and by reviewer."""

    problem: Problem
    board: Board
    search: ChainSearch

    @classmethod
    def of(cls, problem: Problem, chosen: Flags, price: Floats) -> WorkingAssignment:
        """Begin with these candidates; prices guide the searches."""
        pairs = problem.candidates
        row, arcs = pairs.row, np.flatnonzero(chosen)
        reviewers, rows = len(problem.reviewers), problem.rows
        load = np.bincount(pairs.reviewer[arcs], minlength=reviewers)
        count = np.bincount(row[arcs], minlength=rows)
        # Nobody reviews more than every row, whatever the quota.
        most = max(min(int(problem.room.max(initial=0)), rows), int(load.max(initial=0)))
        arcs_by_reviewer = np.full((reviewers, most + 1), -1, dtype=np.int32)
        arcs_by_row = np.full((rows, int(problem.open_demand.max(initial=0)) + 1), -1, dtype=np.int32)
        by_reviewer = arcs[np.argsort(pairs.reviewer[arcs], kind="stable")]
        arcs_by_reviewer[pairs.reviewer[by_reviewer], positions_within(load)] = by_reviewer
        arcs_by_row[row[arcs], positions_within(count)] = arcs
        board = Board(
            pairs.starts,
            pairs.reviewer,
            problem.worth,
            row.astype(np.int32),
            ~pairs.absent,
            pairs.old & problem.options.keep,
            problem.room,
            problem.open_least,
            price,
            chosen.copy(),
            arcs_by_reviewer,
            arcs_by_row,
            load.astype(np.int64),
            problem.locked_sums + add_up(problem.worth[arcs], row[arcs], rows),
        )
        numbers = (np.zeros(size, dtype=np.int64) for size in (1, reviewers, reviewers))
        arcs_of = (np.empty(size, dtype=np.int32) for size in (*[reviewers] * 4, rows + 1, rows + 1))
        return cls(problem, board, ChainSearch._make((*numbers, np.empty(reviewers), *arcs_of)))
