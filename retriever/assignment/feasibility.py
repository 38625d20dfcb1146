"""Why there is no assignment: the minimum cut in words, and the cheapest cures. No cure waives a conflict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from panelist.words import Message, PaperId, PersonId, counted, joined
from retriever.assignment.flow import Flow, cheapest_flow
from retriever.assignment.methods.capped import Lottery, capacities
from retriever.assignment.options import OptionError, Rules, named
from retriever.assignment.problem import Flags, Ints, Problem

_SHOWN = 5
_LARGEST_QUOTA = 64


@dataclass(frozen=True, slots=True)
class Cure:
    """A change that would make an assignment possible."""

    words: str  # for a person; options stand between backticks
    # the same for a program: `most` (nobody's quota is below it), `quotas` (by reviewer), `demand` (nobody's is above
    # it), `least`, `cap`, `allow_unscored`, `allow_short`, `senior`, `apart`, `no_cycles`; empty where it is not a
    # setting
    change: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of the problem that cannot be met."""

    missing: int  # how many reviews cannot be given
    words: str  # why, in one sentence
    papers: tuple[str, ...]  # whose reviews they are
    reviewers: tuple[str, ...]  # who could give them, and give all they can
    cures: tuple[Cure, ...]  # what would help, each checked, the cheapest first

    def named(self, names: Mapping[str, str]) -> Cut:
        """The same with the names that a front end has for options."""
        return replace(self, cures=tuple(replace(cure, words=named(cure.words, names)) for cure in self.cures))


class InfeasibleError(OptionError):
    """There is no assignment; `cut` says why."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        cures = joined((cure.words for cure in cut.cures), "; or ")
        super().__init__(Message(cut.words, " (what would help: ", cures, ")") if cures else cut.words)


def explain(problem: Problem, flow: Flow) -> Cut:
    """Why the cheapest flow of a problem, with all candidates that there can be, is not complete."""
    return _unmet(problem, flow) if flow.unmet.any() else _idle(problem, flow)


def _unmet(problem: Problem, flow: Flow) -> Cut:
    pairs = problem.candidates
    rows, reviewers = reachable(problem, flow)
    missing = int(flow.unmet.sum())
    need, give = int(problem.open_demand[rows].sum()), int(problem.room[reviewers].sum())
    used = rows[pairs.row] & ~reviewers[pairs.reviewer]  # pairs that the flow uses already, each once
    used_pairs = int(used.sum())
    papers = _names(problem.papers, problem.row_paper[rows])
    names = _names(problem.reviewers, np.flatnonzero(reviewers))
    many = len(papers) > 1
    subject = Message(f"{len(papers):,} papers" if many else PaperId(papers[0]), f" need{'s' * (not many)} {need:,}")
    parts = []
    if reviewers.any():
        whose = ("their" if many else "its") + (" only" if not used_pairs and len(names) > 1 else "")
        left = " beside locked pairs" if len(problem.locked) else ""
        verb = "give" if len(names) > 1 else "gives"
        parts.append(f"{whose} {counted(len(names), 'reviewer')} {verb} {give:,}{left}")
    if used_pairs:
        people = counted(len(np.unique(pairs.reviewer[used])), "other reviewer" if reviewers.any() else "reviewer")
        parts.append(f"{people} can give {used_pairs:,} in all")
    if not parts:
        parts.append("nobody may review " + ("them" if many else "it"))
    words = Message(f"{counted(missing, 'review')} cannot be given: ", subject, ", ", ", ".join(parts))
    return Cut(missing, words, papers, names, tuple(_cures(problem, missing, papers, names)))


def _idle(problem: Problem, flow: Flow) -> Cut:
    """The cut that least loads make: there are too few papers for the reviewers who must get some."""
    pairs, used = problem.candidates, flow.amount > 0
    row, people, count = pairs.row, flow.idle > 0, -1
    while people.sum() != count:
        count = people.sum()
        rows = np.zeros(problem.rows, dtype=np.bool_)
        rows[row[people[pairs.reviewer] & ~used]] = True
        people[pairs.reviewer[rows[row] & used]] = True
    missing = int(flow.idle.sum())
    least_sum = int(problem.open_least[people].sum())
    names = _names(problem.reviewers, np.flatnonzero(people))
    papers = _names(problem.papers, problem.row_paper[row[people[pairs.reviewer]]])
    give = least_sum - missing
    words = (
        f"{counted(missing, 'review')} of the minimum loads cannot be reached: {counted(len(names), 'reviewer')} must "
        f"get {least_sum:,}, but the {counted(len(papers), 'paper')} that they may review can give them {give:,}"
    )
    cures = [Cure(Message("lower the minimum of ", _listing(names, PersonId)))]
    for lower in range(int(problem.least.max()) - 1, -1, -1):
        if _complete(replace(problem, least=np.minimum(problem.least, lower))):
            cures.append(Cure(f"`least` {lower}", {"least": lower}))
            break
    return Cut(missing, words, papers, names, tuple(cures))


def explain_rules(problem: Problem, rules: Rules, flow: Flow | None = None) -> Cut:
    """Why a problem has no assignment under the rules, though it has one without them; which has to go is not known.

    `flow` is that under the rules, not complete; None where it is not known what is missing.
    """
    missing = 1 if flow is None else int(flow.unmet.sum() + flow.idle.sum())
    short = () if flow is None else tuple(map(problem.paper_of, np.flatnonzero(flow.unmet)))
    whose = Message(" (", _listing(short, PaperId), ")") if short else ""
    under = f" under the rules ({rules}), though there is an assignment without them"
    words = Message(f"{counted(missing, 'review')} cannot be given", whose, under)
    return Cut(missing, words, short, (), tuple(_rule_cures(rules)))


def _rule_cures(rules: Rules) -> Iterator[Cure]:
    if rules.seniors:
        yield Cure("leave `senior` out", {"senior": 0})
    for kind in rules.apart:
        remaining = {other: most for other, most in rules.apart.items() if other != kind}
        yield Cure(f"leave `apart` {kind} out", {"apart": remaining})
    if rules.no_cycles:
        yield Cure("leave `no_cycles` out", {"no_cycles": False})
    yield Cure("recruit reviewers from elsewhere")


def explain_caps(problem: Problem, lottery: Lottery, rules: Rules) -> Cut:
    """Why there is no lottery under the caps: what part of the demand is not met, and which cap would do.

    Under rules none was found, which may be: candidates are left out so that no draw can break one.
    """
    missing = int(np.ceil((lottery.flow.unmet.sum() + lottery.flow.idle.sum()) / lottery.scale))
    papers = _names(problem.papers, problem.row_paper[lottery.flow.unmet > 0])
    if rules:
        words = f"no lottery was found for {counted(missing, 'review')} under the caps and the rules ({rules})"
        return Cut(missing, words, papers, (), (Cure("a higher `cap`"), *_rule_cures(rules)))
    cures = []
    caps = np.arange(0.05, 1.0001, 0.05)
    for cap in caps[caps > problem.candidates.cap.max(initial=0.0)]:
        raised = problem.with_cap(cap)
        capacity, scale, _ = capacities(raised)
        if cheapest_flow(raised, scale=scale, capacity=capacity).complete:
            cures.append(Cure(f"`cap` {cap:.2f}", {"cap": round(float(cap), 2)}))
            break
    words = f"{counted(missing, 'review')} cannot be given under the caps, though there is an assignment without them"
    return Cut(missing, words, papers, (), tuple(cures))


def reachable(problem: Problem, flow: Flow) -> tuple[Flags, Flags]:
    """The rows and reviewers that unmet demand leads to: one side of a minimum cut."""
    pairs = problem.candidates
    row, used = pairs.row, flow.amount > 0
    rows, reviewers = flow.unmet > 0, np.zeros(len(problem.reviewers), dtype=np.bool_)
    while True:
        count = rows.sum() + reviewers.sum()
        reviewers[pairs.reviewer[rows[row] & ~used]] = True
        rows[row[reviewers[pairs.reviewer] & used]] = True
        if rows.sum() + reviewers.sum() == count:
            return rows, reviewers


def _cures(problem: Problem, missing: int, papers: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Cure]:
    if names:
        extra, full = problem.most.copy(), problem.least.copy()
        rows = [problem.reviewers.index(name) for name in names]
        full[rows] = extra[rows]  # they are full: if one gave less, reviews would only shift to another of them
        extra[rows] += missing
        flow = cheapest_flow(replace(problem, most=extra, least=full))
        if flow.complete:
            load = np.bincount(problem.candidates.reviewer, weights=flow.amount, minlength=len(problem.reviewers))
            load += problem.most - problem.room  # locked pairs
            quotas = {problem.reviewers[row]: int(load[row]) for row in np.flatnonzero(load > problem.most)}
            yield Cure(Message(f"{counted(missing, 'more review')} by ", _listing(names, PersonId)), {"quotas": quotas})
    for most in range(int(problem.most.min(initial=0)) + 1, _LARGEST_QUOTA):
        if most > problem.most.max() + missing:
            break
        raised = np.where(problem.most > 0, np.maximum(problem.most, most), problem.most)
        if (raised > problem.most).any() and _complete(replace(problem, most=raised)):
            yield Cure(f"`most` {most}", {"most": most})
            break
    for demand in range(min(int(problem.demand.max(initial=1)) - 1, len(problem.reviewers)), 0, -1):
        least = np.minimum(problem.demand, demand)
        if (problem.open_demand - problem.demand + least >= 0).all() and _complete(replace(problem, demand=least)):
            yield Cure(f"`demand` {demand}", {"demand": demand})
            break
    if not problem.options.allow_unscored and _complete(problem.widened()):
        yield Cure("`allow_unscored`: pairs without a score, as a last resort", {"allow_unscored": True})
    if problem.avoided is not None and _complete(problem.allowing()):
        number = counted(len(problem.avoided), "possible conflict")
        yield Cure(f"look at the {number}: if they are dismissed, there is an assignment")
    yield Cure(Message(f"recruit reviewers for {counted(missing, 'review')} of ", _listing(papers, PaperId)))
    yield Cure("`allow_short`", {"allow_short": True})


def workable_load(problem: Problem) -> int | None:
    """The smallest greatest load that lets every paper have its reviews, at most that for `most`; None: no load does.

    Who takes less by a quota of their own keeps it: loads are raised only where they are the common one. A load below
    somebody's locked pairs is none.
    """
    common = int(problem.most.max(initial=0))
    usual = problem.most == common

    def works(load: int) -> bool:
        return _complete(replace(problem, most=np.where(usual, load, problem.most), least=np.zeros_like(problem.least)))

    locks = (problem.most - problem.room)[usual]
    low, high = max(int(locks.max(initial=0)), 1), _LARGEST_QUOTA
    if low > high or not works(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle + 1, high)
    return low


def _complete(problem: Problem) -> bool:
    return cheapest_flow(problem).complete


def _names(ids: tuple[str, ...], which: Ints) -> tuple[str, ...]:
    return tuple(ids[number] for number in np.unique(which))


def _listing(ids: tuple[str, ...], kind: type[str]) -> Message:
    return joined(map(kind, ids), most=_SHOWN)
