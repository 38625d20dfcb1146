"""From a problem to an assignment: pairs without a score where nothing else helps, the method, the rules."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from panelist.progress import Progress, silent
from panelist.words import counted
from retriever.assignment.assignment import Assignment
from retriever.assignment.blocks import block_groups, form_blocks
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Pair, Records
from retriever.assignment.exact import greatest_total
from retriever.assignment.feasibility import InfeasibleError, explain, explain_caps, explain_rules, reachable
from retriever.assignment.flow import Flow, cheapest_flow, spread_shortage
from retriever.assignment.methods import METHODS, check_method
from retriever.assignment.methods.capped import Lottery
from retriever.assignment.methods.certain import Chosen, floor_bound
from retriever.assignment.options import AssignOptions, OptionError, Rules
from retriever.assignment.problem import Flags, Ints, Problem
from retriever.assignment.rules import (
    Bound,
    affordable,
    cheaper_ones,
    check_rules,
    flow_groups,
    least_missed,
    violations,
)
from retriever.assignment.watch import watching

_ROUNDS = 500  # of dropping
_SMALL = 20_000  # candidates of an exact solution
_SECONDS = 120.0
_NO_RULES = Rules()


def assign(problem: Problem, options: AssignOptions | None = None, progress: Progress = silent) -> Assignment:
    """Assign reviewers to papers.

    Args:
        problem: from `make_problem` or `read_problem`.
        options: how; those of the problem where none are given. What shapes the problem stays as the problem has it.
        progress: called now and then; what it raises stops the work.

    Raises:
        InfeasibleError: there is no assignment; its message says why and what would help.
        OptionError: options that do not go together, or cannot be met.
    """
    combined = problem.options if options is None else options.solving(problem.options)
    check_method(combined, drawn=bool((problem.candidates.cap < 1).any()))
    check_rules(problem, combined.rules)
    with watching(progress):
        return _assign(replace(problem, options=combined))


def repair(records: Records, pairs: Collection[Pair], options: AssignOptions | None = None) -> Assignment:
    """Replace the pairs of an assignment that must not be, and change as few others as possible.

    Its notes name the conflicts; `changed` of its summary are pairs that are gone, those that are not `kept` are new.

    Raises:
        InfeasibleError: there is no assignment without conflicts.
        RecordError: a locked pair became a conflict: release it first; or somebody is unknown.
    """
    combined = replace(options or AssignOptions(), keep=True, prefer_old=0.0)
    return assign(make_problem(replace(records, existing=pairs), combined))


def _assign(problem: Problem) -> Assignment:
    method = METHODS[problem.options.method]
    if problem.options.keep and method.held:
        kept = _assign(problem.with_options(method="total"))
        remainder = _assign(_held(problem, kept.solved, kept.chosen))
        notes = (*remainder.notes, f"as many pairs as possible were kept, and only the others were {method.held}")
        return replace(remainder, problem=problem, greatest=kept.greatest, bound=kept.bound, notes=notes)
    return _drawn(problem) if method.drawn else _certain(problem)


def _held(problem: Problem, solved: Problem, chosen: Flags) -> Problem:
    """A problem in which the old pairs of its solution (`chosen` of `solved`) stay: open slots are left to choose."""
    pairs, held = solved.candidates, chosen & solved.candidates.old
    remaining = problem.with_candidates(~np.isin(problem.pair_keys, solved.pair_keys[held]))
    return replace(
        remaining.locking(pairs.row[held], pairs.reviewer[held], pairs.score[held]),
        held=problem.held + int(held.sum()),
    ).with_options(keep=False)


def _certain(problem: Problem) -> Assignment:
    """Choose an assignment for certain (total, fair, leximin, envy)."""
    open_problem, base, shortage = _open(problem)
    solved, choice, flow = _by_rules(open_problem, base)
    greatest = open_problem.total(base.amount > 0)
    return Assignment(
        problem=problem,
        solved=solved,
        chosen=choice.chosen,
        flow=flow,
        greatest=greatest,
        bound=floor_bound(open_problem),
        floor_exact=choice.exact,
        shortage=shortage,
        notes=(*problem.notes, *_rule_notes(solved, choice.chosen, greatest)),
    )


def _open(problem: Problem) -> tuple[Problem, Flow, Ints]:
    """The problem as it can be solved without rules, its greatest total, and (rows) reviews that are left out."""
    open_problem, base = complete_flow(problem)
    shortage = np.zeros(problem.rows, dtype=np.int64)
    if not base.complete:
        if not problem.options.allow_short or not base.unmet.any():
            raise InfeasibleError(explain(open_problem, base))
        shortage = spread_shortage(open_problem)
        open_problem, base = complete_flow(replace(problem, demand=problem.demand - shortage))
        if not base.complete:
            raise InfeasibleError(explain(open_problem, base))
    return open_problem, base, shortage


def _rule_notes(problem: Problem, chosen: Flags, greatest: float) -> Iterator[str]:
    """What the rules cost, and where soft ones are not kept; `chosen` has the greatest total under the rules."""
    rules = problem.options.rules
    if rules and problem.options.method in ("total", "random", "perturbed") and greatest > 0:
        yield f"the rules ({rules}) cost {max(1 - problem.total(chosen) / greatest, 0.0):.2%} of the greatest total"
    if rules.soft:
        broken = Counter(dict.fromkeys((bound.rule, bound.paper) for bound in violations(problem, rules, chosen)))
        papers = Counter(rule for rule, _ in broken)
        for rule, weight in rules.soft.items():
            kept = f"is not kept on {counted(papers[rule], 'paper')}" if papers[rule] else "is kept everywhere"
            yield f"the soft rule '{rule}' (weight {weight:g}) {kept}"


def complete_flow(problem: Problem, rules: Rules = _NO_RULES) -> tuple[Problem, Flow]:
    """The greatest total, with pairs without a score where there is none otherwise; the problem with such pairs."""
    flow = cheapest_flow(problem, groups=flow_groups(problem, rules))
    if flow.complete or not problem.options.allow_unscored:
        return problem, flow
    if not rules and not problem.open_least.any() and not problem.options.keep:
        # Where as many other pairs suffice as demand is unmet, no other rows and none of the full reviewers need any:
        # every greatest flow of scored pairs meets those rows and fills those reviewers.
        rows, full = reachable(problem, flow)
        wide = problem.widened(rows, ~full)
        wide_flow = cheapest_flow(wide)
        if wide_flow.complete and wide_flow.amount[wide.candidates.absent].sum() == flow.unmet.sum():
            return wide, wide_flow
    wide = problem.widened()
    return wide, cheapest_flow(wide, groups=flow_groups(wide, rules))


def _by_rules(problem: Problem, base: Flow) -> tuple[Problem, Chosen, Flow]:
    """The problem as solved, what the method chooses under the rules, and the flow with its prices."""
    options, rules, choose = problem.options, problem.options.rules, METHODS[problem.options.method].function
    if not rules:
        return problem, choose(problem, base), base
    if options.exact:
        if len(problem.candidates) > _SMALL:
            raise OptionError(f"`exact` is for at most {_SMALL:,} pairs, received {len(problem.candidates):,}")
        return _exactly(problem, rules, base)
    current = problem
    for _ in range(_ROUNDS):
        current, flow = complete_flow(current, rules)
        if not flow.complete:
            if rules.soft and len(problem.candidates) > _SMALL:  # they are given up all together
                hard = rules.hard
                options = replace(options, soft={}, senior=hard.seniors, apart=hard.apart, no_cycles=hard.no_cycles)
                solved, choice, flow = _by_rules(replace(problem, options=options), base)
                return replace(solved, options=problem.options), choice, flow
            return _by_blocks(problem, base) or _exactly(problem, rules, base, flow)
        broken = _broken(current, flow.amount > 0, flow)
        if not broken:  # what the greatest total breaks is dropped first, as that is found fastest
            chosen = choose(current, flow).chosen
            broken = _broken(current, chosen, flow)
        if not broken:
            return current, Chosen(chosen), flow
        current = current.dropping(cheaper_ones(current, broken))
    raise OptionError(
        f"the rules ({rules}) were not met after {_ROUNDS} rounds of dropping pairs: try `exact` or fewer rules"
    )


def _by_blocks(problem: Problem, base: Flow) -> tuple[Problem, Chosen, Flow] | None:
    """Like `_by_rules`, by blocks: a great total, after which blocks are formed again, as long as that raises it."""
    chosen, best = base.amount > 0, None
    chosen &= ~cheaper_ones(problem, violations(problem, problem.options.rules, chosen))
    cycles = Rules(no_cycles=problem.options.no_cycles)
    while True:
        groups = block_groups(problem, block := form_blocks(problem, problem.options.rules, chosen))
        blocked_problem = problem.with_candidates(block >= 0)
        flow = cheapest_flow(blocked_problem, groups=replace(groups, of_pair=groups.of_pair[block >= 0]))
        if not flow.complete:
            return best
        broken = violations(blocked_problem, cycles, flow.amount > 0)
        if broken:
            dropped = np.zeros(len(problem.candidates), dtype=np.bool_)
            dropped[block >= 0] = cheaper_ones(blocked_problem, broken)
            problem, chosen = problem.dropping(dropped), chosen[~dropped]
            continue
        if best is not None and blocked_problem.total(flow.amount > 0) <= best[0].total(best[1].chosen) * (1 + 1e-6):
            return best
        best = blocked_problem, Chosen(flow.amount > 0), flow
        chosen = np.zeros(len(problem.candidates), dtype=np.bool_)
        chosen[block >= 0] = flow.amount > 0


def _broken(problem: Problem, chosen: Flags, flow: Flow) -> list[Bound]:
    """The bounds that an assignment breaks, and that have to be kept."""
    rules = problem.options.rules
    return affordable(problem, rules, chosen, flow.price, violations(problem, rules, chosen))


def _exactly(problem: Problem, rules: Rules, base: Flow, dropped: Flow | None = None) -> tuple[Problem, Chosen, Flow]:
    """By MILP, like `_by_rules`: the greatest total, with pairs without a score where there is none otherwise.

    `base` is the greatest total without the rules, `dropped` what dropping pairs ended with, where it was tried.
    """
    small = len(problem.candidates) <= _SMALL
    chosen = greatest_total(problem, _SECONDS, rules) if small else None
    if chosen is not None:
        return problem, Chosen(chosen), base
    if small and problem.options.allow_unscored:
        wide = problem.widened()
        if len(wide.candidates) > len(problem.candidates):
            return _exactly(wide, rules, cheapest_flow(wide), dropped)
    raise InfeasibleError(explain_rules(problem, rules, dropped))


def _drawn(problem: Problem) -> Assignment:
    """Draw an assignment (random, perturbed)."""
    solved, base, shortage = _open(problem)
    greatest, notes = solved.total(base.amount > 0), list(problem.notes)
    if problem.options.rules:
        solved, lottery, rule_notes = _drawn_by_rules(solved, base, greatest)
        notes += rule_notes
    else:
        draw = METHODS[problem.options.method].function
        lottery = draw(solved, base)
        if not lottery.flow.complete and problem.options.allow_unscored:
            solved = replace(problem, demand=problem.demand - shortage).widened()
            base = cheapest_flow(solved)
            greatest, lottery = solved.total(base.amount > 0), draw(solved, base)
    if not lottery.flow.complete:
        raise InfeasibleError(explain_caps(solved, lottery, problem.options.rules))
    return Assignment(
        problem=problem,
        solved=solved,
        chosen=lottery.draw(solved, problem.options.seed),
        flow=lottery.flow,
        greatest=greatest,
        bound=floor_bound(solved),
        floor_exact=False,
        lottery=lottery,
        shortage=shortage,
        notes=(*notes, *filter(None, [lottery.note])),
    )


def _drawn_by_rules(problem: Problem, base: Flow, greatest: float) -> tuple[Problem, Lottery, list[str]]:
    """The problem without pairs that no draw may have, a lottery that keeps the rules in every draw, and notes.

    The greatest total under the rules comes first: it stays possible. Rules of a paper are kept by blocks of its
    candidates, of which one is drawn at most; of a cycle of reviews that could be drawn, one pair is dropped for good.
    """
    options, rules = problem.options, problem.options.rules
    current, choice, flow = _by_rules(problem.with_options(method="total"), base)
    if current.candidates.absent.any() and not problem.candidates.absent.any():
        problem = problem.widened()
    seeds = np.isin(problem.pair_keys, current.pair_keys[choice.chosen])
    notes = list(_rule_notes(problem, seeds, greatest))
    block = form_blocks(problem, rules, seeds)
    dropped, cycles = block < 0, Rules(no_cycles=rules.hard.no_cycles)
    for _ in range(_ROUNDS):
        problem, seeds, block = problem.dropping(dropped), seeds[~dropped], block[~dropped]
        lottery: Lottery = METHODS[options.method].function(
            problem, replace(flow, amount=seeds.astype(np.int64)), block_groups(problem, block)
        )
        broken = violations(problem, cycles, lottery.amount > 0)
        if not broken or not lottery.flow.complete:
            return problem, lottery, notes
        dropped = least_missed(problem, broken, np.where(seeds, np.inf, lottery.probability))
    raise OptionError(f"cycles of reviews remained after {_ROUNDS} rounds of dropping pairs: leave `no_cycles` out")
