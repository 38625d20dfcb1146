"""What cannot be: the minimum cut in words, cures that cure, and shortages that are as small and even as can be."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, problems
from hypothesis import given

from retriever.assignment.feasibility import InfeasibleError, workable_load
from retriever.assignment.options import AssignOptions
from retriever.assignment.solve import assign


def test_the_minimum_cut_is_told_in_words():
    nan = np.nan
    scores = np.full((12, 8), nan)
    scores[:, :5] = np.random.default_rng(0).random((12, 5))
    scores = np.vstack([scores, np.ones((1, 8))])  # one paper more, which everybody may review
    problem = dense_problem(scores, 3, 6)
    with pytest.raises(InfeasibleError) as caught:
        assign(problem)
    cut = caught.value.cut
    assert cut.words == "6 reviews cannot be given: 12 papers need 36, their only 5 reviewers give 30"
    assert cut.papers == tuple(f"p{i}" for i in range(12))
    assert cut.reviewers == tuple(f"r{i}" for i in range(5))
    words = [cure.words for cure in cut.cures]
    assert words[0] == "6 more reviews by r0, r1, r2, r3, r4"
    assert "`most` 8" in words
    assert "most 8; or" in str(caught.value)
    assert not any("conflict" in cure for cure in words)


def test_each_cure_that_is_a_setting_cures():
    scores = np.full((12, 8), np.nan)
    scores[:, :5] = np.random.default_rng(0).random((12, 5))
    problem = dense_problem(scores, 3, 6)
    with pytest.raises(InfeasibleError) as caught:
        assign(problem)
    changes = {name: value for cure in caught.value.cut.cures for name, value in cure.change.items()}
    assert set(changes) == {"quotas", "most", "demand", "allow_short"}
    raised = np.array([changes["quotas"].get(name, 6) for name in problem.reviewers])
    assert (raised - 6).sum() == 6  # no more than what is missing
    assert len(assign(replace(problem, most=raised)).pairs) == 36
    assert len(assign(replace(problem, most=np.full(8, changes["most"]))).pairs) == 36
    assert len(assign(replace(problem, demand=np.full(12, changes["demand"]))).pairs) == 24


def test_a_paper_that_nobody_may_review_is_named():
    with pytest.raises(InfeasibleError, match=r"3 reviews cannot .*: p1 needs 3"):
        assign(dense_problem(np.array([[1.0, 1, 1], [np.nan] * 3]), 3, 6))


def test_least_loads_that_cannot_be_reached_are_explained():
    problem = dense_problem(np.array([[1.0, 1, np.nan], [1, 1, np.nan]]), 1, 3, [0, 0, 1])
    with pytest.raises(InfeasibleError, match=r"1 review .*minimum loads .*1 reviewer .* 1"):
        assign(problem)


def test_the_minimum_is_not_lowered_further_than_it_has_to_be():
    problem = dense_problem(np.ones((4, 2)), 1, 4, 3)
    with pytest.raises(InfeasibleError, match=r"2 reviews .*minimum loads") as caught:
        assign(problem)
    assert caught.value.cut.cures[-1].change == {"least": 2}
    assert len(assign(replace(problem, least=np.full(2, 2))).pairs) == 4


@given(problems(papers=8, reviewers=5, conflicts=0.4))
def test_a_shortage_is_smallest_and_even(problem):
    problem = replace(problem, least=np.zeros(len(problem.reviewers), dtype=np.int64))
    made = assign(problem, AssignOptions("total", allow_short=True))
    missing = 0
    try:
        assign(problem, AssignOptions("total"))
    except InfeasibleError as error:
        missing = error.cut.missing
    assert made.shortage.sum() == missing
    assert len(made.pairs) == problem.demand.sum() - made.shortage.sum()
    # No paper could hand a missing review to one that misses two fewer: convexity, checked on single moves.
    if made.shortage.max(initial=0) >= 2:
        worst = int(np.argmax(made.shortage))
        for other in np.flatnonzero(made.shortage <= made.shortage[worst] - 2):
            moved = made.shortage.copy()
            moved[worst] -= 1
            moved[other] += 1
            if (problem.open_demand - moved >= 0).all():
                with pytest.raises(InfeasibleError):
                    assign(replace(problem, demand=problem.demand - moved), AssignOptions("total"))


def test_a_demand_beyond_all_reviewers_is_explained_at_once():
    with pytest.raises(InfeasibleError) as error:
        assign(dense_problem(np.ones((2, 3)), demand=1_000_000, most=3), AssignOptions())
    assert [cure.change["demand"] for cure in error.value.cut.cures if "demand" in cure.change] == [3]


def test_the_smallest_workable_load_is_not_below_somebodys_locks():
    problem = dense_problem(np.ones((6, 6)), demand=1, most=6)
    assert workable_load(problem) == 1
    locked = np.array([[0, 3], [1, 3], [2, 3]])
    rest = problem.candidates.row > 2
    locked_problem = replace(problem.with_candidates(rest), locked=locked, locked_score=np.ones(3))
    assert workable_load(locked_problem) == 3
