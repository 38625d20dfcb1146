"""Whole assignments: last resorts, what methods support, what is kept; and what peers get wrong."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, milp_total, pairs, problems
from hypothesis import given

from panelist.errors import InputError
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.explain.why import explain_pair
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.methods import METHODS
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import sorted_candidates
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.solve import assign


def easy(method):
    """A method that may give up half of the total, where it can."""
    return AssignOptions(method, **({"quality": 0.5} if "quality" in METHODS[method].takes else {}))


def sparse(scores, demand, most, least=0):
    """A problem in which NaN is a pair without a score, not a conflict."""
    problem = dense_problem(scores, demand, most, least).with_options(allow_unscored=True)
    return replace(problem, forbidden=np.zeros(0, dtype=np.int64))


def test_pairs_without_a_score_are_a_last_resort_and_listed():
    nan = np.nan
    problem = sparse(np.array([[0.9, nan, nan], [0.8, 0.1, nan]]), 1, [1, 1, 1])
    assert pairs(assign(problem, AssignOptions("total"))) == {("p0", "r0"), ("p1", "r1")}
    thin = sparse(np.array([[0.9, nan, nan], [0.8, 0.1, nan]]), 2, [2, 1, 1])
    made = assign(thin, AssignOptions("total"))
    assert [(pair.paper, pair.reviewer, pair.score) for pair in summarise_assignment(made).unscored] == [
        ("p0", "r2", 0.0)
    ]
    with pytest.raises(InfeasibleError, match=r"1 review cannot .*: p0 needs 2, .*allow_unscored"):
        assign(thin.with_options(allow_unscored=False))


@given(problems(papers=6, reviewers=6, conflicts=0.3, absent=0.4))
def test_last_resorts_are_as_few_as_can_be(problem):
    """Against a MILP over all pairs in which one without a score costs more than everything else."""
    everyone = np.ones(len(problem.reviewers), dtype=bool)
    wide = problem.widened(np.ones(problem.rows, dtype=bool), everyone)
    arcs = wide.candidates.taken(np.arange(len(wide.candidates)))
    scores = wide.candidates.score - 100 * wide.candidates.absent
    priced = replace(
        wide,
        candidates=sorted_candidates(problem.rows, wide.candidates.row, replace(arcs, score=scores)),
    )
    exact = milp_total(priced)
    try:
        made = assign(problem.with_options(allow_unscored=True, method="total"))
    except InfeasibleError:
        assert exact is None
        return
    unscored = sum(not pair.scored for pair in made.pairs)
    locked = float(problem.locked_score.sum())
    assert made.total - locked - 100 * unscored == pytest.approx(exact[0], abs=1e-6)


@pytest.mark.parametrize("option", ["cap", "exact", "quality", "seed"])
@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_does_not_support_is_refused(option, method):
    problem = dense_problem(np.ones((3, 4)), 1, 4)
    given = {"exact": True, "quality": 0.9, "seed": 3}
    if option == "cap":
        problem = replace(problem, candidates=replace(problem.candidates, cap=np.full(12, 0.5)))
    options = AssignOptions(method, **{name: value for name, value in given.items() if name == option})
    if option in METHODS[method].takes:
        assert assign(problem, options).pairs
    else:
        with pytest.raises(InputError, match=f"^{option} .*not .*method {method}, only with"):
            assign(problem, options)


def test_options_that_shape_a_problem_are_not_passed_over_in_silence():
    problem = dense_problem(np.ones((3, 4)), 1, 4)
    for name, value in {"demand": 2, "most": 1, "cap": 0.5, "keep": True, "allow_unscored": True}.items():
        with pytest.raises(InputError, match=f"^{name} shapes the problem"):
            assign(problem, AssignOptions("random", **{name: value}))


def test_a_decline_is_mended_with_the_fewest_changes(tmp_path):
    rng = np.random.default_rng(11)
    scores = tmp_path / "s.csv"
    scores.write_text("".join(f"p{i},r{j},{rng.random():.4f}\n" for i in range(30) for j in range(20)))
    old = tmp_path / "old.csv"
    first = assign(read_problem(Sources(scores=[scores])), AssignOptions("total"))
    old.write_text("".join(f"{pair.paper},{pair.reviewer},{pair.score}\n" for pair in first.pairs))
    quotas = tmp_path / "q.csv"
    quotas.write_text("r0,0\n")
    declined = sum(pair.reviewer == "r0" for pair in first.pairs)
    assert declined
    for method in METHODS:
        cap = 0.5 if method in ("random", "perturbed") else None
        quality = {"quality": 0.9} if method == "perturbed" else {}
        options = AssignOptions(method, keep=True, cap=cap, **quality)
        made = assign(read_problem(Sources(scores=[scores], quotas=quotas, existing=old), options))
        summary = summarise_assignment(made)
        assert len(summary.changed) == declined
        assert {reviewer for _, reviewer in summary.changed} == {"r0"}
        assert summary.kept == len(first.pairs) - declined
        assert not any(pair.locked for pair in made.pairs)
        new = [pair for pair in made.pairs if not pair.kept]
        assert len(new) == declined
        assert all(one.probability <= (cap or 1.0) for one in new)
        stays = next(pair for pair in made.pairs if pair.kept)
        assert explain_pair(made, stays.paper, stays.reviewer).chosen
    sources = Sources(scores=[scores], quotas=quotas, existing=old)
    made = assign(read_problem(sources, AssignOptions("total", prefer_old=0.1)))
    assert len(summarise_assignment(made).changed) >= declined
    assert made.total == pytest.approx(sum(pair.score for pair in made.pairs))  # without what was added to old pairs


def test_locks_hold_under_every_method():
    """openreview-matcher's MinMax, FairFlow and FairSequence break locks on a 2 × 3 example."""
    scores = np.array([[0.9, 0.8, 0.1], [0.9, 0.7, 0.2]])
    problem = dense_problem(scores, 1, 1)
    kept = ~((problem.candidates.row == 0) & (problem.candidates.reviewer == 2))
    locked = replace(problem.with_candidates(kept), locked=np.array([[0, 2]]), locked_score=np.array([0.1]))
    for method in METHODS:
        assert ("p0", "r2") in pairs(assign(locked, easy(method)))


def test_least_loads_are_part_of_the_optimum():
    """openreview-matcher answers "No Solution" on feasible inputs with minimum loads."""
    problem = dense_problem(np.array([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1], [0.9, 0.2, 0.1]]), 2, 3, 2)
    for method in METHODS:
        made = assign(problem, easy(method))
        assert made.loads.tolist() == [2, 2, 2]
    assert assign(problem, AssignOptions("total")).total == pytest.approx(milp_total(problem)[0])


def test_an_empty_demand_is_an_empty_assignment():
    for method in METHODS:
        assert assign(dense_problem(np.ones((2, 2)), 0, 2), AssignOptions(method)).pairs == []


@pytest.mark.parametrize("method", ["total", "fair", "leximin", "envy"])
def test_a_quota_without_bound_takes_no_more_room_than_the_papers(method):
    problem = dense_problem(np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 2.0]]), demand=1, most=10**12)
    assert pairs(assign(problem, AssignOptions(method))) == {("p0", "r0"), ("p1", "r1")}


def test_scores_next_to_zero_are_zero():
    problem = dense_problem(np.array([[1e-320, 0.0]]), demand=1, most=1)
    assert len(pairs(assign(problem, AssignOptions("total")))) == 1
