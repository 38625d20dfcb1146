"""Whole assignments: last resorts, rules, shortages, what is kept, what cannot be; and what peers get wrong."""

from dataclasses import replace

import numpy as np
import pytest
from assignment_support import milp_total, problems, solvable
from hypothesis import given, reject
from hypothesis import strategies as st

from panelist.errors import InputError
from retriever.assignment.assignment import METHODS, Options
from retriever.assignment.explain.alternates import find_alternates
from retriever.assignment.explain.prices import dearest_slots, recruits
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.explain.why import explain_pair
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.problem import dense_problem, sorted_candidates
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.rules import Rules, violations
from retriever.assignment.solve import SUPPORT, assign


def sparse(scores, demand, most, least=0):
    """A problem in which NaN is a pair without a score, not a conflict."""
    problem = dense_problem(scores, demand, most, least)
    return replace(problem, forbidden=np.zeros(0, dtype=np.int64))


def with_people(problem, **known):
    return replace(problem, committee=replace(problem.committee, **{k: np.array(v) for k, v in known.items()}))


def pairs(assignment):
    return {(pair.paper, pair.reviewer) for pair in assignment.pairs}


def test_pairs_without_a_score_are_a_last_resort_and_listed():
    nan = np.nan
    problem = sparse(np.array([[0.9, nan, nan], [0.8, 0.1, nan]]), 1, [1, 1, 1])
    assert pairs(assign(problem, Options("total"))) == {("p0", "r0"), ("p1", "r1")}
    thin = sparse(np.array([[0.9, nan, nan], [0.8, 0.1, nan]]), 2, [2, 1, 1])
    made = assign(thin, Options("total"))
    assert [(one.paper, one.reviewer, one.score) for one in summarise_assignment(made).unscored] == [("p0", "r2", 0.0)]
    with pytest.raises(InfeasibleError, match=r"1 review cannot be given: p0 needs 2, .*leave --only-scored out"):
        assign(replace(thin, only_scored=True))


@given(problems(papers=6, reviewers=6, conflicts=0.3, absent=0.4))
def test_last_resorts_are_as_few_as_can_be(problem):
    """Against a MILP over all pairs in which one without a score costs more than everything else."""
    everyone = np.ones(len(problem.reviewers), dtype=bool)
    wide = problem.widened(np.ones(problem.rows, dtype=bool), everyone)
    scores = wide.candidates.score - 100 * wide.candidates.absent
    priced = replace(
        wide,
        candidates=sorted_candidates(problem.rows, wide.candidates.row, wide.candidates.reviewer, scores),
    )
    exact = milp_total(priced)
    try:
        made = assign(problem, Options("total"))
    except InfeasibleError:
        assert exact is None
        return
    unscored = sum(not pair.scored for pair in made.pairs)
    locked = float(problem.locked_score.sum())
    assert made.total - locked - 100 * unscored == pytest.approx(exact[0], abs=1e-6)


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
    assert "--max 8" in words
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


def test_a_paper_that_nobody_may_review():
    with pytest.raises(InfeasibleError, match=r"3 reviews cannot be given: p1 needs 3, nobody may review it"):
        assign(dense_problem(np.array([[1.0, 1, 1], [np.nan] * 3]), 3, 6))


def test_least_loads_that_cannot_be_reached():
    problem = dense_problem(np.array([[1.0, 1, np.nan], [1, 1, np.nan]]), 1, 3, [0, 0, 1])
    with pytest.raises(
        InfeasibleError, match=r"1 review of the minimum loads cannot be reached: 1 reviewer must get 1"
    ):
        assign(problem)


@given(problems(papers=8, reviewers=5, conflicts=0.4))
def test_a_shortage_is_smallest_and_even(problem):
    problem = replace(problem, least=np.zeros(len(problem.reviewers), dtype=np.int64))
    made = assign(problem, Options("total", allow_short=True))
    missing = 0
    try:
        assign(problem, Options("total"))
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
                    assign(replace(problem, demand=problem.demand - moved), Options("total"))


def test_one_per_institution_is_a_flow_and_exact():
    rng = np.random.default_rng(4)
    for _ in range(10):
        problem = with_people(dense_problem(rng.random((8, 12)), 3, 4), institution=np.arange(12) % 5)
        rules = Rules(apart={"institution": 1})
        made = assign(problem, Options("total", rules=rules))
        exact = assign(problem, Options("total", rules=rules, exact=True))
        assert not violations(made.solved, rules, made.chosen)
        assert made.total == pytest.approx(exact.total, abs=1e-6)


def test_at_least_one_senior_is_a_flow_and_exact():
    rng = np.random.default_rng(7)
    problem = with_people(dense_problem(rng.random((8, 12)), 3, 4), senior=np.arange(12) < 3)
    made, exact = (assign(problem, Options("total", rules=Rules(seniors=1), exact=e)) for e in (False, True))
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
    rules = Rules(1, {"institution": 1, "coauthors": 1, "region": 2}, no_cycles=True)
    made = assign(problem, Options(method, rules=rules))
    assert not violations(made.solved, rules, made.chosen)
    if method == "total":
        exact = assign(problem, Options("total", rules=rules, exact=True))
        assert 0.95 * exact.total < made.total <= exact.total + 1e-9


def test_rules_that_cannot_be_kept_are_named():
    problem = with_people(dense_problem(np.ones((2, 4)), 3, 4), institution=[0, 0, 1, 1])
    with pytest.raises(
        InfeasibleError, match=r"cannot be given .*under --apart institution, though there is an assign"
    ):
        assign(problem, Options("total", rules=Rules(apart={"institution": 1})))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Rules(apart={"institution": 1}), "needs the column 'institution'"),
        (Rules(apart={"planet": 1}), "--apart knows institution, coauthors, region"),
        (Rules(no_cycles=True), "needs the column 'authored'"),
        (Rules(seniors=1), "where nobody is 'senior'"),
    ],
)
def test_rules_about_which_nothing_is_known_are_refused(rules, message):
    with pytest.raises(InputError, match=message):
        assign(dense_problem(np.ones((2, 4)), 2, 4), Options(rules=rules))


@pytest.mark.parametrize("option", ["--cap", "--senior", "--apart", "--keep", "--allow-short", "--exact"])
@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_does_not_support_is_refused(option, method):
    problem = with_people(dense_problem(np.ones((3, 4)), 1, 4), senior=[True] * 4, institution=[0, 1, 2, 3])
    options = {
        "--senior": Options(method, rules=Rules(1)),
        "--apart": Options(method, rules=Rules(apart={"institution": 1})),
        "--allow-short": Options(method, allow_short=True),
        "--exact": Options(method, exact=True),
    }.get(option, Options(method))
    if option == "--cap":
        problem = replace(problem, candidates=replace(problem.candidates, cap=np.full(12, 0.5)))
    problem = replace(problem, keep=option == "--keep")
    if method in SUPPORT[option]:
        assert assign(problem, options).pairs
    else:
        with pytest.raises(InputError, match=f"{option} does not work with --method {method}, only with"):
            assign(problem, options)


def test_a_decline_is_mended_with_the_fewest_changes(tmp_path):
    rng = np.random.default_rng(11)
    scores = tmp_path / "s.csv"
    scores.write_text("".join(f"p{i},r{j},{rng.random():.4f}\n" for i in range(30) for j in range(20)))
    old = tmp_path / "old.csv"
    first = assign(read_problem([scores], Sources(demand=3, most=6)), Options("total"))
    old.write_text("".join(f"{one.paper},{one.reviewer},{one.score}\n" for one in first.pairs))
    quotas = tmp_path / "q.csv"
    quotas.write_text("r0,0\n")
    declined = sum(one.reviewer == "r0" for one in first.pairs)
    assert declined
    for method in ("total", "fair", "leximin"):
        problem = read_problem([scores], Sources(demand=3, most=6, quotas=quotas, existing=old, keep=True))
        summary = summarise_assignment(assign(problem, Options(method)))
        assert len(summary.changed) == declined
        assert {reviewer for _, reviewer in summary.changed} == {"r0"}
        assert summary.kept == len(first.pairs) - declined
    weighed = read_problem([scores], Sources(demand=3, most=6, quotas=quotas, existing=old, prefer_old=0.1))
    made = assign(weighed, Options("total"))
    assert len(summarise_assignment(made).changed) >= declined
    assert made.total == pytest.approx(sum(one.score for one in made.pairs))  # without what was added to old pairs


@given(problems(papers=10, reviewers=8, conflicts=0.3), st.sampled_from(["total", "fair"]))
@solvable()
def test_alternates_are_free_and_without_conflict(problem, method):
    """openreview-matcher's alternates are conflicted or already full."""
    try:
        made = assign(problem, Options(method))
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
    made = assign(problem, Options("total", rules=Rules(apart={"institution": 1})))
    assert [one.reviewer for one in find_alternates(made, 3)] == ["r2", "r3"]


@given(problems(papers=6, reviewers=6))
@solvable()
def test_the_cost_of_another_decision_is_what_solving_again_says(problem):
    try:
        made = assign(problem, Options("total"))
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
    problem = read_problem([scores], Sources(demand=2, most=2, constraints=constraints, reviewers=people))
    made = assign(problem, Options("total", rules=Rules(apart={"institution": 1})))
    assert explain_pair(made, "p0", "r0").reasons == ("r0 has a conflict of interest",)
    assert explain_pair(made, "p2", "r1").reasons == ("r1 is an author of the paper",)
    assert explain_pair(made, "p1", "r4").reasons == ("the pair is locked",)
    told = explain_pair(made, "p0", "r2")
    assert told.chosen or any("institution" in reason or "full" in reason for reason in told.reasons)
    with pytest.raises(InputError, match="no paper 'p9'"):
        explain_pair(made, "p9", "r1")


def test_prices_say_whose_slot_and_what_kind_of_reviewer_would_gain():
    problem = dense_problem(np.array([[0.9, 0.1, 0.2], [0.8, 0.1, 0.2], [0.7, 0.1, 0.2]]), 1, 1)
    made = assign(problem, Options("total"))
    slots = dearest_slots(made)
    assert slots[0].reviewer == "r0"
    more = assign(replace(problem, most=np.array([2, 1, 1])), Options("total"))
    assert slots[0].gain == pytest.approx(more.total - made.total)
    found = recruits(made)[0]
    twice = assign(dense_problem(np.array([[0.9, 0.1, 0.2, 0.9], [0.8, 0.1, 0.2, 0.8], [0.7, 0.1, 0.2, 0.7]]), 1, 1))
    assert found.like == "r0"
    assert found.gain >= twice.total - made.total - 1e-9


def test_locks_hold_under_every_method():
    """openreview-matcher's MinMax, FairFlow and FairSequence break locks on a 2 × 3 example."""
    scores = np.array([[0.9, 0.8, 0.1], [0.9, 0.7, 0.2]])
    problem = dense_problem(scores, 1, 1)
    kept = ~((problem.candidates.row == 0) & (problem.candidates.reviewer == 2))
    locked = replace(problem.with_candidates(kept), locked=np.array([[0, 2]]), locked_score=np.array([0.1]))
    for method in METHODS:
        assert ("p0", "r2") in pairs(assign(locked, Options(method, quality=0.9)))


def test_least_loads_are_part_of_the_optimum():
    """openreview-matcher answers "No Solution" on feasible inputs with minimum loads."""
    problem = dense_problem(np.array([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1], [0.9, 0.2, 0.1]]), 2, 3, 2)
    for method in METHODS:
        made = assign(problem, Options(method, quality=0.5))
        assert made.loads.tolist() == [2, 2, 2]
    assert assign(problem, Options("total")).total == pytest.approx(milp_total(problem)[0])


def test_an_empty_demand_is_an_empty_assignment():
    for method in METHODS:
        assert assign(dense_problem(np.ones((2, 2)), 0, 2), Options(method)).pairs == []
