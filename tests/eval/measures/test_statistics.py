"""Figures with intervals from resampled participants, paired differences, and paired tests."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from eval.measures.ranking import Measure
from eval.measures.statistics import (
    Ratio,
    bootstrap_figures,
    compare_systems,
    holm,
    interval,
    randomisation_test,
    resampling_counts,
    t_test,
)


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


def test_differences_are_paired_and_have_the_sign_of_the_system_minus_the_baseline():
    good = Ratio.mean(np.array([0.1, 0.2, 0.6]))
    bad = Ratio.mean(np.array([0.35, 0.45, 0.85]))
    counts = resampling_counts(3, 50)
    figure = bootstrap_figures({"loss": bad}, {"loss": good}, counts)["loss"]
    assert figure.delta == pytest.approx(0.25)
    assert figure.delta_interval == pytest.approx((0.25, 0.25))  # the same for everybody, whoever is drawn
    assert figure.interval[0] < figure.value < figure.interval[1]
    assert bootstrap_figures({"loss": good}, None, counts)["loss"].delta is None


def samples(seed, size, shift):
    generator = np.random.default_rng(seed)
    first = generator.random(size)
    return first, first + generator.normal(shift, 0.2, size)


def test_the_randomisation_test_approaches_the_exact_one():
    first, second = samples(1, 10, 0.06)
    differences = first - second
    signed = np.array(list(product([-1, 1], repeat=10))) @ differences
    exact = np.mean(np.abs(signed) >= abs(differences.sum()) - 1e-12)
    assert 0.02 < exact < 0.5
    assert randomisation_test(first, second, permutations=40_000, seed=3) == pytest.approx(exact, abs=0.01)


def test_the_randomisation_test_is_two_sided_and_repeatable():
    first, second = samples(2, 50, 0.1)
    assert randomisation_test(first, second, seed=1) == randomisation_test(second, first, seed=1)
    assert randomisation_test(first, second, 999, seed=1) == randomisation_test(first, second, 999, seed=1)


def test_equal_systems_do_not_differ():
    first, _ = samples(3, 20, 0)
    assert randomisation_test(first, first) == 1.0
    assert t_test(first, first) == 1.0


def test_students_t_agrees_with_scipy():
    for seed in range(5):
        first, second = samples(seed, 30, 0.05)
        assert t_test(first, second) == pytest.approx(ttest_rel(first, second).pvalue, rel=1e-9)


def test_holm_on_a_worked_example():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_value_nor_changes_their_order(values):
    p = np.array(values)
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


def test_systems_are_compared_with_the_first_and_corrected_together():
    first, second = samples(5, 40, 0.1)
    _, third = samples(6, 40, 0.0)
    m = Measure("ndcg", 10)
    found = compare_systems({"base": {m: first}, "better": {m: second}, "other": {m: third}}, 999, 0)
    assert set(found) == {"better", "other"}
    figures = found["better"]["ndcg@10"]
    assert figures["delta"] == pytest.approx((second - first).mean())
    raw = [found[name]["ndcg@10"]["p_t"] for name in found]
    assert [found[name]["ndcg@10"]["p_t_holm"] for name in found] == pytest.approx(holm(np.array(raw)))
