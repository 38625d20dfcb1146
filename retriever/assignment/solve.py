"""From a problem to an assignment: pairs without a score where nothing else helps, the method, the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.words import counted
from retriever.assignment.assignment import METHODS, Assignment, Options, row_sums
from retriever.assignment.exact import greatest_total
from retriever.assignment.feasibility import Cure, Cut, InfeasibleError, explain, reachable
from retriever.assignment.flow import Flow, cheapest_flow
from retriever.assignment.keeping import HELD_NOTES, KEEPING, held_problem
from retriever.assignment.methods.capped import Lottery, capacities, capped
from retriever.assignment.methods.envy import envy
from retriever.assignment.methods.fair import fair, own_best
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
    solved, chosen, flow, bound, exact = _certain(open_problem, how, base)
    sums = row_sums(solved, chosen)
    wanted = solved.demand > 0
    return Assignment(
        problem,
        solved,
        how,
        chosen,
        flow,
        _value(open_problem, base.amount > 0),
        float(sums[wanted].min(initial=np.inf)),
        bound,
        exact,
        None,
        shortage,
        problem.notes,
    )


def complete_flow(problem: Problem, rules: Rules | None = None) -> tuple[Problem, Flow]:
    """The greatest total, with pairs without a score where there is none otherwise; the problem with such pairs."""
    flow = cheapest_flow(problem, groups=None if rules is None else flow_groups(problem, rules))
    if flow.complete or problem.only_scored:
        return problem, flow
    everybody = np.ones(len(problem.reviewers), dtype=np.bool_)
    if rules is None and not problem.open_least.any() and not problem.keep:
        # Where as many other pairs suffice as demand is unmet, no other rows and none of the full reviewers need any:
        # every greatest flow of scored pairs meets those rows and fills those reviewers.
        rows, full = reachable(problem, flow)
        wide = problem.widened(rows, ~full)
        wide_flow = cheapest_flow(wide)
        if wide_flow.complete and wide_flow.amount[wide.candidates.absent].sum() == flow.unmet.sum():
            return wide, wide_flow
    wide = problem.widened(np.ones(problem.rows, dtype=np.bool_), everybody)
    return wide, cheapest_flow(wide, groups=None if rules is None else flow_groups(wide, rules))


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


def _certain(problem: Problem, options: Options, base: Flow) -> tuple[Problem, Flags, Flow, float, bool]:
    """The problem as solved, what is chosen, prices, the bound of the floor and whether that floor is the highest."""
    rules = options.rules
    methods: dict[str, Callable[[Problem, Flow], tuple[Flags, bool]]] = {
        "total": lambda one, flow: (flow.amount > 0, False),
        "envy": lambda one, flow: (envy(one, flow), False),
        "fair": lambda one, flow: ((found := fair(one, flow)).chosen, found.exact),
        "leximin": lambda one, flow: ((found := leximin(one, flow)).chosen, found.exact),
    }
    wanted = problem.demand > 0
    bound = float(own_best(problem)[wanted].min(initial=np.inf))
    if not rules:
        chosen, exact = methods[options.method](problem, base)
        return problem, chosen, base, bound, exact
    if options.exact:
        return problem, _exactly(problem, rules), base, bound, False
    current = problem
    for _ in range(_ROUNDS):
        current, flow = complete_flow(current, rules)
        if not flow.complete:
            return problem, _last_resort(problem, rules, flow), base, bound, False
        chosen = flow.amount > 0
        found = violations(current, rules, chosen)
        if not found:  # what the greatest total breaks is dropped first, as that is found fastest
            chosen, _ = methods[options.method](current, flow)
            found = violations(current, rules, chosen)
        if not found:
            return current, chosen, flow, bound, False
        current = current.without(cheaper_ones(current, found))
    raise InputError(
        f"the rules {rules} were not met after {_ROUNDS} rounds of dropping pairs: try --exact or fewer rules"
    )


def _exactly(problem: Problem, rules: Rules) -> Flags:
    """The greatest total under the rules, by MILP."""
    if len(problem.candidates) > _SMALL:
        raise InputError(f"--exact is for at most {_SMALL:,} pairs, received {len(problem.candidates):,}")
    chosen = greatest_total(problem, _SECONDS, rule_matrices(problem, rules))
    if chosen is None:
        raise InfeasibleError(_rule_cut(problem, rules, 1))
    return chosen


def _last_resort(problem: Problem, rules: Rules, flow: Flow) -> Flags:
    """What dropping did not find: exactly, where the problem is small enough."""
    missing = int(flow.unmet.sum() + flow.idle.sum())
    if len(problem.candidates) > _SMALL:
        raise InfeasibleError(_rule_cut(problem, rules, missing, flow))
    wide = problem
    chosen = greatest_total(wide, _SECONDS, rule_matrices(wide, rules))
    if chosen is None:
        raise InfeasibleError(_rule_cut(problem, rules, missing, flow))
    return chosen


def _rule_cut(problem: Problem, rules: Rules, missing: int, flow: Flow | None = None) -> Cut:
    short = () if flow is None else tuple(problem.papers[problem.row_paper[row]] for row in np.flatnonzero(flow.unmet))
    named = f" ({', '.join(short[:5])})" if short else ""
    reviews = f"{missing:,} review{'s' if missing > 1 else ''}"
    words = f"{reviews} cannot be given{named} under {rules}, though there is an assignment without these rules"
    return Cut(missing, words, short, (), _rule_cures(rules))


def _rule_cures(rules: Rules) -> tuple[Cure, ...]:
    """To leave out each of the rules; which of them is enough is not known."""
    left = [Cure("leave --senior out", {"rules": {"senior": 0}})] if rules.seniors else []
    for kind in rules.apart:
        others = [one for one in rules.apart if one != kind]
        left.append(Cure(f"leave --apart {kind} out", {"rules": {"apart": others}}))
    if rules.no_cycles:
        left.append(Cure("leave --no-cycles out", {"rules": {"no_cycles": False}}))
    return (*left, Cure("recruit reviewers from elsewhere"))


def _drawn(problem: Problem, options: Options) -> Assignment:
    """By lottery."""
    solved, base = complete_flow(problem)
    if not base.complete:
        raise InfeasibleError(explain(solved, base))
    lottery = _lottery(solved, options, base)
    if not lottery.flow.complete and not problem.only_scored:
        everything = np.ones(problem.rows, dtype=np.bool_), np.ones(len(problem.reviewers), dtype=np.bool_)
        solved = problem.widened(*everything)
        lottery = _lottery(solved, options, base)
    if not lottery.flow.complete:
        raise InfeasibleError(_cap_cut(solved, lottery))
    chosen = lottery.draw(solved, options.seed)
    sums = row_sums(solved, chosen)
    wanted = solved.demand > 0
    bound = float(own_best(solved)[wanted].min(initial=np.inf))
    notes = (*problem.notes, *([lottery.note] if lottery.note else []))
    return Assignment(
        problem,
        solved,
        options,
        chosen,
        lottery.flow,
        _value(solved, base.amount > 0) if len(base.amount) == len(solved.candidates) else _best(solved),
        float(sums[wanted].min(initial=np.inf)),
        bound,
        False,
        lottery,
        np.zeros(problem.rows, dtype=np.int64),
        notes,
    )


def _lottery(problem: Problem, options: Options, base: Flow) -> Lottery:
    if options.method == "random":
        return capped(problem)
    return perturbed(problem, base, options.quality)


def _cap_cut(problem: Problem, lottery: Lottery) -> Cut:
    """The caps leave no lottery: what part of the demand, and which cap would."""
    missing = int(np.ceil((lottery.flow.unmet.sum() + lottery.flow.idle.sum()) / lottery.scale))
    papers = tuple(problem.papers[one] for one in np.unique(problem.row_paper[lottery.flow.unmet > 0]))
    caps = [cap for cap in np.arange(0.05, 1.0001, 0.05) if cap > problem.candidates.cap.max(initial=0.0)]
    cures = []
    for cap in caps:
        raised = replace(problem, candidates=replace(problem.candidates, cap=np.full(len(problem.candidates), cap)))
        whole, scale, _ = capacities(raised)
        if cheapest_flow(raised, scale=scale, capacity=whole).complete:
            cures.append(Cure(f"--cap {cap:.2f}", {"cap": round(float(cap), 2)}))
            break
    words = f"{counted(missing, 'review')} cannot be given under the caps, though there is an assignment without them"
    return Cut(missing, words, papers, (), tuple(cures))


def _value(problem: Problem, chosen: Flags) -> float:
    return float(problem.candidates.score[chosen].sum() + problem.locked_score.sum())


def _best(problem: Problem) -> float:
    return _value(problem, cheapest_flow(problem).amount > 0)
