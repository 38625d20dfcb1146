"""The kernel of conflicts: recent papers that authors of a submission share with reviewers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import kernel


@kernel
def coauthored_since(
    authors: NDArray[np.int64],
    others: NDArray[np.int32],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
    years: NDArray[np.int16],
    since: int,
    no_year: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """The papers since a year, or without one, that these authors share with any of `others`, who are sorted.

    Returns:
        Positions in `authors`, the number of the other one, and the unit; in the order of authors, units, author lists.
    """
    total = 0
    for author in authors:
        for unit in author_units[author_starts[author] : author_starts[author + 1]]:
            total += unit_starts[unit + 1] - unit_starts[unit]
    rows, found = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int32)
    written = np.empty(total, dtype=np.int32)
    kept = 0
    for row in range(len(authors)):
        for unit in author_units[author_starts[authors[row]] : author_starts[authors[row] + 1]]:
            if years[unit] < since and years[unit] != no_year:
                continue
            for other in unit_authors[unit_starts[unit] : unit_starts[unit + 1]]:
                position = np.searchsorted(others, other)
                if position < len(others) and others[position] == other:
                    rows[kept], found[kept], written[kept] = row, other, unit
                    kept += 1
    return rows[:kept], found[:kept], written[:kept]
