"""Rankings that differ by noise agree, all others do not."""

import pytest
from rankings import TOLERANCE, difference

from retriever.aggregate import Aggregation

PLAIN = Aggregation.named("max")
RANKING = [("a", 0.9), ("b", 0.5), ("c", 0.2)]


@pytest.mark.parametrize(
    "other",
    [
        RANKING,
        [("a", 0.9 + TOLERANCE / 2), ("b", 0.5), ("c", 0.2 - TOLERANCE / 2)],
        [("a", 0.9), ("b", 0.5), ("d", 0.2 + TOLERANCE / 2)],  # 'c' is just beyond the end
    ],
)
def test_scores_within_the_tolerance_do_not_differ(other):
    assert difference(RANKING, other, PLAIN) is None
    assert difference(other, RANKING, PLAIN) is None


def test_those_whose_scores_are_close_may_change_places():
    close = [("a", 0.5 + TOLERANCE / 2), ("b", 0.5)]
    assert difference(close, [("b", 0.5 + TOLERANCE / 2), ("a", 0.5)], PLAIN) is None


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (RANKING[:2], "3 and 2 people"),
        ([("a", 0.9), ("b", 0.5), ("c", 0.2 + 2 * TOLERANCE)], "'c' has"),
        ([("a", 0.9), ("d", 0.5), ("c", 0.2)], "'b' has"),
        ([("b", 0.9), ("a", 0.5), ("c", 0.2)], "'a' has"),
        ([("b", 0.5), ("a", 0.9), ("c", 0.2)], "'a' and 'b' change places"),
    ],
)
def test_difference_beyond_the_tolerance_is_described(other, message):
    assert message in difference(RANKING, other, PLAIN)


def test_scores_are_compared_after_undoing_their_power():
    """Near 0 a fifth power hides differences in similarity, near 1 it magnifies noise."""
    one, other = [("a", 0.1**5)], [("a", 0.1001**5)]
    assert abs(one[0][1] - other[0][1]) < TOLERANCE
    assert difference(one, other)
    assert difference([("a", 1.0)], [("a", (1 - TOLERANCE / 2) ** 5)]) is None
