from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from eval.measures.comparison import compare
from eval.measures.ranking import Measure
from eval.measures.significance import holm, randomisation_test, t_test


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
    found = compare({"base": {m: first}, "better": {m: second}, "other": {m: third}}, 999, 0)
    assert set(found) == {"better", "other"}
    figures = found["better"]["ndcg@10"]
    assert figures["delta"] == pytest.approx((second - first).mean())
    raw = [found[name]["ndcg@10"]["p_t"] for name in found]
    assert [found[name]["ndcg@10"]["p_t_holm"] for name in found] == pytest.approx(holm(np.array(raw)))
