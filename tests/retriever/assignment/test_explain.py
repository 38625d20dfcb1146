"""What is said about an assignment: alternates, the cost of another decision, reasons, prices."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import dense_problem, milp_total, pairs, problems, solvable, with_people
from hypothesis import given, reject
from hypothesis import strategies as st

from panelist.errors import InputError
from retriever.assignment.explain.alternates import find_alternates
from retriever.assignment.explain.summary import dearest_slots, recruits
from retriever.assignment.explain.why import explain_pair
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import EXCLUDED
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.solve import assign


@given(problems(papers=10, reviewers=8, conflicts=0.3), st.sampled_from(["total", "fair"]))
@solvable()
def test_alternates_are_free_and_without_conflict(problem, method):
    """openreview-matcher's alternates are conflicted or already full."""
    try:
        made = assign(problem, AssignOptions(method))
    except InfeasibleError:
        reject()
    there = pairs(made)
    for one in find_alternates(made, 3):
        paper, who = int(one.paper[1:]), int(one.reviewer[1:])
        assert (one.paper, one.reviewer) not in there
        assert not problem.is_conflict(paper, who)
        if not one.swaps:
            assert made.loads[who] < problem.most[who]
            continue
        # The chain of swaps leaves every load within quotas: carry it out.
        loads, changed = made.loads.copy(), set(there)
        for swap in one.swaps:
            assert (swap.paper, swap.gives_up) in changed
            assert (swap.paper, swap.takes) not in changed
            changed -= {(swap.paper, swap.gives_up)}
            changed |= {(swap.paper, swap.takes)}
            loads[int(swap.gives_up[1:])] -= 1
            loads[int(swap.takes[1:])] += 1
            assert not problem.is_conflict(int(swap.paper[1:]), int(swap.takes[1:]))
        loads[who] += 1
        assert (loads <= problem.most).all()


def test_alternates_keep_the_rules():
    problem = with_people(dense_problem(np.array([[0.9, 0.8, 0.7, 0.1]]), 1, 1), institution=[0, 0, 1, 2])
    made = assign(problem, AssignOptions("total", apart={"institution": 1}))
    assert [one.reviewer for one in find_alternates(made, 3)] == ["r2", "r3"]


@given(problems(papers=6, reviewers=6))
@solvable()
def test_the_cost_of_another_decision_is_what_solving_again_says(problem):
    try:
        made = assign(problem, AssignOptions("total"))
    except InfeasibleError:
        reject()
    best = milp_total(problem)
    for arc in range(min(len(problem.candidates), 6)):
        row, who = int(problem.candidates.row[arc]), int(problem.candidates.reviewer[arc])
        found = explain_pair(made, f"p{row}", f"r{who}")
        assert found.chosen == bool(made.chosen[arc])
        forced = problem.with_candidates(np.arange(len(problem.candidates)) != arc)
        extra = 0.0
        if not found.chosen:
            if problem.open_demand[row] < 1 or problem.room[who] < 1:
                assert found.cost is None
                continue
            extra = float(problem.candidates.score[arc])
            forced = replace(
                forced,
                locked=np.concatenate([forced.locked, [[row, who]]]),
                locked_score=np.append(forced.locked_score, extra),
            )
        other = milp_total(forced)
        assert (found.cost is None) == (other is None)
        if other is not None:
            assert found.cost == pytest.approx(best[0] - other[0] - extra, abs=1e-6)


def test_why_names_conflicts_quotas_locks_and_rules(tmp_path):
    scores, constraints, people = tmp_path / "s.csv", tmp_path / "c.csv", tmp_path / "r.csv"
    scores.write_text("".join(f"p{i},r{j},{0.9 - 0.1 * j}\n" for i in range(3) for j in range(5)))
    constraints.write_text("p0,r0,-1\np1,r4,1\n")
    people.write_text("reviewer,institution,authored\nr0,,\nr1,X,p2\nr2,X,\nr3,,\nr4,,\n")
    options = AssignOptions("total", demand=2, most=2, apart={"institution": 1})
    made = assign(read_problem(Sources(scores=[scores], constraints=constraints, people=people), options))
    assert explain_pair(made, "p0", "r0").reasons == (f"r0 {EXCLUDED}",)
    assert explain_pair(made, "p2", "r1").reasons == ("r1 is an author of the paper",)
    assert explain_pair(made, "p1", "r4").reasons == ("the pair is locked",)
    assert explain_pair(made, "p0", "r2").reasons == ("the rule 'institution' speaks against it beside r1",)
    with pytest.raises(InputError, match="no paper 'p9'"):
        explain_pair(made, "p9", "r1")


def test_why_names_who_is_full_and_who_reviews_nothing():
    scores = np.array([[0.9, 0.1], [0.8, 0.5]])
    made = assign(dense_problem(scores, 1, 1), AssignOptions("total"))
    full = "r0 is full: 1 of 1; one more slot of theirs would gain 0.3000"
    assert explain_pair(made, "p1", "r0").reasons == (full,)
    made = assign(dense_problem(scores, 1, [0, 2]), AssignOptions("total"))
    assert explain_pair(made, "p1", "r0").reasons == ("the quota of r0 is 0", "with this pair there is none")


def test_prices_say_whose_slot_and_what_kind_of_reviewer_would_gain():
    problem = dense_problem(np.array([[0.9, 0.1, 0.2], [0.8, 0.1, 0.2], [0.7, 0.1, 0.2]]), 1, 1)
    made = assign(problem, AssignOptions("total"))
    slots = dearest_slots(made)
    assert slots[0].reviewer == "r0"
    more = assign(replace(problem, most=np.array([2, 1, 1])), AssignOptions("total"))
    assert slots[0].gain == pytest.approx(more.total - made.total)
    found = recruits(made)[0]
    twice = assign(dense_problem(np.array([[0.9, 0.1, 0.2, 0.9], [0.8, 0.1, 0.2, 0.8], [0.7, 0.1, 0.2, 0.7]]), 1, 1))
    assert found.like == "r0"
    assert found.gain >= twice.total - made.total - 1e-9
