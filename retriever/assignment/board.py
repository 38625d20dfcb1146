"""An assignment as the kernels for chains take it: plain arrays, by name.

All of them are marked as written to, since numba has one type for a whole tuple; only the assignment itself (from
`chosen` on) and the search change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indexing.kernels import Written, WrittenMatrix


class Board(NamedTuple):
    """An assignment that chains change.

    Attributes:
        starts: (rows + 1) where the arcs of each row begin.
        column: (arcs).
        worth: (arcs) descending within a row.
        row_of: (arcs).
        usable: (arcs) whether an arc may be taken up.
        fixed: (arcs) whether an arc may not be given up.
        room: (columns) greatest loads.
        least: (columns) smallest loads.
        price: (columns) potentials.
        chosen: (arcs) the assignment.
        held: (columns, most) arcs of each column; the first `load` count.
        has: (rows, most) arcs of each row; -1: none.
        load: (columns).
        total: (rows) what each row has.
    """

    starts: Written[np.int64]
    column: Written[np.int32]
    worth: Written[np.float64]
    row_of: Written[np.int32]
    usable: Written[np.bool_]
    fixed: Written[np.bool_]
    room: Written[np.int64]
    least: Written[np.int64]
    price: Written[np.float64]
    chosen: Written[np.bool_]
    held: WrittenMatrix[np.int32]
    has: WrittenMatrix[np.int32]
    load: Written[np.int64]
    total: Written[np.float64]


class Search(NamedTuple):
    """What a search notes at each column; `turn` says of which search it is.

    Attributes:
        turn: (1) the number of the search.
        seen: (columns) the last search that came there.
        done: (columns) the last search that left from there.
        distance: (columns).
        taken: (columns) the arc that leads there.
        given: (columns) the arc that its row gives up for it, -1: none.
        before: (columns) the column of that arc, -1 at the beginning of the chain.
        first: (columns) the arc that the first row of the chain gives up, -1: none.
        arcs_in: (rows + 1) the chain that was found: what is taken up.
        arcs_out: (rows + 1) what is given up for it.
    """

    turn: Written[np.int64]
    seen: Written[np.int64]
    done: Written[np.int64]
    distance: Written[np.float64]
    taken: Written[np.int32]
    given: Written[np.int32]
    before: Written[np.int32]
    first: Written[np.int32]
    arcs_in: Written[np.int32]
    arcs_out: Written[np.int32]
