"""The methods: fair against an exact max-min MILP, leximin, picking in turn, lotteries and their draws."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, milp_total, problems, solvable
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from scipy.stats import chi2

from panelist.errors import InputError
from retriever.assignment.board import WorkingAssignment
from retriever.assignment.flow import cheapest_flow
from retriever.assignment.methods import certain as fair_module
from retriever.assignment.methods.capped import capped, lower_fraction
from retriever.assignment.methods.certain import envy, fair, floor_bound, leximin, own_best
from retriever.assignment.methods.perturbed import perturbed
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import Arcs, sorted_candidates
from retriever.assignment.solve import assign


def floor(found):
    """The lowest sum of a row with a demand."""
    return found.working.board.total[found.working.problem.demand > 0].min(initial=np.inf)


def check_assignment(problem, chosen):
    pairs = problem.candidates
    load = np.bincount(pairs.reviewer[chosen], minlength=len(problem.reviewers))
    assert (np.bincount(pairs.row[chosen], minlength=problem.rows) == problem.open_demand).all()
    assert (load <= problem.room).all()
    assert (load >= problem.open_least).all()


@given(problems(papers=7, reviewers=6))
@solvable(max_examples=60)
def test_the_lowest_sum_is_that_of_an_exact_max_min_milp(problem):
    flow = cheapest_flow(problem)
    assume(flow.complete and (problem.demand > 0).all() and len(problem.candidates))
    found, exact = fair(problem, flow), milp_total(problem, maximise="floor")
    check_assignment(problem, found.chosen)
    assert floor(found) == pytest.approx(exact[0], abs=1e-6)
    assert found.exact
    best = milp_total(problem, floor=floor(found))
    if floor(found) < floor_bound(problem) - 1e-9:  # settled exactly, so with the greatest total of that floor
        assert float((problem.candidates.score * found.chosen).sum()) == pytest.approx(best[0], abs=1e-6)


def test_chains_alone_reach_the_bound_or_come_near(monkeypatch):
    """Without the MILP for small problems: how good is what large problems get?"""
    monkeypatch.setattr(fair_module, "_SMALL", 0)
    rng = np.random.default_rng(5)
    parts = []
    for _ in range(40):
        problem = dense_problem(rng.random((12, 10)), 3, 4)
        flow = cheapest_flow(problem)
        found, exact = fair(problem, flow), milp_total(problem, maximise="floor")
        assert floor(found) <= exact[0] + 1e-6
        parts.append(floor(found) / exact[0])
    assert np.mean(parts) > 0.97
    assert min(parts) > 0.85


@given(problems(papers=12, reviewers=10))
@solvable()
def test_leximin_is_never_below_fair_and_changes_no_load_rule(problem):
    flow = cheapest_flow(problem)
    assume(flow.complete)
    lower, higher = fair(problem, flow), leximin(problem, flow)
    check_assignment(problem, higher.chosen)
    wanted = problem.demand > 0
    one, other = (
        np.sort(WorkingAssignment.of(problem, found.chosen, np.zeros(0)).board.total[wanted])
        for found in (lower, higher)
    )
    differs = np.flatnonzero(np.abs(one - other) > 1e-9)
    assert not len(differs) or other[differs[0]] > one[differs[0]]


@given(problems())
def test_picking_in_turn_ends_in_a_whole_assignment(problem):
    flow = cheapest_flow(problem)
    if flow.complete:
        check_assignment(problem, envy(problem, flow).chosen)


def test_picking_in_turn_is_envy_free_up_to_one_reviewer():
    rng = np.random.default_rng(1)
    for _ in range(20):
        scores = rng.random((6, 12))
        demand = rng.integers(1, 4, 6)
        problem = dense_problem(scores, demand, 3)
        chosen = envy(problem, cheapest_flow(problem)).chosen
        pairs = problem.candidates
        bundles = [set(pairs.reviewer[chosen & (pairs.row == row)].tolist()) for row in range(6)]
        for one in range(6):
            own = sum(scores[one, r] for r in bundles[one]) / demand[one]
            for other in range(6):
                worth = [scores[one, r] for r in bundles[other]]
                rest = (sum(worth) - max(worth)) / demand[other]
                assert own >= rest - 1e-9


def test_a_fair_start_is_the_total_where_that_is_fair_already():
    problem = dense_problem(np.eye(3) + 0.1, 1, 1)
    flow = cheapest_flow(problem)
    found = fair(problem, flow)
    assert floor(found) == floor_bound(problem) == pytest.approx(1.1)
    assert found.exact
    assert (found.chosen == (flow.amount > 0)).all()


def test_own_best_counts_locked_pairs():
    problem = dense_problem(np.array([[0.9, 0.5, 0.1]]), 2, 1)
    kept = problem.candidates.reviewer != 2
    locked = replace(problem.with_candidates(kept), locked=np.array([[0, 2]]), locked_score=np.array([0.1]))
    assert own_best(locked) == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("cap", "fraction"), [(0.5, "1/2"), (0.7, "7/10"), (0.8046875, "103/128"), (1.0, "1"), (0.3333333333, "1/3")]
)
def test_caps_become_fractions_that_are_not_above_them(cap, fraction):
    assert str(lower_fraction(cap)) == fraction


@given(st.floats(0.001, 1.0))
def test_no_fraction_is_above_its_cap(cap):
    found = lower_fraction(cap)
    assert found.denominator <= 1000
    assert float(found) <= cap + 1e-9
    assert cap - float(found) < 0.001


def with_cap(problem, cap):
    return replace(problem, candidates=replace(problem.candidates, cap=np.full(len(problem.candidates), cap)))


@given(problems(papers=6, reviewers=8, conflicts=0.1), st.sampled_from([0.4, 0.5, 0.75]), st.integers(0, 9))
@solvable()
def test_no_draw_breaks_a_load_a_demand_or_a_cap(problem, cap, seed):
    problem = with_cap(problem, cap)
    try:
        lottery = capped(problem)
    except InputError:  # cap × candidates < demand
        reject()
    assume(lottery.flow.complete)
    assert lottery.probability.max(initial=0) <= cap
    check_assignment(problem, lottery.draw(problem, seed))


def test_draws_have_the_marginals_they_should_have():
    """χ² over draws: every pair comes up as often as its probability says."""
    rng = np.random.default_rng(3)
    problem = with_cap(dense_problem(rng.random((8, 7)), 3, [4, 4, 4, 3, 4, 4, 5]), 0.6)
    lottery = capped(problem)
    undecided = (lottery.amount > 0) & (lottery.amount < lottery.scale)
    draws = 4_000
    count = sum(lottery.draw(problem, seed).astype(np.int64) for seed in range(draws))
    expected = lottery.probability * draws
    assert (count[~undecided] == expected[~undecided]).all()
    part = lottery.probability[undecided]
    statistic = float((((count - expected)[undecided]) ** 2 / (draws * part * (1 - part))).sum())
    # Counts of a row add up, so they are not independent: the bound of independent ones is far too high to pass a bias.
    assert statistic < chi2.ppf(1 - 1e-6, undecided.sum())


def test_a_seed_repeats_its_draw():
    problem = with_cap(dense_problem(np.random.default_rng(0).random((9, 9)), 2, 3), 0.5)
    draws = [assign(problem, AssignOptions(method="random", seed=seed)).pairs for seed in (4, 4, 5)]
    assert draws[0] == draws[1] != draws[2]


@given(problems(papers=6, reviewers=8, conflicts=0.0), st.sampled_from([0.8, 0.9, 0.97]))
@solvable(max_examples=25)
def test_perturbed_keeps_its_quality_and_all_bounds(problem, quality):
    scores = np.abs(problem.candidates.score) + 0.01
    problem = replace(problem, candidates=replace(problem.candidates, score=scores))
    problem = replace(problem, candidates=_sorted(problem), locked_score=np.abs(problem.locked_score))
    flow = cheapest_flow(problem)
    assume(flow.complete)
    lottery = perturbed(problem.with_options(quality=quality), flow)
    pairs = problem.candidates
    best = float((pairs.score * flow.amount).sum() + problem.locked_score.sum())
    assert (pairs.score * lottery.probability).sum() + problem.locked_score.sum() >= quality * best - 1e-5
    assert (np.bincount(pairs.row, weights=lottery.amount, minlength=problem.rows)
            == problem.open_demand * lottery.scale).all()  # fmt: skip
    check_assignment(problem, lottery.draw(problem, 0))


def _sorted(problem):
    pairs = problem.candidates
    return sorted_candidates(problem.rows, pairs.row, Arcs.plain(pairs.reviewer, pairs.score))


def test_perturbed_spreads_over_like_reviewers_where_random_does_not():
    problem = dense_problem(np.array([[0.9, 0.899, 0.898, 0.1]]), 1, 1)
    flow = cheapest_flow(problem)
    spread = perturbed(problem.with_options(quality=0.99), flow)
    assert spread.probability[:3] == pytest.approx([1 / 3] * 3, abs=0.05)
    assert capped(problem).probability[0] == 1


def test_kept_pairs_are_not_moved_by_chains():
    rng = np.random.default_rng(2)
    problem = dense_problem(rng.random((10, 8)), 2, 3)
    old = cheapest_flow(problem).amount > 0
    kept = replace(problem, candidates=replace(problem.candidates, old=old)).with_options(keep=True)
    found = fair(kept, cheapest_flow(kept))
    assert (found.chosen == old).all()
    assert WorkingAssignment.of(kept, found.chosen, np.zeros(8)).board.total.min() == pytest.approx(floor(found))
