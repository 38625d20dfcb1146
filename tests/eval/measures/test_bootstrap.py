import numpy as np
import pytest

from eval.benchmarks.goldstandard.selection import select
from eval.measures.bootstrap import Ratio, interval, resampling_counts


def ratio_of(seed, draws=2, participants=12):
    generator = np.random.default_rng(seed)
    denominators = generator.integers(1, 9, (draws, participants)).astype(float)
    return Ratio(denominators * generator.random((draws, participants)), denominators)


def test_a_resample_repeats_participants_in_numerator_and_denominator_together():
    ratio = ratio_of(0)
    counts = resampling_counts(12, resamples=20, seed=5)
    assert (counts.sum(axis=1) == 12).all()
    for row, value in zip(counts.astype(int), ratio.resampled(counts), strict=True):
        drawn = np.repeat(np.arange(12), row)
        pooled = ratio.numerators[:, drawn].sum(axis=1) / ratio.denominators[:, drawn].sum(axis=1)
        expected = pooled.mean()
        assert value == pytest.approx(expected)


def test_resamples_are_repeatable_and_seeded():
    np.testing.assert_array_equal(resampling_counts(9, 50, seed=1), resampling_counts(9, 50, seed=1))
    assert not np.array_equal(resampling_counts(9, 50, seed=1), resampling_counts(9, 50, seed=2))


def test_an_interval_covers_the_middle_and_ignores_what_is_undefined():
    assert interval(np.array([*np.arange(101.0), np.nan])) == pytest.approx((2.5, 97.5))
    assert np.isnan(interval(np.array([np.nan]))).all()


def test_nothing_to_pool_is_not_a_number():
    assert np.isnan(Ratio(np.zeros((1, 2)), np.zeros((1, 2))).value)


def test_selection_never_asks_the_one_who_is_scored():
    losses = [ratio_of(seed) for seed in range(5)]
    selection = select(losses)
    for v in range(12):
        others = np.delete(np.arange(12), v)
        pooled = [(loss.numerators[:, others].sum(1) / loss.denominators[:, others].sum(1)).mean() for loss in losses]
        assert selection.chosen[v] == np.argmin(pooled)
    combined = selection.combine(losses)
    for v, chosen in enumerate(selection.chosen):
        np.testing.assert_array_equal(combined.numerators[:, v], losses[chosen].numerators[:, v])
        np.testing.assert_array_equal(combined.denominators[:, v], losses[chosen].denominators[:, v])


def test_selection_does_not_let_a_participant_choose_what_suits_them():
    # Each configuration is perfect for one participant and bad for the other two: the others never choose it.
    denominators = np.ones((1, 3))
    losses = [Ratio(1.0 - np.eye(3)[None, i], denominators) for i in range(3)]
    combined = select(losses).combine(losses)
    assert min(loss.value for loss in losses) == pytest.approx(2 / 3)
    assert combined.value == 1.0


def test_of_equal_configurations_the_first_is_chosen():
    assert select([ratio_of(1), ratio_of(1)]).chosen.tolist() == [0] * 12
