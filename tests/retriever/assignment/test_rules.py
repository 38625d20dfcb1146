"""Rules about who reviews together: exact where they are a flow, kept at little cost where they cross."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, pairs, with_people
from scipy.optimize import linprog
from scipy.sparse import coo_array, vstack

from panelist.errors import InputError
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.options import AssignOptions
from retriever.assignment.rules import violations
from retriever.assignment.solve import assign


def test_one_per_institution_is_a_flow_and_exact():
    rng = np.random.default_rng(4)
    for _ in range(10):
        problem = with_people(dense_problem(rng.random((8, 12)), 3, 4), institution=np.arange(12) % 5)
        made = assign(problem, AssignOptions("total", apart={"institution": 1}))
        exact = assign(problem, AssignOptions("total", apart={"institution": 1}, exact=True))
        assert not violations(made.solved, made.options.rules, made.chosen)
        assert made.total == pytest.approx(exact.total, abs=1e-6)


def test_at_least_one_senior_is_a_flow_and_exact():
    rng = np.random.default_rng(7)
    problem = with_people(dense_problem(rng.random((8, 12)), 3, 4), senior=np.arange(12) < 3)
    made, exact = (assign(problem, AssignOptions("total", senior=1, exact=e)) for e in (False, True))
    for row in range(8):
        assert any(int(pair.reviewer[1:]) < 3 for pair in made.pairs if pair.paper == f"p{row}")
    assert made.total == pytest.approx(exact.total, abs=1e-6)


ALL_RULES = {"senior": 1, "apart": {"institution": 1, "coauthors": 1, "region": 2}, "no_cycles": True}
RULES = [
    ALL_RULES,
    {"senior": 2},
    {"apart": {"institution": 1}},
    {"apart": {"coauthors": 1}},
    {"apart": {"region": 1}},
    {"no_cycles": True},
]


def ruled_problem(papers=20, reviewers=30):
    """Invented people about whom every rule says something; authors cannot review what they wrote."""
    rng = np.random.default_rng(8)
    scores = rng.random((papers, reviewers))
    authored = np.stack([rng.integers(0, papers, reviewers // 2), np.arange(reviewers // 2)], axis=1)
    scores[authored[:, 0], authored[:, 1]] = np.nan
    return with_people(
        dense_problem(scores, 3, 4),
        institution=rng.integers(0, reviewers // 3, reviewers),
        region=rng.integers(0, 4, reviewers),
        senior=rng.random(reviewers) < 0.4,
        authored=authored,
    )


def capped_at(problem, cap):
    return replace(
        problem,
        candidates=replace(problem.candidates, cap=np.full(len(problem.candidates), cap)),
        options=replace(problem.options, cap=cap),
    )


@pytest.mark.parametrize("method", ["total", "fair", "leximin", "envy"])
def test_rules_that_cross_one_another_are_kept_at_little_cost(method):
    made = assign(ruled_problem(), AssignOptions(method, **ALL_RULES))
    assert not violations(made.solved, made.options.rules, made.chosen)
    if method == "total":
        exact = assign(ruled_problem(), AssignOptions("total", **ALL_RULES, exact=True))
        assert 0.95 * exact.total < made.total <= exact.total + 1e-9


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("method", ["total", "fair", "leximin", "envy", "random", "perturbed"])
def test_every_method_keeps_every_rule(method, rules):
    problem = ruled_problem()
    made = assign(problem, AssignOptions(method, **rules))
    assert not violations(made.solved, made.options.rules, made.chosen)
    assert (np.bincount(made.solved.candidates.row[made.chosen], minlength=problem.rows) == problem.demand).all()
    assert (made.loads <= problem.most).all()


def test_no_draw_of_a_thousand_breaks_a_rule_a_load_or_a_demand_and_pairs_come_up_as_often_as_they_should():
    made = assign(capped_at(ruled_problem(40, 60), 0.6), AssignOptions("random", cap=0.6, **ALL_RULES))
    problem, lottery = made.solved, made.lottery
    assert lottery.probability.max() <= 0.6
    assert np.bincount(problem.candidates.row, lottery.probability) == pytest.approx(problem.demand)
    count = np.zeros(len(lottery.amount))
    for seed in range(1_000):
        drawn = lottery.draw(problem, seed)
        assert not violations(problem, made.options.rules, drawn)
        assert (np.bincount(problem.candidates.row[drawn], minlength=problem.rows) == problem.demand).all()
        assert (np.bincount(problem.candidates.reviewer[drawn], minlength=60) <= problem.most).all()
        count += drawn
    spread = np.sqrt(1_000 * lottery.probability * (1 - lottery.probability))
    assert (np.abs(count - 1_000 * lottery.probability) <= 5 * spread + 1e-9).all()


def test_a_lottery_under_rules_is_near_the_best_fractional_one():
    """HiGHS bounds what any lottery under these caps and rules can expect: the linear program without whole numbers."""
    problem = capped_at(ruled_problem(40, 60), 0.9)
    made = assign(problem, AssignOptions("random", cap=0.9, **ALL_RULES))
    pairs = problem.candidates
    everything = np.ones(len(pairs), dtype=np.bool_)
    bounds = violations(problem, made.options.rules, everything)
    lines = np.repeat(np.arange(len(bounds)), [len(bound.members) for bound in bounds])
    members = np.concatenate([bound.members for bound in bounds])
    shape, arc = (len(bounds), len(pairs)), np.arange(len(pairs))
    ones = np.ones(len(pairs))
    loads = coo_array((ones, (pairs.reviewer, arc)), shape=(60, len(pairs)))
    found = linprog(
        -pairs.score,
        A_ub=vstack([coo_array((np.ones(len(members)), (lines, members)), shape=shape), loads]),
        b_ub=np.concatenate([[bound.room for bound in bounds], problem.most]),
        A_eq=coo_array((ones, (pairs.row, arc)), shape=(40, len(pairs))),
        b_eq=problem.demand,
        bounds=(0, 0.9),
    )
    assert 0.93 * -found.fun <= made.expected <= -found.fun + 1e-6


def test_three_people_do_not_review_one_another_in_a_circle():
    # Everybody wrote one paper; who reviews the next one's best makes a circle of three.
    scores = np.array([[np.nan, 0.1, 0.9], [0.9, np.nan, 0.1], [0.1, 0.9, np.nan]])
    people = {"authored": np.array([[0, 0], [1, 1], [2, 2]])}
    problem = with_people(dense_problem(scores, 1, [1, 1, 1]), **people)
    assert violations(problem, AssignOptions(no_cycles=True).rules, problem.candidates.score > 0.5)
    with pytest.raises(InfeasibleError, match="no cycles"):  # the other way round is a circle, too
        assign(problem, AssignOptions("total", no_cycles=True))
    helped = with_people(dense_problem(np.column_stack([scores, [0.05] * 3]), 1, 1), **people)
    for method in ("total", "random"):
        assert assign(helped, AssignOptions(method, no_cycles=True)).total == pytest.approx(1.85)


@pytest.mark.parametrize("method", ["total", "random", "perturbed"])
@pytest.mark.parametrize(("weight", "both"), [(0.05, True), (0.5, False)])
def test_a_soft_rule_is_given_up_where_it_costs_more_than_its_weight(method, weight, both):
    problem = with_people(dense_problem(np.array([[0.9, 0.8, 0.6]]), 2, 1), institution=[0, 0, 1])
    options = AssignOptions(method, apart={"institution": 1}, soft={"institution": weight}, quality=1.0)
    options = options if method == "perturbed" else replace(options, quality=AssignOptions().quality)
    made = assign(problem, options)
    assert pairs(made) == {("p0", "r0"), ("p0", "r1" if both else "r2")}
    kept = "is not kept on 1 paper" if both else "is kept everywhere"
    assert any(note.startswith("the soft rule 'institution'") and note.endswith(kept) for note in made.notes)


def test_a_soft_rule_costs_its_weight_in_the_exact_solution_too():
    problem = with_people(dense_problem(np.array([[0.9, 0.8, 0.6]]), 2, 1), institution=[0, 0, 1])
    for weight, second in ((0.1, "r1"), (0.3, "r2")):
        options = AssignOptions("total", apart={"institution": 1}, soft={"institution": weight}, exact=True)
        assert pairs(assign(problem, options)) == {("p0", "r0"), ("p0", second)}


@pytest.mark.parametrize("exact", [False, True])
def test_rules_may_need_a_pair_without_a_score(exact):
    problem = with_people(dense_problem(np.array([[0.9, 0.8, np.nan]]), 2, 2), institution=[0, 0, 1])
    problem = replace(problem, forbidden=np.zeros(0, dtype=np.int64)).with_options(allow_unscored=True)
    made = assign(problem, AssignOptions("total", apart={"institution": 1}, exact=exact))
    assert pairs(made) == {("p0", "r0"), ("p0", "r2")}
    assert [pair.reviewer for pair in summarise_assignment(made).unscored] == ["r2"]


def test_rules_that_cannot_be_kept_are_named():
    problem = with_people(dense_problem(np.ones((2, 4)), 3, 4), institution=[0, 0, 1, 1])
    with pytest.raises(InfeasibleError, match=r"cannot be given .*apart: institution"):
        assign(problem, AssignOptions("total", apart={"institution": 1}))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"apart": {"institution": 1}}, r"^apart institution needs 'institution' .*nobody"),
        ({"apart": {"planet": 1}}, "^apart knows institution, coauthors, region"),
        ({"apart": {"region": 0}}, "^apart region=0: at least 1"),
        ({"no_cycles": True}, "^no_cycles needs 'authored'"),
        ({"senior": 1}, r"^senior needs 'seniority' .*nobody .*'senior'"),
        ({"soft": {"planet": 1.0}}, "^soft knows senior, institution"),
        ({"soft": {"region": 1.0}}, "^soft region: there is no such rule"),
        ({"senior": 1, "soft": {"senior": -1.0}}, "^soft senior: the weight must be 0 or more"),
        ({"senior": -1}, r"^senior .*0 or more, received -1"),
    ],
)
def test_rules_about_which_nothing_is_known_are_refused(rules, message):
    with pytest.raises(InputError, match=message):
        assign(dense_problem(np.ones((2, 4)), 2, 4), AssignOptions(**rules))
