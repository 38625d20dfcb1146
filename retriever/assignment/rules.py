"""Who may not review together: one per institution or region, no co-authors, enough seniors, no cycles of reviews.

One bound on parts of a paper's candidates (institutions, regions, or juniors) is still a flow. Bounds that cross one
another are kept by dropping: after each solution, the cheaper pair of every violated bound is given up for good, and
the problem is solved again. A soft bound is left broken where that would cost more than its weight. `violations` finds
them in any assignment. Lotteries keep the rules of papers by blocks (`retriever.assignment.blocks`).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from panelist.errors import InputError
from retriever.assignment.flow import Groups
from retriever.assignment.options import OptionError, Rules
from retriever.assignment.problem import Flags, Floats, Ints, Problem


def check_rules(problem: Problem, rules: Rules) -> None:
    """Refuse rules about which nothing is known."""
    people = problem.committee
    sources = {
        "institution": ("institution", (people.institution >= 0).any()),
        "region": ("country", (people.region >= 0).any()),
        "coauthors": ("authored", len(people.authored) > 0),
    }
    for kind in rules.apart:
        column, stated = sources[kind]
        if not stated:
            raise OptionError(f"`apart` {kind} needs '{column}' of `people`, which nobody has")
    if rules.no_cycles and not len(people.authored):
        raise OptionError("`no_cycles` needs 'authored' of `people`, which nobody has")
    if rules.seniors and not people.senior.any():
        raise OptionError("`senior` needs 'seniority' of `people`, where nobody is 'senior'")
    short = (problem.demand > 0) & (problem.demand < rules.seniors)
    if len(problem.roles) == 1 and short.any():
        row = int(np.flatnonzero(short)[0])
        raise OptionError(f"`senior` {rules.seniors} is more than {problem.row_name(row)} needs: {problem.demand[row]}")


def flow_groups(problem: Problem, rules: Rules) -> Groups | None:
    """The bounds that a flow can hold by itself: hard ones of one kind, as far as they are about one row of a paper."""
    rules = rules.hard
    people, pairs = problem.committee, problem.candidates
    if "institution" in rules.apart:
        code, most = people.institution, rules.apart["institution"]
    elif "region" in rules.apart:
        code, most = people.region, rules.apart["region"]
    elif rules.seniors:
        code, most = np.where(people.senior, -1, 0), -rules.seniors
    else:
        return None
    width = int(code.max(initial=0)) + 1
    kind = code[pairs.reviewer]
    keys, of_pair = np.unique(np.where(kind >= 0, pairs.row * width + kind, -1), return_inverse=True)
    shift = int(len(keys) > 0 and keys[0] == -1)
    keys, of_pair = keys[shift:], of_pair - shift
    row = keys // width
    # At least n seniors are at most (demand - n) juniors.
    room = problem.needed[problem.row_paper[row]] + most if most < 0 else np.full(len(keys), most)
    locked = code[problem.locked[:, 1]]
    locked_keys = np.sort(problem.locked[locked >= 0, 0] * width + locked[locked >= 0])
    locked_counts = np.searchsorted(locked_keys, keys, side="right") - np.searchsorted(locked_keys, keys)
    return Groups(of_pair, np.maximum(room - locked_counts, 0), row)


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `room` of these candidates (numbers) of a paper may be chosen by a rule, beside the locked pairs."""

    rule: str
    paper: int
    members: tuple[int, ...]
    room: int

    @property
    def surplus(self) -> int:
        """How many are too many, if all of them are chosen."""
        return len(self.members) - self.room


def violations(problem: Problem, rules: Rules, chosen: Flags) -> list[Bound]:
    """Every bound that an assignment breaks, given by its chosen candidates beside the locked pairs."""
    return [bound for bound in _bounds(problem, rules, chosen) if bound.surplus > 0]


def broken_by(problem: Problem, rules: Rules, chosen: Flags, arc: int) -> Bound | None:
    """The first bound that one more candidate would break."""
    enlarged = chosen.copy()
    enlarged[arc] = True
    return next((bound for bound in violations(problem, rules, enlarged) if arc in bound.members), None)


def _bounds(problem: Problem, rules: Rules, chosen: Flags) -> Iterator[Bound]:
    """What the rules say of some candidates and the locked pairs."""
    people, pairs = problem.committee, problem.candidates
    arcs = np.flatnonzero(chosen)
    paper = np.concatenate([problem.row_paper[pairs.row[arcs]], problem.row_paper[problem.locked[:, 0]]])
    people_of = np.concatenate([pairs.reviewer[arcs].astype(np.int64), problem.locked[:, 1]])
    arc = np.concatenate([arcs, np.full(len(problem.locked), -1)])

    def bound(rule: str, members: Ints | list[int], most: int) -> Bound:
        free = arc[members][arc[members] >= 0]
        return Bound(rule, int(paper[members[0]]), tuple(free.tolist()), most - len(members) + len(free))

    for kind, code in (("institution", people.institution), ("region", people.region)):
        if kind in rules.apart:
            group = code[people_of]
            for members in _by_key(paper * (int(group.max(initial=0)) + 1) + group, group >= 0):
                yield bound(kind, members, rules.apart[kind])
    if rules.seniors:
        for members in _by_key(paper, ~people.senior[people_of]):
            yield bound("senior", members, int(problem.needed[paper[members[0]]]) - rules.seniors)
    if "coauthors" in rules.apart:
        for members in _by_key(paper, np.ones(len(paper), dtype=np.bool_)):
            position = dict(zip(people_of[members].tolist(), members.tolist(), strict=True))
            for row in members.tolist():
                mates = (position.get(author, -1) for author in people.coauthors.get(int(people_of[row]), ()))
                for mate in sorted(mate for mate in mates if mate > row):
                    yield bound("coauthors", [row, mate], 1)
    if rules.no_cycles:
        authors: dict[int, list[int]] = defaultdict(list)
        for written, author in people.authored.tolist():
            authors[written].append(author)
        reviews: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row, (reviewed, reviewer) in enumerate(zip(paper.tolist(), people_of.tolist(), strict=True)):
            for author in authors.get(reviewed, ()):
                reviews[reviewer, author].append(row)
        follow, previous = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for reviewer, author in reviews:
            follow[reviewer].add(author)
            previous[author].add(reviewer)
        for (reviewer, author), positions in list(reviews.items()):
            # All of one side have to go: the pair of the cheaper one is dropped, again and again.
            for forth, back in product(positions, reviews.get((author, reviewer), ()) if reviewer < author else ()):
                yield bound("cycle", [forth, back], 1)
            for third in follow[author] & previous[reviewer] if reviewer < author else ():
                if third > reviewer and third != author:
                    for circle in product(positions, reviews[author, third], reviews[third, reviewer]):
                        yield bound("cycle", list(circle), 2)


def _by_key(key: Ints, counted: Flags) -> Iterator[Ints]:
    """The positions of counted entries with the same key, for each key."""
    positions = np.flatnonzero(counted)
    positions = positions[np.argsort(key[positions], kind="stable")]
    cuts = np.flatnonzero(np.diff(key[positions])) + 1
    return (group for group in np.split(positions, cuts) if len(group))


def affordable(problem: Problem, rules: Rules, chosen: Flags, price: Floats, broken: list[Bound]) -> list[Bound]:
    """The broken bounds that have to be kept: hard ones, and soft ones where that costs no more than their weight.

    What it costs to give up a pair is estimated by prices of reviewers: its net score less that of the next candidate.
    """
    pairs = problem.candidates

    def cost(arc: int) -> float:
        arcs = slice(pairs.starts[pairs.row[arc]], pairs.starts[pairs.row[arc] + 1])
        net = problem.worth[arcs] - price[pairs.reviewer[arcs]]
        return float(problem.worth[arc] - price[pairs.reviewer[arc]] - net[~chosen[arcs]].max(initial=-np.inf))

    return [
        bound
        for bound in broken
        if bound.rule not in rules.soft
        or (bound.room >= 0 and min(cost(arc) for arc in bound.members) <= rules.soft[bound.rule])
    ]


def cheaper_ones(problem: Problem, broken: list[Bound], worth: Floats | None = None) -> Flags:
    """(candidates) what to drop: of every broken rule as many members as it has too many, the cheapest first."""
    worth = problem.worth if worth is None else worth
    dropped = np.zeros(len(problem.candidates), dtype=np.bool_)
    for bound in broken:
        if bound.room < 0:
            paper = problem.papers[bound.paper]
            raise InputError(f"the locked pairs of {paper} break the rule '{bound.rule}': unlock one")
        members = sorted(bound.members, key=lambda arc: (worth[arc], -arc))
        remaining = [arc for arc in members if not dropped[arc]]
        dropped[remaining[: max(len(remaining) - bound.room, 0)]] = True
    return dropped


def least_missed(problem: Problem, broken: list[Bound], worth: Floats) -> Flags:
    """(candidates) one of each broken bound: the least worth, first of rows whose caps still make up the demand."""
    pairs = problem.candidates
    spare = np.bincount(pairs.row, weights=pairs.cap, minlength=problem.rows) - problem.open_demand
    dropped = np.zeros(len(pairs), dtype=np.bool_)
    for bound in broken:
        if not dropped[list(bound.members)].any():
            arc = min(bound.members, key=lambda arc: (spare[pairs.row[arc]] < pairs.cap[arc], worth[arc], -arc))
            dropped[arc] = True
            spare[pairs.row[arc]] -= pairs.cap[arc]
    return dropped
