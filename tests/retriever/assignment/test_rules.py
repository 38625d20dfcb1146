"""Rules about who reviews together: exact where they are a flow, kept at little cost where they cross."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, pairs, with_people

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


@pytest.mark.parametrize("method", ["total", "fair", "leximin", "envy"])
def test_rules_that_cross_one_another_are_kept_at_little_cost(method):
    rng = np.random.default_rng(8)
    scores = rng.random((20, 30))
    problem = dense_problem(scores, 3, 4)
    problem = with_people(
        problem,
        institution=rng.integers(0, 9, 30),
        region=rng.integers(0, 4, 30),
        senior=rng.random(30) < 0.4,
        authored=np.stack([rng.integers(0, 20, 24), np.arange(24)], axis=1),
    )
    rules = {"senior": 1, "apart": {"institution": 1, "coauthors": 1, "region": 2}, "no_cycles": True}
    made = assign(problem, AssignOptions(method, **rules))
    assert not violations(made.solved, made.options.rules, made.chosen)
    if method == "total":
        exact = assign(problem, AssignOptions("total", **rules, exact=True))
        assert 0.95 * exact.total < made.total <= exact.total + 1e-9


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
        ({"senior": -1}, r"^senior .*0 or more, received -1"),
    ],
)
def test_rules_about_which_nothing_is_known_are_refused(rules, message):
    with pytest.raises(InputError, match=message):
        assign(dense_problem(np.ones((2, 4)), 2, 4), AssignOptions(**rules))
