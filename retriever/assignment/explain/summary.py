"""An assignment in figures: what the command prints and the report begins with.

The shadow price of a reviewer is what one more review by them would add to the greatest total. A new reviewer with the
scores of a known one would take the papers for which those scores are above what the papers' last reviews are worth;
the gain is added up over as many papers as a quota allows (an upper bound, as prices fall while slots are filled).
"""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
from msgspec import Struct

from panelist.words import Message, counted
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.problem import Floats, Ints, Problem
from retriever.assignment.solve import assign, complete_flow

NOTHING = 5e-10  # a gain up to this one is rounding
_SLOTS, _RECRUITS = 10, 5  # that are listed
_THIN = 0.5  # a paper with less than half of what its own best reviewers would give it


class ShortPaper(Struct, frozen=True, gc=False):
    """A paper that lacks reviews."""

    paper: str
    role: str
    missing: int


class ThinPaper(Struct, frozen=True, gc=False):
    """A paper whose reviewers are far from its own best ones."""

    paper: str
    role: str
    sum: float
    share: float


class Slot(Struct, frozen=True, gc=False):
    """A reviewer of whom one more review would gain something."""

    reviewer: str
    load: int
    gain: float


class Recruit(Struct, frozen=True, gc=False):
    """Another reviewer like a known one: what that would gain, and for which papers."""

    like: str
    gain: float
    papers: tuple[str, ...]


class ConflictSummary(Struct, frozen=True, gc=False):
    """What is known of conflicts, and what they cost."""

    known: bool  # whether anybody looked for conflicts
    words: str  # all of it in one line
    excluded: int  # pairs that could not be chosen, possible ones included
    avoided: int  # pairs with a score that were not chosen, because a possible conflict is avoided
    chosen: list[AssignedPair]  # pairs of the assignment with a possible conflict, with its evidence
    total_cost: float | None = None  # what avoiding possible conflicts takes off the greatest total, as a part of it
    # what it takes off the lowest sum of a paper, as a part of it; None where pairs were drawn
    lowest_cost: float | None = None


class Summary(Struct, frozen=True, gc=False, kw_only=True):
    """The figures of an assignment."""

    method: str  # how it was made
    papers: int  # how many
    reviewers: int  # how many
    pairs: int  # how many were assigned
    total: float  # the sum of their scores
    greatest_total: float  # of any assignment without rules
    quality: float  # the (expected) total as a part of that
    lowest: float  # the lowest sum of a paper
    bound: float  # what no lowest sum can exceed: the hardest paper's own best reviewers
    gap: float  # bound - lowest
    certified: bool  # whether the lowest sum is known to be the highest possible one
    mean_share: float  # of each paper's sum in that of its own best reviewers
    greatest_load: int  # of a reviewer
    idle: int  # reviewers without a review
    unscored: list[AssignedPair]  # pairs without a score: taken as a last resort
    kept: int  # pairs that were assigned before
    changed: list[tuple[str, str]]  # pairs that were assigned before and are not now
    short: list[ShortPaper]  # papers that lack reviews
    thin: list[ThinPaper]  # papers far from their own best reviewers, the worst first
    seed: int | None = None  # of the draw
    largest_probability: float = 1.0  # of a pair
    average_maximum_probability: float = 1.0  # the mean over papers of the likeliest pair's probability
    entropy: float = 0.0  # of the pairs, in nats
    entropy_per_review: float = 0.0  # the same as a part of one review
    slots: list[Slot]  # whose extra slot would gain most
    recruits: list[Recruit]  # what kind of new reviewer would
    conflicts: ConflictSummary  # what is known of them, which are in it, what avoiding them costs
    notes: list[Message]  # what the chair should know


def summarise_assignment(assignment: Assignment) -> Summary:
    """The figures of an assignment."""
    problem = assignment.solved
    pairs = assignment.pairs
    demanding, sums, shares = problem.demand > 0, assignment.sums, assignment.shares
    assigned = {(pair.paper, pair.reviewer) for pair in pairs}
    old = [(problem.paper_of(row), problem.reviewers[person]) for row, person in assignment.problem.existing]
    thin = np.flatnonzero(demanding & (shares < _THIN))
    thin = thin[np.argsort(assignment.shares[thin], kind="stable")]
    lowest, bound = (assignment.floor, assignment.bound) if demanding.any() else (0.0, 0.0)
    return Summary(
        method=assignment.options.method,
        papers=len(problem.papers),
        reviewers=len(problem.reviewers),
        pairs=len(pairs),
        total=assignment.total,
        greatest_total=assignment.greatest,
        quality=assignment.expected / assignment.greatest if assignment.greatest > 0 else 1.0,
        lowest=lowest,
        bound=bound,
        gap=max(bound - lowest, 0.0),
        certified=assignment.floor_exact,
        mean_share=float(shares[demanding].mean()) if demanding.any() else 1.0,
        greatest_load=int(assignment.loads.max(initial=0)),
        idle=int((assignment.loads == 0).sum()),
        unscored=[pair for pair in pairs if not pair.scored],
        kept=sum(pair in assigned for pair in old),
        changed=[pair for pair in old if pair not in assigned],
        short=[
            ShortPaper(problem.paper_of(row), problem.role_of(row), int(assignment.shortage[row]))
            for row in np.flatnonzero(assignment.shortage)
        ],
        thin=[
            ThinPaper(problem.paper_of(row), problem.role_of(row), float(sums[row]), float(shares[row])) for row in thin
        ],
        slots=dearest_slots(assignment),
        recruits=recruits(assignment),
        conflicts=summarise_conflicts(assignment),
        notes=list(map(Message, assignment.notes)),
        **_chances(assignment),
    )


def _chances(assignment: Assignment) -> dict[str, Any]:
    """What the lottery was like; without one every pair is certain."""
    problem, lottery = assignment.solved, assignment.lottery
    if lottery is None:
        return {}
    chance = lottery.probability
    likeliest = np.zeros(problem.rows)
    np.maximum.at(likeliest, problem.candidates.row, chance)
    likeliest[problem.locked[:, 0]] = 1.0
    positive = chance[chance > 0]
    entropy = float(-(positive * np.log(positive)).sum())
    return {
        "seed": assignment.options.seed,
        "largest_probability": float(chance.max(initial=0.0)),
        "average_maximum_probability": float(likeliest[problem.demand > 0].mean()),
        "entropy": entropy,
        "entropy_per_review": entropy / max(len(assignment.pairs), 1),
    }


def summarise_conflicts(assignment: Assignment) -> ConflictSummary:
    """What an assignment owes to conflicts; what avoiding them costs is found by solving again without it."""
    problem = assignment.problem
    avoided = 0 if problem.avoided is None else len(problem.avoided)
    chosen = [pair for pair in assignment.pairs if pair.conflict]
    total, lowest = avoiding_cost(assignment)
    words = f"{counted(len(problem.forbidden), 'pair')} excluded"
    if problem.conflicts is None:
        words += ", nobody looked for conflicts of interest"
    if avoided and total is not None:
        cost = f"{total:.2%} of the greatest total"
        cost += "" if lowest is None else f" and {lowest:.2%} of the lowest paper sum"
        words += f"; avoiding {counted(avoided, 'possible conflict')} costs {cost}"
    if chosen:
        words += f"; {counted(len(chosen), 'pair has', 'pairs have')} a possible conflict"
    return ConflictSummary(problem.conflicts is not None, words, len(problem.forbidden), avoided, chosen, total, lowest)


def avoiding_cost(assignment: Assignment) -> tuple[float | None, float | None]:
    """What avoiding possible conflicts takes off the greatest total and off the lowest sum, as parts of them."""
    problem = assignment.problem
    if problem.avoided is None:
        return None, None
    if assignment.lottery is not None:
        free, flow = complete_flow(problem.allowing())
        return _loss(assignment.greatest, free.total(flow.amount > 0)), None
    other = assign(problem.allowing())
    return _loss(assignment.greatest, other.greatest), _loss(assignment.floor, other.floor)


def _loss(kept: float, total: float) -> float:
    return max(1 - kept / total, 0.0) if 0 < total < float("inf") else 0.0


def dearest_slots(assignment: Assignment) -> list[Slot]:
    """The ten reviewers whose extra slot would gain most."""
    price = assignment.flow.price
    order = np.argsort(-price, kind="stable")[:_SLOTS]
    names = assignment.solved.reviewers
    loads = assignment.loads
    return [Slot(names[row], int(loads[row]), float(price[row])) for row in order if price[row] > NOTHING]


def recruits(assignment: Assignment) -> list[Recruit]:
    """The five kinds of reviewers that would gain most, each for other papers than the ones before."""
    problem, pairs = assignment.solved, assignment.solved.candidates
    net = problem.worth - assignment.flow.price[pairs.reviewer]
    last = np.full(problem.rows, np.inf)  # what the review that a new one would replace is worth
    np.minimum.at(last, pairs.row, np.where(assignment.flow.amount > 0, net, np.inf))
    gain = np.where(pairs.absent, 0.0, problem.worth - last[pairs.row])
    served: set[int] = set()
    gains = []
    for _ in range(_RECRUITS):
        open_gain = np.where(np.isin(pairs.row, list(served)), 0.0, np.maximum(gain, 0.0))
        best = _best(problem, open_gain)
        if best is None:
            break
        person, arcs = best
        served |= {int(row) for row in pairs.row[arcs]}
        papers = tuple(map(problem.paper_of, pairs.row[arcs]))
        gains.append(Recruit(problem.reviewers[person], float(open_gain[arcs].sum()), papers))
    return gains


def _best(problem: Problem, gain: Floats) -> tuple[int, Ints] | None:
    """The reviewer whose best papers, as many as a usual quota, gain most together; and those candidates."""
    pairs = problem.candidates
    quota = max(int(np.median(problem.most[problem.most > 0])), 1) if (problem.most > 0).any() else 1
    order = np.lexsort((-gain, pairs.reviewer))
    person = pairs.reviewer[order]
    rank = np.arange(len(order)) - np.searchsorted(person, person)
    top = order[(rank < quota) & (gain[order] > NOTHING)]
    if not len(top):
        return None
    sums = np.bincount(pairs.reviewer[top], weights=gain[top], minlength=len(problem.reviewers))
    best = int(np.argmax(sums))
    return best, top[pairs.reviewer[top] == best]


class Side(Struct, frozen=True, gc=False):
    """One of two assignments: how many pairs, their total score, the lowest sum of a paper, the greatest load."""

    pairs: int
    total: float
    lowest: float
    greatest_load: int


class Comparison(Struct, frozen=True, gc=False):
    """What two assignments share."""

    first: Side
    second: Side
    common: int  # pairs of both
    changed_papers: tuple[str, ...]  # papers whose reviewers differ
    only_first: tuple[tuple[str, str], ...]  # pairs of the first
    only_second: tuple[tuple[str, str], ...]  # pairs of the second


def compare_pairs(first: dict[tuple[str, str], float], second: dict[tuple[str, str], float]) -> Comparison:
    """What two assignments, by pair, share."""
    only_first = tuple(pair for pair in first if pair not in second)
    only_second = tuple(pair for pair in second if pair not in first)
    changed = tuple(dict.fromkeys(paper for paper, _ in (*only_first, *only_second)))
    return Comparison(_side(first), _side(second), len(first) - len(only_first), changed, only_first, only_second)


def _side(pairs: dict[tuple[str, str], float]) -> Side:
    sums: dict[str, float] = defaultdict(float)
    for (paper, _), score in pairs.items():
        sums[paper] += score
    loads = Counter(reviewer for _, reviewer in pairs)
    return Side(len(pairs), sum(sums.values()), min(sums.values(), default=0.0), max(loads.values(), default=0))
