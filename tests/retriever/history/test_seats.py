"""Seats that a panel keeps: enough of them, the best people on them, and all kinds at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retriever.history.seats import TEN, Seats, with_seats

flags = st.lists(st.booleans(), min_size=1, max_size=30)


def seats(least, mask):
    known = np.array(mask)
    return Seats(least, lambda authors: known[authors])


@given(flags, st.integers(0, TEN), st.integers(1, TEN))
def test_seats_are_kept_as_far_as_there_are_people(mask, least, size):
    rows, authors = np.arange(len(mask)), np.arange(len(mask), dtype=np.int32)
    before = rows[:size]
    after = with_seats(authors, rows, before, [seats(least, mask)])
    fits = np.array(mask)
    assert len(set(after.tolist())) == len(after) == len(before)
    assert fits[after].sum() >= min(least * len(before) // TEN, fits.sum())
    assert fits[after].sum() == max(fits[before].sum(), min(least * len(before) // TEN, fits.sum()))
    stayed = [row for row in before if row in after]
    assert stayed == sorted(stayed)
    assert all(not fits[row] for row in set(before) - set(after))  # the last of the others went
    came = sorted(set(after) - set(before))
    assert came == [row for row in rows[size:] if fits[row]][: len(came)]  # the best came


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30), st.integers(0, 5), st.integers(0, 5))
def test_a_later_seat_takes_none_that_was_kept_before(masks, first, second):
    rows, authors = np.arange(len(masks)), np.arange(len(masks), dtype=np.int32)
    one, other = (np.array(mask) for mask in zip(*masks, strict=True))
    alone = with_seats(authors, rows, rows[:TEN], [seats(first, one)])
    both = with_seats(authors, rows, rows[:TEN], [seats(first, one), seats(second, other)])
    need = first * len(alone) // TEN
    assert one[both].sum() >= min(need, one[alone].sum())
    if (one & other).sum() >= TEN:  # enough people fit every seat
        assert other[both].sum() >= second * len(both) // TEN
