"""Seats that a panel keeps: of every ten at least so many for people whom the submission does not cite, or newcomers.

Authors could cite whom they want as reviewers, and who reviewed before would be asked again and again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retriever.stages import Shortlist

TEN = 10
"""Of how many people a number of kept seats is counted."""


class Seats(NamedTuple):
    """How many of ten are kept, and for which authors: a mask over author numbers."""

    least: int
    fits: Callable[[NDArray[np.int32]], NDArray[np.bool_]]


def kept_seats(shortlist: Shortlist, uncited: int, newcomers: int) -> list[Seats]:
    """The seats that are kept for those who are not cited and for those without a history, where either is known."""
    seats = []
    if uncited and (citations := shortlist.citations) is not None:
        seats.append(Seats(uncited, lambda authors: ~citations.are_cited(authors)))
    if newcomers and shortlist.seen is not None:
        seats.append(Seats(newcomers, shortlist.seen.new))
    return seats


def with_seats(
    authors: NDArray[np.int32], rows: NDArray[np.int64], chosen: NDArray[np.int64], seats: Sequence[Seats]
) -> NDArray[np.int64]:
    """Some of these rows of a ranking of authors, of which seats are kept, as far as there are people for them.

    The last of the others make room for the best whom a seat is kept for, who stand at the end; a seat that was kept
    before stays.
    """
    for number, (least, fits) in enumerate(seats):
        unfit = np.flatnonzero(~fits(authors[chosen]))[::-1]
        missing = least * len(chosen) // TEN - (len(chosen) - len(unfit))
        if missing <= 0:
            continue
        spare = rows[~np.isin(rows, chosen)]
        spare = spare[fits(authors[spare])]
        for gone in chosen[unfit].tolist():
            if missing == 0:
                break
            free = np.ones(len(spare), np.bool_)
            for most, kept in seats[:number]:
                count, leaves = int(kept(authors[chosen]).sum()), int(kept(authors[[gone]])[0])
                free &= count - leaves + kept(authors[spare]) >= min(most * len(chosen) // TEN, count)
            if free.any():
                best = int(free.argmax())
                chosen = np.append(chosen[chosen != gone], spare[best])
                spare, missing = np.delete(spare, best), missing - 1
    return chosen
