"""Walks along the rows of a few authors in the tables of ownership and affiliations: compiled.

`retriever.careers`, `retriever.contenders` and `retriever.workplaces` have the same on arrays, where the calls take
longer than the walk.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(nogil=True, cache=True)
def careers(
    authors: NDArray[np.int64],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    years: NDArray[np.int16],
    citations: NDArray[np.int32],
    place_starts: NDArray[np.int64],
    place_units: NDArray[np.int32],
    institutions: NDArray[np.int32],
    no_year: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """See `retriever.careers.Careers`."""
    count = len(authors)
    papers, cited = np.empty(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    first, last = np.full(count, no_year, dtype=np.int64), np.full(count, no_year, dtype=np.int64)
    current = np.full(count, -1, dtype=np.int64)
    for row in range(count):
        author = authors[row]
        papers[row] = author_starts[author + 1] - author_starts[author]
        for unit in author_units[author_starts[author] : author_starts[author + 1]]:
            year = np.int64(years[unit])
            cited[row] += citations[unit]
            last[row] = max(last[row], year)
            if year != no_year and (first[row] == no_year or year < first[row]):
                first[row] = year
        latest = -1
        for place in range(place_starts[author], place_starts[author + 1]):
            unit = place_units[place]
            # Units ascend: of the latest year the highest one counts, and of that the institution named first.
            if latest < 0 or years[unit] > years[latest] or (years[unit] == years[latest] and unit > latest):
                latest, current[row] = unit, institutions[place]
    return papers, cited, first, last, current


@numba.njit(nogil=True, cache=True)
def coauthors(
    author: int,
    among: NDArray[np.int32],
    order: NDArray[np.int64],
    author_starts: NDArray[np.int64],
    author_units: NDArray[np.int32],
    unit_starts: NDArray[np.int64],
    unit_authors: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Who of `among`, whom `order` makes ascend, has written with this author, who has so with themselves."""
    mask = np.zeros(len(among), dtype=np.bool_)
    for unit in author_units[author_starts[author] : author_starts[author + 1]]:
        for other in unit_authors[unit_starts[unit] : unit_starts[unit + 1]]:
            low, high = 0, len(order)
            while low < high:
                middle = (low + high) // 2
                if among[order[middle]] < other:
                    low = middle + 1
                else:
                    high = middle
            if low < len(order) and among[order[low]] == other:
                mask[order[low]] = True
    return mask


@numba.njit(nogil=True, cache=True)
def together(
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
    """See `retriever.workplaces.together`."""
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
                place = np.searchsorted(others, other)
                if place < len(others) and others[place] == other:
                    rows[kept], found[kept], written[kept] = row, other, unit
                    kept += 1
    return rows[:kept], found[:kept], written[:kept]


@numba.njit(nogil=True, cache=True)
def whereabouts(
    authors: NDArray[np.int64],
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    years: NDArray[np.int16],
    since: int,
    no_year: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """See `retriever.workplaces.whereabouts`."""
    total = 0
    for author in authors:
        total += starts[author + 1] - starts[author]
    rows, places = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    kept = 0
    for row in range(len(authors)):
        begin, end = starts[authors[row]], starts[authors[row] + 1]
        latest = no_year
        for place in range(begin, end):
            latest = max(latest, int(years[units[place]]))
        for place in range(begin, end):
            year = int(years[units[place]])
            if year >= since or year in (no_year, latest):
                rows[kept], places[kept] = row, place
                kept += 1
    return rows[:kept], places[:kept]


@numba.njit(nogil=True, cache=True)
def colleagues(
    authors: NDArray[np.int64],
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    institutions: NDArray[np.int32],
    years: NDArray[np.int16],
    since: int,
    no_year: int,
    name_numbers: NDArray[np.int32],
    ror_cuts: NDArray[np.int64],
    certain: NDArray[np.int64],
    possible: NDArray[np.int64],
    names: NDArray[np.int64],
    loose_names: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """See `retriever.workplaces.Workplaces.among`."""
    rows, places = whereabouts(authors, starts, units, years, since, no_year)
    sure = np.empty(len(rows), dtype=np.bool_)
    kept = 0
    for entry in range(len(rows)):
        there = institutions[places[entry]]
        name, nameless = name_numbers[there], ror_cuts[there + 1] == ror_cuts[there]
        sure[kept] = _among(there, certain)
        if sure[kept] or _among(there, possible) or _among(name, loose_names) or (nameless and _among(name, names)):
            rows[kept], places[kept] = rows[entry], places[entry]
            kept += 1
    return rows[:kept], places[:kept], sure[:kept]


@numba.njit(nogil=True, cache=True, inline="always")
def _among(number: int, wanted: NDArray[np.int64]) -> bool:
    for one in wanted:  # noqa: SIM110  # a dozen at most
        if one == number:
            return True
    return False
