"""The kernels of conflicts: who works, or recently worked, at which institution."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import helper, kernel


@kernel
def recent_affiliations(
    authors: NDArray[np.int64],
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    years: NDArray[np.int16],
    since: int,
    no_year: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Affiliations of these authors since a year or without one, and those on their latest paper however old it is.

    Returns:
        Positions in `authors`, and positions in the `units` and `institutions` of the affiliations.
    """
    total = 0
    for author in authors:
        total += starts[author + 1] - starts[author]
    rows, entries = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    count = 0
    for row in range(len(authors)):
        begin, end = starts[authors[row]], starts[authors[row] + 1]
        latest = no_year
        for entry in range(begin, end):
            latest = max(latest, int(years[units[entry]]))
        for entry in range(begin, end):
            year = int(years[units[entry]])
            if year >= since or year in (no_year, latest):
                rows[count], entries[count] = row, entry
                count += 1
    return rows[:count], entries[:count]


@helper
def _contains(numbers: NDArray[np.int64], number: np.int32) -> bool:
    for entry in numbers:  # noqa: SIM110  # some dozens at most
        if entry == number:
            return True
    return False


@kernel
def colleagues(
    authors: NDArray[np.int64],
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    institutions: NDArray[np.int32],
    years: NDArray[np.int16],
    since: int,
    no_year: int,
    name_numbers: NDArray[np.int32],
    ror_offsets: NDArray[np.int64],
    certain: NDArray[np.int64],
    possible: NDArray[np.int64],
    names: NDArray[np.int64],
    names_without_ror: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Find reviewers at institutions; see `retriever.conference.conflicts.colleagues.Workplaces.colleagues`."""
    rows, entries = recent_affiliations(authors, starts, units, years, since, no_year)
    sure = np.empty(len(rows), dtype=np.bool_)
    count = 0
    for number in range(len(rows)):
        institution = institutions[entries[number]]
        name, without_ror = name_numbers[institution], ror_offsets[institution + 1] == ror_offsets[institution]
        sure[count] = _contains(certain, institution)
        if (
            sure[count]
            or _contains(possible, institution)
            or _contains(names_without_ror, name)
            or (without_ror and _contains(names, name))
        ):
            rows[count], entries[count] = rows[number], entries[number]
            count += 1
    return rows[:count], entries[:count], sure[:count]
