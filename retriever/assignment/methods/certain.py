"""Methods that choose for certain: the greatest total, the fairest assignment, leximin, picking in turn.

*fair*: the lowest paper sum as high as it can be, and the least total given up for it.
No paper can have more than its own best reviewers, so the lowest sum cannot be above that of the hardest paper: where
that bound is reached, it is the certificate of the optimum. (Stelmakh, Shah & Singh 2021, *PeerReview4All*; Kobren,
Saha & McCallum 2019, *Paper Matching with Local Fairness Constraints*.) The problem is NP-hard; small ones that chains
do not settle are settled by scipy's MILP. *leximin*: then the next lowest is raised, and so on, paper by paper.

*envy*: no paper would rather have another's reviewers, but for one of them (WEF1). Papers pick their best reviewer in
turn; a paper's turn comes when it has the smallest part of its demand. Weighted picking sequences are envy-free up to
one item (Chakraborty et al. 2021); for reviewers see Payan & Zick (2022), *I Will Have Order!* (FairSequence). Here a
pick that would leave others without a possible assignment is passed over, so the end is always a whole assignment;
where conflicts and quotas make that necessary, the guarantee is weaker.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from retriever.assignment.board import WorkingAssignment
from retriever.assignment.flow import Flow
from retriever.assignment.problem import Flags, Floats, Problem, add_up, positions_within
from retriever.assignment.watch import run

_HALVINGS = 3
_FINER_HALVINGS = 20  # of leximin
_STEPS = 14  # of the search for the highest floor
_SMALL = 3_000  # candidates that the MILP is given
_SECONDS = 20.0
_NEAR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What was chosen for certain (candidates), and whether no lowest sum is known to be higher."""

    chosen: Flags
    exact: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Fair(Chosen):
    """A fair assignment, and who has what in the form that chains change."""

    working: WorkingAssignment = field(kw_only=True)


def own_best(problem: Problem) -> Floats:
    """(rows) the sum of each row's own best candidates, with its locked pairs: an upper bound of what it can have."""
    pairs = problem.candidates
    best = np.arange(len(pairs)) - pairs.starts[pairs.row] < problem.open_demand[pairs.row]
    return add_up(problem.worth[best], pairs.row[best], problem.rows) + problem.locked_sums


def floor_bound(problem: Problem) -> float:
    """What no lowest sum of a row with a demand can exceed: the hardest row's own best candidates."""
    return float(own_best(problem)[problem.demand > 0].min(initial=np.inf))


def total(problem: Problem, flow: Flow) -> Chosen:
    """The candidates of the greatest total, which `flow` is."""
    return Chosen(flow.amount > 0)


def fair(problem: Problem, flow: Flow) -> Fair:
    """Raise the lowest sum as far as possible, starting from the greatest total."""
    from retriever.assignment.kernels.chains import raise_floor

    start = best = WorkingAssignment.of(problem, flow.amount > 0, flow.price)
    rows = problem.demand > 0
    low, high = float(start.board.total[rows].min(initial=np.inf)), (bound := floor_bound(problem))
    target = bound
    for _ in range(_STEPS):
        if low >= high - _NEAR:
            break
        tried = WorkingAssignment.of(problem, start.board.chosen, flow.price)
        lift = partial(raise_floor, tried.board, tried.search, rows, target, _HALVINGS)
        if run("raising the lowest", problem.rows, lift):
            best, low = tried, target
        else:
            high = target
            reached = float(tried.board.total[rows].min())
            if reached > low:
                best, low = tried, reached
        target = (low + high) / 2
    pairs = problem.candidates
    plain = not problem.options.keep and not pairs.absent.any()  # the MILP of a floor knows nothing that comes before
    if low < bound - _NEAR and plain and len(pairs) <= _SMALL:
        from retriever.assignment.exact import highest_floor

        settled = highest_floor(problem, _SECONDS)
        if settled is not None:
            best, low = WorkingAssignment.of(problem, settled, flow.price), bound
    return Fair(best.board.chosen, low >= bound - _NEAR, working=best)


def leximin(problem: Problem, flow: Flow) -> Fair:
    """Go on from the fair assignment, as far as chains of swaps lead."""
    from retriever.assignment.kernels.chains import raise_all

    start = fair(problem, flow)
    working, rows = start.working, problem.demand > 0
    lift = partial(raise_all, working.board, working.search, rows, own_best(problem), _FINER_HALVINGS)
    run("raising one by one", int(rows.sum()), lift)  # changes what `start` has
    return start


def envy(problem: Problem, flow: Flow) -> Chosen:
    """The candidates that papers pick in turn: the paper with the smallest part of its demand, with most to lose."""
    from retriever.assignment.kernels.chains import pick_in_turn

    working = WorkingAssignment.of(problem, flow.amount > 0, flow.price)
    row = np.repeat(np.arange(problem.rows), problem.open_demand)
    before = (problem.demand - problem.open_demand)[row] + positions_within(problem.open_demand)
    turns = row[np.lexsort((row, -own_best(problem)[row], before / problem.demand[row]))]
    run("picking", len(turns), partial(pick_in_turn, working.board, working.search, turns))
    return Chosen(working.board.chosen)
