"""Honest model selection: a participant never chooses the system that they are scored with."""

import numpy as np
import pytest

from eval.benchmarks.goldstandard.report import combine, select
from eval.measures.statistics import Ratio


def ratio_of(seed, draws=2, participants=12):
    generator = np.random.default_rng(seed)
    denominators = generator.integers(1, 9, (draws, participants)).astype(float)
    return Ratio(denominators * generator.random((draws, participants)), denominators)


def test_selection_never_asks_the_one_who_is_scored():
    losses = [ratio_of(seed) for seed in range(5)]
    selected = select(losses)
    for v in range(12):
        others = np.delete(np.arange(12), v)
        pooled = [(loss.numerators[:, others].sum(1) / loss.denominators[:, others].sum(1)).mean() for loss in losses]
        assert selected[v] == np.argmin(pooled)
    combined = combine(selected, losses)
    for v, chosen in enumerate(selected):
        np.testing.assert_array_equal(combined.numerators[:, v], losses[chosen].numerators[:, v])
        np.testing.assert_array_equal(combined.denominators[:, v], losses[chosen].denominators[:, v])


def test_selection_does_not_let_a_participant_choose_what_suits_them():
    # Each configuration is perfect for one participant and bad for the other two: the others never choose it.
    denominators = np.ones((1, 3))
    losses = [Ratio(1.0 - np.eye(3)[None, i], denominators) for i in range(3)]
    combined = combine(select(losses), losses)
    assert min(loss.value for loss in losses) == pytest.approx(2 / 3)
    assert combined.value == 1.0


def test_of_equal_configurations_the_first_is_chosen():
    assert select([ratio_of(1), ratio_of(1)]).tolist() == [0] * 12
