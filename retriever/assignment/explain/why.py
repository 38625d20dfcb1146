"""Why a reviewer was chosen for a paper or not, and what the other decision would cost."""

from functools import partial

import numpy as np
from msgspec import Struct, structs

from panelist.errors import InputError
from panelist.words import Message, PersonId, joined
from retriever.assignment.assignment import Assignment
from retriever.assignment.building.records import Ids
from retriever.assignment.explain.summary import NOTHING
from retriever.assignment.flow import cheapest_flow
from retriever.assignment.problem import Ints, Problem
from retriever.assignment.rules import broken_by


class Explanation(Struct, frozen=True, gc=False, kw_only=True):
    """Why a reviewer was chosen for a paper, or was not."""

    paper: str  # id
    reviewer: str  # id
    chosen: bool  # whether they review it
    reasons: tuple[str, ...]  # in words, the strongest first
    score: float | None = None  # of the pair, None where there is none
    rank: int | None = None  # of the reviewer among the paper's candidates by score, from 1
    cost: float | None = None  # what the other decision would take off the greatest total; None where it is impossible
    price: float = 0.0  # what one more slot of the reviewer would gain
    probability: float | None = None  # of the pair, where it was drawn


def explain_pair(assignment: Assignment, paper: str, reviewer: str) -> Explanation:
    """Why this reviewer was chosen for this paper, or was not."""
    problem = assignment.problem
    if paper not in problem.papers:
        raise InputError(f"no paper '{paper}' in the scores")
    if (reviewer_number := Ids((), problem.reviewers, problem.conflicts).number(reviewer)) < 0:
        raise InputError(f"no reviewer '{reviewer}' in the scores")
    paper_number, reviewer = problem.papers.index(paper), problem.reviewers[reviewer_number]
    role = int(problem.committee.role[reviewer_number])
    explained = partial(Explanation, paper=paper, reviewer=reviewer)
    if (conflict := problem.why_not(paper_number, reviewer_number)) is not None:
        return explained(chosen=False, reasons=(Message(PersonId(reviewer), f" {conflict}"),))
    if role < 0:
        nobody = Message("nobody of the role of ", PersonId(reviewer), " is asked for")
        return explained(chosen=False, reasons=(nobody,))
    row = paper_number * len(problem.roles) + role
    if _among(problem.locked, row, reviewer_number):
        explanation = explained(chosen=True, reasons=("the pair is locked",))
    elif _among(assignment.solved.locked, row, reviewer_number):
        explanation = explained(
            chosen=True, reasons=("the pair was assigned before, and as many as possible were kept",)
        )
    else:
        explanation = _candidate(assignment, row, reviewer_number)
    conflict_pair = problem.conflict(paper, reviewer)
    if conflict_pair is None or conflict_pair.certain:
        return explanation
    words = f"there is a possible conflict of interest: {conflict_pair.evidence}"
    if conflict_pair.decision is not None:
        by = conflict_pair.decision.by or "somebody"
        words = f"{by} dismissed a possible conflict of interest: {conflict_pair.evidence}"
    return structs.replace(explanation, reasons=(*explanation.reasons, words))


def _among(pairs: Ints, first: int, second: int) -> bool:
    """Whether a pair is among (pairs, 2) others."""
    return bool((pairs == (first, second)).all(axis=1).any())


def _candidate(assignment: Assignment, row: int, reviewer: int) -> Explanation:
    problem, solved = assignment.problem, assignment.solved
    arc, first_arc = _arc(solved, row, reviewer), _arc(problem, row, reviewer)
    chosen = arc is not None and bool(assignment.chosen[arc])
    cost = _cost(solved, row, reviewer, arc, chosen)
    explanation = Explanation(
        paper=problem.paper_of(row),
        reviewer=problem.reviewers[reviewer],
        chosen=chosen,
        reasons=(),
        cost=cost,
        price=max(float(assignment.flow.price[reviewer]), 0.0),
    )
    if first_arc is not None and not problem.candidates.absent[first_arc]:
        rank = first_arc - int(problem.candidates.starts[row]) + 1
        explanation = structs.replace(explanation, score=float(problem.candidates.score[first_arc]), rank=rank)
    if assignment.lottery is not None:
        probability = 0.0 if arc is None else float(assignment.lottery.probability[arc])
        explanation = structs.replace(explanation, probability=probability)
    if arc is not None and chosen:
        reasons = [_chosen(assignment, row, arc)]
    else:
        reasons = _not_chosen(assignment, row, reviewer, explanation)
    if cost is None:
        reasons.append("without this pair there is no assignment" if chosen else "with this pair there is none")
    return structs.replace(explanation, reasons=tuple(reasons))


def _chosen(assignment: Assignment, row: int, arc: int) -> str:
    solved, flow = assignment.solved, assignment.flow
    if solved.candidates.absent[arc]:
        return "a last resort: the pair has no score, and others could not meet all demands"
    net = solved.worth[arc] - flow.price[solved.candidates.reviewer[arc]]
    return (
        f"score minus the reviewer's price, which grows with demand, is {net:.4f}; "
        f"this paper takes {flow.value[row]:.4f} or more"
    )


def _not_chosen(assignment: Assignment, row: int, reviewer: int, pair: Explanation) -> list[str]:
    solved, score = assignment.solved, pair.score
    load, most = int(assignment.loads[reviewer]), int(solved.most[reviewer])
    name, reasons = PersonId(pair.reviewer), list[str]()
    if most == 0:
        return [Message("the quota of ", name, " is 0")]
    if score is None:
        last = ": a last resort only" if solved.options.allow_unscored else ", and such pairs are not taken"
        reasons.append(f"the pair has no score{last}")
    if pair.probability is not None:
        arc = _arc(solved, row, reviewer)
        cap = (solved.options.cap or 1.0) if arc is None else float(solved.candidates.cap[arc])
        capped = " (the cap)" if abs(pair.probability - cap) < 1e-9 else ""
        reasons.append(f"the pair had probability {pair.probability:.4f}{capped} and was not drawn")
    reasons += filter(None, [_broken(assignment, row, reviewer)])
    if load >= most:
        worth = f"; one more slot of theirs would gain {pair.price:.4f}" if pair.price > NOTHING else ""
        reasons.append(Message(name, f" is full: {load} of {most}{worth}"))
    members = solved.candidates.row == row
    lowest = solved.candidates.score[members & assignment.chosen].min(initial=np.inf)
    if score is not None and score <= lowest:
        reasons.append(f"the paper's own reviewers have {lowest:.4f} or more, this pair {score:.4f}")
    if not reasons:
        reasons.append("others are worth more in all")
    return reasons


def _broken(assignment: Assignment, row: int, reviewer: int) -> str:
    """The rule that choosing this pair would break."""
    solved, rules = assignment.solved, assignment.options.rules
    arc = _arc(solved, row, reviewer)
    if not rules or (arc is None and _arc(assignment.problem, row, reviewer) is None):
        return ""
    if arc is None:  # dropped while the rules were being met
        return f"the pair was dropped to keep the rules ({rules})"
    broken = broken_by(solved, rules, assignment.chosen, arc)
    if broken is None:
        return ""
    members = (solved.candidates.reviewer[member] for member in broken.members if member != arc)
    names = joined(PersonId(solved.reviewers[member]) for member in members)
    return Message(f"the rule '{broken.rule}' speaks against it beside ", names or "locked pairs")


def _arc(problem: Problem, row: int, reviewer: int) -> int | None:
    start, stop = problem.candidates.starts[row : row + 2].tolist()
    return next((arc for arc in range(start, stop) if problem.candidates.reviewer[arc] == reviewer), None)


def _cost(problem: Problem, row: int, reviewer: int, arc: int | None, chosen: bool) -> float | None:
    """What is lost of the greatest total when a pair is forced out, or in; None if that cannot be."""
    best = cheapest_flow(problem)
    pairs = problem.candidates
    greatest = float((problem.worth * best.amount).sum())
    score, changed = 0.0, problem
    if arc is not None:
        score, changed = float(problem.worth[arc]), problem.with_candidates(np.arange(len(pairs)) != arc)
    if not chosen:
        if problem.open_demand[row] < 1 or problem.room[reviewer] < 1:
            return None
        changed = changed.locking(np.array([row]), np.array([reviewer]), np.array([score]))
    flow = cheapest_flow(changed)
    if not flow.complete:
        return None
    return max(0.0, greatest - float((changed.worth * flow.amount).sum()) - (0.0 if chosen else score))
