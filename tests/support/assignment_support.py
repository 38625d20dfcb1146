"""Assignment problems for tests, and slow exact twins of the kernels by scipy's HiGHS."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from retriever.assignment.options import REVIEWER
from retriever.assignment.problem import Arcs, Problem, ReviewerTraits, sorted_candidates


def plain_committee(reviewers):
    """Reviewers of whom nothing but their scores is known."""
    nothing = np.full(reviewers, -1, dtype=np.int64)
    return ReviewerTraits(
        np.zeros(reviewers, dtype=np.int64),
        np.zeros(reviewers, dtype=np.bool_),
        nothing,
        nothing,
        np.zeros((0, 2), dtype=np.int64),
    )


def dense_problem(scores, demand, most, least=0):
    """A problem from a matrix (papers × reviewers) alone; NaN marks a conflict. Ids are the ordinals."""
    papers, reviewers = scores.shape
    row, who = np.nonzero(~np.isnan(scores))
    forbidden = np.flatnonzero(np.isnan(scores).ravel())
    return Problem(
        papers=tuple(f"p{i}" for i in range(papers)),
        reviewers=tuple(f"r{i}" for i in range(reviewers)),
        roles=(REVIEWER,),
        row_paper=np.arange(papers),
        row_role=np.zeros(papers, dtype=np.int64),
        demand=np.broadcast_to(np.asarray(demand, dtype=np.int64), papers).copy(),
        most=np.broadcast_to(np.asarray(most, dtype=np.int64), reviewers).copy(),
        least=np.broadcast_to(np.asarray(least, dtype=np.int64), reviewers).copy(),
        candidates=sorted_candidates(papers, row, Arcs.plain(who.astype(np.int32), scores[row, who])),
        forbidden=forbidden,
        committee=plain_committee(reviewers),
    )


def milp_total(problem, *, floor=None, groups=None, maximise="score", integrality=1, capacity=None):
    """The greatest total (and the chosen candidates) by HiGHS, or None where there is no assignment.

    `maximise` is "score" or "floor": then the lowest row sum is what is maximised, and returned.
    """
    pairs = problem.candidates
    count, rows, reviewers = len(pairs), problem.rows, len(problem.reviewers)
    if count == 0:  # which HiGHS does not take
        return None if problem.open_demand.any() or problem.open_least.any() else (0.0, np.zeros(0))
    arc, ones = np.arange(count), np.ones(count)
    with_floor = maximise == "floor"
    width = count + with_floor
    constraints = [
        LinearConstraint(
            coo_array((ones, (pairs.row, arc)), shape=(rows, width)), problem.open_demand, problem.open_demand
        ),
        LinearConstraint(
            coo_array((ones, (pairs.reviewer, arc)), shape=(reviewers, width)), problem.open_least, problem.room
        ),
    ]
    locked = np.bincount(problem.locked[:, 0], weights=problem.locked_score, minlength=rows)
    sums = coo_array((pairs.score, (pairs.row, arc)), shape=(rows, width))
    if with_floor:
        floor_column = coo_array((-np.ones(rows), (np.arange(rows), np.full(rows, count))), shape=(rows, width))
        constraints.append(LinearConstraint(sums + floor_column, -locked, np.inf))
    elif floor is not None:
        constraints.append(LinearConstraint(sums, floor - locked - 1e-9, np.inf))
    if groups is not None:
        member = groups.of_pair >= 0
        matrix = coo_array(
            (np.ones(member.sum()), (groups.of_pair[member], arc[member])), shape=(len(groups.room), width)
        )
        constraints.append(LinearConstraint(matrix, -np.inf, groups.room))
    upper = np.ones(count) if capacity is None else capacity
    gain = np.concatenate([np.zeros(count), [1.0]]) if with_floor else pairs.score
    low = np.concatenate([np.zeros(count), [-np.inf]]) if with_floor else np.zeros(count)
    high = np.concatenate([upper, [np.inf]]) if with_floor else upper
    kinds = np.concatenate([np.ones(count), [0]]) if with_floor else np.full(count, integrality)
    found = milp(-gain, constraints=constraints, bounds=Bounds(low, high), integrality=kinds)
    if found.x is None:
        return None
    return float(-found.fun), found.x[:count]


def with_people(problem, **known):
    """The problem with what is known about its reviewers."""
    return replace(problem, committee=replace(problem.committee, **{k: np.array(v) for k, v in known.items()}))


def pairs(assignment):
    """Who reviews what."""
    return {(pair.paper, pair.reviewer) for pair in assignment.pairs}


def solvable(**options):
    """Settings of tests that leave out problems without a solution: about half of `problems`."""
    return settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], **options)


@st.composite
def problems(draw, *, papers=8, reviewers=8, conflicts=0.2, absent=0.0):
    """Small random problems with demands, quotas, least loads, conflicts, locks; about half have no solution."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(1, papers)), draw(st.integers(1, reviewers))
    digits = draw(st.sampled_from([1, 3, 15]))  # few digits: many ties
    scores = np.round(rng.random((rows, columns)) - draw(st.sampled_from([0.0, 0.3])), digits)
    scores[rng.random(scores.shape) < conflicts] = np.nan
    demand = rng.integers(0, min(4, columns) + 1, rows)
    most = rng.integers(1, 6, columns)
    least = np.minimum(rng.integers(0, 3, columns) * draw(st.integers(0, 1)), most)
    problem = dense_problem(scores, demand, most, least)
    if absent:
        problem = replace(problem, candidates=_thinned(problem, rng.random(len(problem.candidates)) >= absent))
    return _locked(problem, rng) if draw(st.booleans()) else problem


def _thinned(problem, kept):
    return problem.with_candidates(kept).candidates


def _locked(problem: Problem, rng) -> Problem:
    """A problem with some of its candidates locked, within demands and quotas."""
    pairs = problem.candidates
    row, chosen = pairs.row, []
    demand, room = problem.demand.copy(), problem.most.copy()
    for arc in rng.permutation(len(pairs))[:3]:
        if demand[row[arc]] > 0 and room[pairs.reviewer[arc]] > 0:
            demand[row[arc]] -= 1
            room[pairs.reviewer[arc]] -= 1
            chosen.append(arc)
    chosen = np.array(chosen, dtype=np.int64)
    kept = np.ones(len(pairs), dtype=bool)
    kept[chosen] = False
    return replace(
        problem,
        candidates=sorted_candidates(problem.rows, row[kept], pairs.taken(kept)),
        locked=np.stack([row[chosen], pairs.reviewer[chosen]], axis=1).astype(np.int64),
        locked_score=pairs.score[chosen],
    )
