"""Why there is no assignment: the minimum cut in words, and the cheapest cures. No cure waives a conflict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from panelist.errors import InputError
from retriever.assignment.flow import Flow, cheapest_flow
from retriever.assignment.problem import Flags, Problem

_NAMED = 5
_LARGEST_QUOTA = 64


@dataclass(frozen=True, slots=True)
class Cure:
    """What would help.

    Attributes:
        words: for a person; options are called as the command line calls them.
        change: the same for a program: `most` (nobody's quota is below it), `quotas` (by reviewer), `demand` (nobody's
            is above it), `least`, `cap`, `only_scored`, `allow_short`, `rules`; empty where it is not a setting.
    """

    words: str
    change: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of the problem that cannot be met.

    Attributes:
        missing: how many reviews cannot be given.
        words: why, in one sentence.
        papers: whose reviews they are.
        reviewers: who could give them, and give all they can.
        cures: what would help, each checked, the cheapest first.
    """

    missing: int
    words: str
    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    cures: tuple[Cure, ...]


class InfeasibleError(InputError):
    """There is no assignment; `cut` says why."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        cures = f" (what would help: {'; or '.join(cure.words for cure in cut.cures)})" if cut.cures else ""
        super().__init__(cut.words + cures)


def explain(problem: Problem, flow: Flow) -> Cut:
    """Why a flow of the problem is not complete.

    Args:
        problem: with all candidates that there can be.
        flow: its cheapest flow.
    """
    if flow.unmet.any():
        return _unmet(problem, flow)
    return _idle(problem, flow)


def _unmet(problem: Problem, flow: Flow) -> Cut:
    pairs = problem.candidates
    rows, reviewers = reachable(problem, flow)
    missing = int(flow.unmet.sum())
    need, give = int(problem.open_demand[rows].sum()), int(problem.room[reviewers].sum())
    once = int((rows[pairs.row] & ~reviewers[pairs.reviewer]).sum())
    papers, names = (
        _names(problem.papers, problem.row_paper[rows]),
        _names(problem.reviewers, np.flatnonzero(reviewers)),
    )
    many = len(papers) > 1
    subject = f"{len(papers):,} papers need {need:,}" if many else f"{papers[0]} needs {need:,}"
    parts = []
    if reviewers.any():
        whose = ("their" if many else "its") + (" only" if not once and len(names) > 1 else "")
        left = " beside locked pairs" if len(problem.locked) else ""
        verb = "give" if len(names) > 1 else "gives"
        parts.append(f"{whose} {_count(len(names), 'reviewer')} {verb} {give:,}{left}")
    if once:
        others = len(np.unique(pairs.reviewer[rows[pairs.row] & ~reviewers[pairs.reviewer]]))
        parts.append(f"{_count(others, 'other reviewer' if reviewers.any() else 'reviewer')} can give {once:,} in all")
    if not parts:
        parts.append("nobody may review " + ("them" if many else "it"))
    words = f"{_count(missing, 'review')} cannot be given: {subject}, {', '.join(parts)}"
    return Cut(missing, words, papers, names, tuple(_cures(problem, missing, papers, names)))


def _idle(problem: Problem, flow: Flow) -> Cut:
    """The cut that least loads make: there are too few papers for the reviewers who must get some."""
    pairs = problem.candidates
    used = flow.amount > 0
    load = np.bincount(pairs.reviewer[used], minlength=len(problem.reviewers))
    who = flow.idle > 0
    row = pairs.row
    while True:
        rows = np.zeros(problem.rows, dtype=np.bool_)
        rows[row[who[pairs.reviewer] & ~used]] = True
        more = who.copy()
        more[pairs.reviewer[rows[row] & used]] = True
        if (more == who).all():
            break
        who = more
    missing = int(flow.idle.sum())
    must = int(problem.open_least[who].sum())
    names = _names(problem.reviewers, np.flatnonzero(who))
    papers = _names(
        problem.papers, problem.row_paper[rows | np.isin(np.arange(problem.rows), row[who[pairs.reviewer]])]
    )
    give = must - missing
    words = (
        f"{_count(missing, 'review')} of the minimum loads cannot be reached: {_count(len(names), 'reviewer')} must "
        f"get {must:,}, but the {_count(len(papers), 'paper')} that they may review can give them {give:,}"
    )
    lower = int(max((load[who]).min(initial=0), 0))
    cures = [Cure(f"lower the minimum of {_listed(names)}")]
    if _complete(replace(problem, least=np.minimum(problem.least, lower))):
        cures.append(Cure(f"--min {lower}", {"least": lower}))
    return Cut(missing, words, papers, names, tuple(cures))


def reachable(problem: Problem, flow: Flow) -> tuple[Flags, Flags]:
    """The rows and reviewers that unmet demand leads to: one side of a minimum cut."""
    pairs = problem.candidates
    row, used = pairs.row, flow.amount > 0
    rows, reviewers = flow.unmet > 0, np.zeros(len(problem.reviewers), dtype=np.bool_)
    while True:
        before = rows.sum() + reviewers.sum()
        reviewers[pairs.reviewer[rows[row] & ~used]] = True
        rows = rows.copy()
        rows[row[reviewers[pairs.reviewer] & used]] = True
        if rows.sum() + reviewers.sum() == before:
            return rows, reviewers


def _cures(problem: Problem, missing: int, papers: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Cure]:
    if names:
        extra, full = problem.most.copy(), problem.least.copy()
        who = [problem.reviewers.index(name) for name in names]
        full[who] = extra[who]  # they are full: who gives less would only shift reviews to another of them
        extra[who] += missing
        flow = cheapest_flow(replace(problem, most=extra, least=full))
        if flow.complete:
            yield Cure(f"{_count(missing, 'more review')} by {_listed(names)}", {"quotas": _needed(problem, flow)})
    for most in range(int(problem.most.min(initial=0)) + 1, _LARGEST_QUOTA):
        if most > problem.most.max() + missing:
            break
        raised = np.where(problem.most > 0, np.maximum(problem.most, most), problem.most)
        if (raised > problem.most).any() and _complete(replace(problem, most=raised)):
            yield Cure(f"--max {most}", {"most": most})
            break
    for demand in range(int(problem.demand.max(initial=1)) - 1, 0, -1):
        least = np.minimum(problem.demand, demand)
        if (problem.open_demand - problem.demand + least >= 0).all() and _complete(replace(problem, demand=least)):
            yield Cure(f"--demand {demand}", {"demand": demand})
            break
    if problem.only_scored:
        everybody = problem.widened(np.ones(problem.rows, dtype=bool), np.ones(len(problem.reviewers), dtype=bool))
        if _complete(everybody):
            yield Cure("pairs without a score (leave --only-scored out)", {"only_scored": False})
    yield Cure(f"recruit reviewers for {_count(missing, 'review')} of {_listed(papers)}")
    yield Cure("--allow-short", {"allow_short": True})


def _needed(problem: Problem, flow: Flow) -> dict[str, int]:
    """The quotas that a flow with larger ones needs, by the reviewers who give more than they would."""
    load = np.bincount(
        problem.candidates.reviewer, weights=flow.amount, minlength=len(problem.reviewers)
    ) + np.bincount(problem.locked[:, 1], minlength=len(problem.reviewers))
    return {problem.reviewers[who]: int(load[who]) for who in np.flatnonzero(load > problem.most)}


def _complete(problem: Problem) -> bool:
    return cheapest_flow(problem).complete


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _names(ids: tuple[str, ...], which: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[str, ...]:
    return tuple(ids[one] for one in np.unique(which))


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
