"""Real similarities: what the golden numbers do not say. The published figures themselves are in golden.yaml."""

import pytest

from retriever.assignment.methods.certain import own_best
from retriever.assignment.options import AssignOptions
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.assignment.solve import assign

SETS = {"preflib1": (3, 6), "preflib3": (3, 6), "aamas2015": (3, 12), "aamas2021": (4, 6)}


@pytest.fixture(scope="module")
def problem(data_dir):
    def read(name, **more):
        demand, most = SETS[name]
        sources = Sources(scores=[data_dir / "assignment" / f"{name}.csv.gz"])
        return read_problem(sources, AssignOptions(demand=demand, most=most, **more))

    return read


@pytest.mark.data
@pytest.mark.parametrize("name", SETS)
def test_the_fair_floor_is_the_bound_and_the_total_the_greatest_that_allows_it(problem, name):
    made = assign(problem(name))
    assert made.floor == pytest.approx(made.bound)
    assert made.floor_exact
    # A pair that could not reach the floor even with the paper's best others can be in no such assignment, so the
    # greatest total without such pairs bounds what any fair assignment can have.
    solved = made.solved
    pairs = solved.candidates
    row = pairs.row
    best = own_best(solved)
    last = pairs.score[pairs.starts[:-1] + solved.open_demand - 1]
    among_best = pairs.score >= last[row]
    possible = among_best | (best[row] - last[row] + pairs.score >= made.floor - 1e-9)
    ceiling = assign(solved.with_candidates(possible), AssignOptions("total")).total
    assert made.total >= 0.997 * ceiling


@pytest.mark.data
@pytest.mark.parametrize("name", ["preflib1", "preflib3"])
def test_perturbed_keeps_at_least_the_quality_that_was_asked_for(problem, name):
    made = assign(problem(name, method="perturbed", cap=0.85, quality=0.95))
    assert made.expected / made.greatest >= 0.95
    assert made.lottery.probability.max() <= 0.85 + 1e-9
