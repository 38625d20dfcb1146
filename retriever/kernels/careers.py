"""The kernel of careers: what the units of each author add up to."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import kernel


@kernel
def careers(
    authors: NDArray[np.int64],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    years: NDArray[np.int16],
    citations: NDArray[np.int32],
    affiliation_starts: NDArray[np.int64],
    affiliation_units: NDArray[np.int32],
    institutions: NDArray[np.int32],
    no_year: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The columns of `retriever.careers.Careers`."""
    count = len(authors)
    papers, cited = np.empty(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    first, last = np.full(count, no_year, dtype=np.int64), np.full(count, no_year, dtype=np.int64)
    current = np.full(count, -1, dtype=np.int64)
    for row in range(count):
        author = authors[row]
        papers[row] = author_starts[author + 1] - author_starts[author]
        for unit in author_units[author_starts[author] : author_starts[author + 1]]:
            year = np.int64(years[unit])
            cited[row] += max(citations[unit], 0)
            last[row] = max(last[row], year)
            if year != no_year and (first[row] == no_year or year < first[row]):
                first[row] = year
        latest = -1
        for entry in range(affiliation_starts[author], affiliation_starts[author + 1]):
            unit = affiliation_units[entry]
            # Units ascend: of the latest year the highest one counts, and of that the institution named first.
            if latest < 0 or years[unit] > years[latest] or (years[unit] == years[latest] and unit > latest):
                latest, current[row] = unit, institutions[entry]
    return papers, cited, first, last, current
