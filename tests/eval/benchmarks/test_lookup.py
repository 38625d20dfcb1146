"""Whether suggestions of a higher grade are more often right: counted by hand, and shown as a picture."""

import numpy as np
import pytest

from eval.benchmarks.lookup import reliability_section, shares_right
from eval.measures.statistics import resampling_counts
from panelist.records import Confidence


def test_the_share_of_each_grade_that_is_right():
    near = [np.array([0, 1, 2]), np.array([2, 5]), np.array([1])]
    right = [np.array([True, False, False]), np.array([True, True]), np.array([False])]
    shares = shares_right(near, right)
    assert {grade: of.value for grade, of in shares.items()} == {
        Confidence.LOW: pytest.approx(1 / 3),
        Confidence.MEDIUM: 0.5,
        Confidence.HIGH: 1.0,
    }
    assert Confidence.HIGH not in shares_right(near[:1], right[:1])  # nobody has it: there is no share


def test_the_section_shows_every_grade_in_words():
    shares = shares_right([np.array([0, 2, 3])] * 4, [np.array([False, False, True])] * 4)
    counts = resampling_counts(4, 20)
    section = reliability_section({grade: of.figure(counts) for grade, of in shares.items()}, "right")
    picture, reading = section.blocks
    assert "high confidence 1.000" in picture.alt
    assert "who are right" in reading.text
