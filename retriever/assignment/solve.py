"""From a problem to an assignment: pairs without a score where nothing else helps, the method, the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from panelist.errors import InputError
from panelist.progress import Progress, silent
from retriever.assignment.assignment import METHODS, Assignment, Options
from retriever.assignment.exact import greatest_total
from retriever.assignment.feasibility import InfeasibleError, explain, explain_caps, explain_rules, reachable
from retriever.assignment.flow import Flow, cheapest_flow
from retriever.assignment.keeping import HELD_NOTES, KEEPING, held_problem
from retriever.assignment.methods.capped import Lottery, capped
from retriever.assignment.methods.envy import envy
from retriever.assignment.methods.fair import fair, floor_bound
from retriever.assignment.methods.leximin import leximin
from retriever.assignment.methods.perturbed import perturbed
from retriever.assignment.problem import Flags, Problem
from retriever.assignment.rules import Rules, cheaper_ones, check_rules, flow_groups, violations
from retriever.assignment.rules_exact import rule_matrices
from retriever.assignment.shortage import spread_shortage
from retriever.assignment.watch import watching

_ROUNDS = 500  # of dropping
_SMALL = 20_000  # candidates of an exact solution
_SECONDS = 120.0
_NO_RULES = Rules()
_CERTAIN, _DRAWN = frozenset({"total", "fair", "leximin", "envy"}), frozenset({"random", "perturbed"})

SUPPORT: dict[str, frozenset[str]] = {
    "--cap": _DRAWN,
    "--quality": frozenset({"perturbed"}),
    "--seed": _DRAWN,
    "--marginals": _DRAWN,
    "--senior": _CERTAIN,
    "--apart": _CERTAIN,
    "--no-cycles": _CERTAIN,
    "--exact": frozenset({"total"}),
    "--prefer-old": _CERTAIN | {"random"},
    "--allow-short": _CERTAIN,
}
"""Which methods an option works with; everything else works with all of them."""


def check_support(method: str, given: frozenset[str] | set[str]) -> None:
    """Refuse options that a method does not have.

    Raises:
        InputError: the method is unknown, or an option does not work with it.
    """
    if method not in METHODS:
        raise InputError(f"--method is one of {', '.join(METHODS)}, received '{method}'")
    for option in sorted(given):
        if method not in SUPPORT.get(option, METHODS):
            known = ", ".join(name for name in METHODS if name in SUPPORT[option])
            raise InputError(f"{option} does not work with --method {method}, only with {known}")


def assign(problem: Problem, options: Options | None = None, progress: Progress = silent) -> Assignment:
    """Assign reviewers to papers.

    Args:
        problem: from `read_problem`.
        options: how; the default is the fairest assignment.
        progress: called now and then; what it raises stops the work.

    Raises:
        InfeasibleError: there is no assignment; its message says why and what would help.
        InputError: options that do not go together, or cannot be met.
    """
    how = options or Options()
    check_support(how.method, _given(problem, how))
    check_rules(problem, how.rules)
    with watching(progress):
        return _assign(problem, how)


def _assign(problem: Problem, how: Options) -> Assignment:
    if problem.keep and how.method not in KEEPING:
        kept = _assign(problem, replace(how, method="total"))
        made = _assign(held_problem(problem, kept.solved, kept.chosen), how)
        notes = (*made.notes, HELD_NOTES[how.method])
        return replace(made, problem=problem, greatest=kept.greatest, bound=kept.bound, notes=notes)
    if how.method in _DRAWN:
        return _drawn(problem, how)
    open_problem, base = complete_flow(problem)
    shortage = np.zeros(problem.rows, dtype=np.int64)
    if not base.complete:
        if not how.allow_short or not base.unmet.any():
            raise InfeasibleError(explain(open_problem, base))
        shortage = spread_shortage(open_problem)
        open_problem, base = complete_flow(replace(problem, demand=problem.demand - shortage))
        if not base.complete:
            raise InfeasibleError(explain(open_problem, base))
    solved, chosen, flow, exact = _certain(open_problem, how, base)
    greatest, bound = open_problem.total(base.amount > 0), floor_bound(open_problem)
    return Assignment(problem, solved, how, chosen, flow, greatest, bound, exact, None, shortage, problem.notes)


def complete_flow(problem: Problem, rules: Rules = _NO_RULES) -> tuple[Problem, Flow]:
    """The greatest total, with pairs without a score where there is none otherwise; the problem with such pairs."""
    flow = cheapest_flow(problem, groups=flow_groups(problem, rules))
    if flow.complete or problem.only_scored:
        return problem, flow
    if not rules and not problem.open_least.any() and not problem.keep:
        # Where as many other pairs suffice as demand is unmet, no other rows and none of the full reviewers need any:
        # every greatest flow of scored pairs meets those rows and fills those reviewers.
        rows, full = reachable(problem, flow)
        wide = problem.widened(rows, ~full)
        wide_flow = cheapest_flow(wide)
        if wide_flow.complete and wide_flow.amount[wide.candidates.absent].sum() == flow.unmet.sum():
            return wide, wide_flow
    wide = problem.widened()
    return wide, cheapest_flow(wide, groups=flow_groups(wide, rules))


def _given(problem: Problem, options: Options) -> set[str]:
    """The options that are not at their defaults."""
    rules = options.rules
    said = {
        "--senior": bool(rules.seniors),
        "--apart": bool(rules.apart),
        "--no-cycles": rules.no_cycles,
        "--exact": options.exact,
        "--allow-short": options.allow_short,
        "--prefer-old": problem.prefer_old != 0,
        "--cap": bool((problem.candidates.cap < 1).any()),
    }
    return {option for option, yes in said.items() if yes}


def _certain(problem: Problem, options: Options, base: Flow) -> tuple[Problem, Flags, Flow, bool]:
    """The problem as solved, what is chosen, the flow with its prices, whether the floor is the highest possible."""
    rules = options.rules
    if not rules:
        chosen, exact = _by_method(options.method, problem, base)
        return problem, chosen, base, exact
    if options.exact:
        if len(problem.candidates) > _SMALL:
            raise InputError(f"--exact is for at most {_SMALL:,} pairs, received {len(problem.candidates):,}")
        return *_exactly(problem, rules, base), False
    current = problem
    for _ in range(_ROUNDS):
        current, flow = complete_flow(current, rules)
        if not flow.complete:
            return *_exactly(problem, rules, base, flow), False
        chosen = flow.amount > 0
        found = violations(current, rules, chosen)
        if not found:  # what the greatest total breaks is dropped first, as that is found fastest
            chosen, _ = _by_method(options.method, current, flow)
            found = violations(current, rules, chosen)
        if not found:
            return current, chosen, flow, False
        current = current.without(cheaper_ones(current, found))
    raise InputError(
        f"the rules {rules} were not met after {_ROUNDS} rounds of dropping pairs: try --exact or fewer rules"
    )


def _by_method(method: str, problem: Problem, flow: Flow) -> tuple[Flags, bool]:
    """What a method chooses, and whether its floor is known to be the highest possible."""
    if method in ("fair", "leximin"):
        found = (fair if method == "fair" else leximin)(problem, flow)
        return found.chosen, found.exact
    return (envy(problem, flow) if method == "envy" else flow.amount > 0), False


def _exactly(problem: Problem, rules: Rules, base: Flow, dropped: Flow | None = None) -> tuple[Problem, Flags, Flow]:
    """The greatest total under the rules by MILP, with pairs without a score where there is none otherwise.

    Args:
        problem: that has an assignment without the rules.
        rules: what has to hold.
        base: the greatest total without the rules.
        dropped: what dropping pairs ended with, where it was tried.

    Returns:
        The problem as solved, what is chosen, and its greatest total without the rules.
    """
    small = len(problem.candidates) <= _SMALL
    chosen = greatest_total(problem, _SECONDS, rule_matrices(problem, rules)) if small else None
    if chosen is not None:
        return problem, chosen, base
    if small and not problem.only_scored:
        wide = problem.widened()
        if len(wide.candidates) > len(problem.candidates):
            return _exactly(wide, rules, cheapest_flow(wide), dropped)
    raise InfeasibleError(explain_rules(problem, rules, dropped))


def _drawn(problem: Problem, options: Options) -> Assignment:
    """By lottery."""
    solved, base = complete_flow(problem)
    if not base.complete:
        raise InfeasibleError(explain(solved, base))
    lottery = _lottery(solved, options, base)
    if not lottery.flow.complete and not problem.only_scored:
        solved = problem.widened()
        base = cheapest_flow(solved)
        lottery = _lottery(solved, options, base)
    if not lottery.flow.complete:
        raise InfeasibleError(explain_caps(solved, lottery))
    return Assignment(
        problem,
        solved,
        options,
        lottery.draw(solved, options.seed),
        lottery.flow,
        solved.total(base.amount > 0),
        floor_bound(solved),
        False,
        lottery,
        np.zeros(problem.rows, dtype=np.int64),
        (*problem.notes, *filter(None, [lottery.note])),
    )


def _lottery(problem: Problem, options: Options, base: Flow) -> Lottery:
    if options.method == "random":
        return capped(problem)
    return perturbed(problem, base, options.quality)
