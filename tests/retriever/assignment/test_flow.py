"""The flow kernel against HiGHS: optima, least loads, locks, groups, prices; and what comes before the scores."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, milp_total, problems, solvable
from hypothesis import assume, given
from hypothesis import strategies as st

from panelist.errors import InputError
from retriever.assignment.flow import Groups, cheapest_flow


def total(problem, flow):
    return float((problem.candidates.score * flow.amount).sum())


def check_feasible(problem, flow):
    pairs = problem.candidates
    load = np.bincount(pairs.reviewer, weights=flow.amount, minlength=len(problem.reviewers))
    assert (np.bincount(pairs.row, weights=flow.amount, minlength=problem.rows) == problem.open_demand).all()
    assert (load <= problem.room).all()
    assert (load >= problem.open_least).all()
    assert set(np.unique(flow.amount)) <= {0, 1}


@given(problems())
def test_the_total_is_that_of_highs_with_least_loads_locks_and_demands(problem):
    flow, exact = cheapest_flow(problem), milp_total(problem)
    assert flow.complete == (exact is not None)
    if exact is not None:
        check_feasible(problem, flow)
        assert total(problem, flow) == pytest.approx(exact[0], abs=1e-6)


@given(problems(papers=30, reviewers=20))
@solvable()
def test_prices_prove_the_optimum(problem):
    flow = cheapest_flow(problem)
    assume(flow.complete)
    pairs = problem.candidates
    net = pairs.score - flow.price[pairs.reviewer] - flow.value[pairs.row]
    assert (net[flow.amount == 0] <= 1e-6).all()
    assert (net[flow.amount == 1] >= -1e-6).all()
    load = np.bincount(pairs.reviewer, weights=flow.amount, minlength=len(problem.reviewers))
    assert (flow.price[load < problem.room] <= 1e-6).all()
    assert (flow.price[load > problem.open_least] >= -1e-6).all()


@given(problems(conflicts=0.1), st.integers(2, 4))
def test_groups_are_bounds_within_a_row(problem, institutions):
    pairs = problem.candidates
    key = pairs.row * institutions + pairs.reviewer % institutions
    names, of_pair = np.unique(key, return_inverse=True)
    groups = Groups(of_pair, np.ones(len(names), dtype=np.int64), names // institutions)
    flow, exact = cheapest_flow(problem, groups=groups), milp_total(problem, groups=groups)
    assert flow.complete == (exact is not None)
    if exact is not None:
        check_feasible(problem, flow)
        assert np.bincount(of_pair, weights=flow.amount).max(initial=0) <= 1
        assert total(problem, flow) == pytest.approx(exact[0], abs=1e-6)


@given(problems(), st.integers(1, 7), st.integers(7, 12))
def test_a_flow_at_scale_is_the_linear_programme_with_caps(problem, numerator, denominator):
    cap = numerator / denominator
    flow = cheapest_flow(
        problem, scale=denominator, capacity=np.full(len(problem.candidates), numerator, dtype=np.int64)
    )
    exact = milp_total(problem, integrality=0, capacity=np.full(len(problem.candidates), cap))
    assert flow.complete == (exact is not None)
    if exact is not None:
        assert total(problem, flow) / denominator == pytest.approx(exact[0], abs=1e-6)


def test_pairs_without_a_score_are_fewest_whatever_that_costs():
    scores = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]])
    problem = dense_problem(scores, 1, [1, 1, 2])
    absent = problem.candidates.reviewer == 2
    problem = replace(problem, candidates=replace(problem.candidates, absent=absent))
    assert not cheapest_flow(problem).amount[absent].any()
    short = replace(problem, demand=np.array([2, 1]))
    assert cheapest_flow(short).amount[absent].sum() == 1


def test_kept_pairs_change_as_little_as_possible():
    problem = dense_problem(np.array([[0.9, 0.1], [0.8, 0.7]]), 1, 1)
    old = (problem.candidates.row + problem.candidates.reviewer) % 2 == 1  # the worse diagonal
    kept = cheapest_flow(replace(problem, candidates=replace(problem.candidates, old=old)).with_options(keep=True))
    assert (kept.amount == old).all()
    assert (cheapest_flow(problem).amount == ~old).all()


def test_scores_are_not_cut_to_two_decimals():
    """openreview-matcher multiplies scores by 100 and takes integers: .994 and .991 are one to it."""
    problem = dense_problem(np.array([[0.991, 0.994], [0.994, 0.9901]]), 1, 1)
    assert total(problem, cheapest_flow(problem)) == pytest.approx(1.988)
    fine = dense_problem(np.array([[0.5, 0.5 + 1e-9], [0.5 + 1e-9, 0.5]]), 1, 1)
    assert total(fine, cheapest_flow(fine)) == pytest.approx(1 + 2e-9, abs=1e-12)


def test_a_most_below_what_is_locked_is_refused():
    """A flow through less than no room would never end."""
    problem = dense_problem(np.ones((3, 2)), 1, 3)
    locked = problem.locking(np.array([0, 1]), np.array([1, 1]), np.ones(2))
    assert cheapest_flow(locked).complete
    with pytest.raises(InputError, match=r"r1 are locked than their `most`, 1: raise it"):
        replace(locked, most=np.array([3, 1]))
    with pytest.raises(InputError, match="are locked"):
        problem.locking(np.array([0, 1, 2, 2]), np.array([1, 1, 1, 1]), np.ones(4))
