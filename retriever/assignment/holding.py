"""An assignment that is being improved: who has what, in the form that the kernels for chains take and change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.assignment.board import Board, Search
from retriever.assignment.flow import Flow
from retriever.assignment.problem import Flags, Floats, Problem, add_up, positions_within


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """The chosen candidates of a problem, by row and by reviewer."""

    problem: Problem
    board: Board
    search: Search

    @classmethod
    def of(cls, problem: Problem, chosen: Flags, price: Floats) -> Holding:
        """Begin with these candidates; prices guide the searches."""
        pairs = problem.candidates
        row, arcs = pairs.row, np.flatnonzero(chosen)
        reviewers, rows = len(problem.reviewers), problem.rows
        load = np.bincount(pairs.reviewer[arcs], minlength=reviewers)
        count = np.bincount(row[arcs], minlength=rows)
        # Nobody holds more than every row, whatever the quota.
        most = max(min(int(problem.room.max(initial=0)), rows), int(load.max(initial=0)))
        held = np.full((reviewers, most + 1), -1, dtype=np.int32)
        has = np.full((rows, int(problem.open_demand.max(initial=0)) + 1), -1, dtype=np.int32)
        by_reviewer = arcs[np.argsort(pairs.reviewer[arcs], kind="stable")]
        held[pairs.reviewer[by_reviewer], positions_within(load)] = by_reviewer
        has[row[arcs], positions_within(count)] = arcs
        total = problem.locked_sums + add_up(problem.worth[arcs], row[arcs], rows)
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
            held,
            has,
            load.astype(np.int64),
            total,
        )
        return cls(problem, board, _search(rows, reviewers))

    @classmethod
    def of_flow(cls, problem: Problem, flow: Flow) -> Holding:
        """Begin with a cheapest flow."""
        return cls.of(problem, flow.amount > 0, flow.price)

    @property
    def chosen(self) -> Flags:
        """(candidates)."""
        return self.board.chosen

    @property
    def total(self) -> Floats:
        """(rows) sums of worth, with locked pairs."""
        return self.board.total

    def copy(self) -> Holding:
        """An independent one."""
        return Holding.of(self.problem, self.chosen, self.board.price)


def _search(rows: int, reviewers: int) -> Search:
    def numbers() -> NDArray[np.int32]:
        return np.empty(reviewers, dtype=np.int32)

    return Search(
        np.zeros(1, dtype=np.int64),
        np.zeros(reviewers, dtype=np.int64),
        np.zeros(reviewers, dtype=np.int64),
        np.empty(reviewers),
        numbers(),
        numbers(),
        numbers(),
        numbers(),
        np.empty(rows + 1, dtype=np.int32),
        np.empty(rows + 1, dtype=np.int32),
    )
