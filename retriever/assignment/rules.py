"""Who may not review together: one per institution or region, no co-authors, enough seniors, no mutual reviews.

One bound on parts of a paper's candidates (institutions, regions, or juniors) is still a flow. Bounds that cross one
another are kept by dropping: after each solution, the cheaper pair of every violated bound is given up for good, and
the problem is solved again. `violations` finds them in any assignment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panelist.errors import InputError
from retriever.assignment.flow import Groups
from retriever.assignment.options import OptionError, Rules
from retriever.assignment.problem import Flags, Ints, Problem


def check_rules(problem: Problem, rules: Rules) -> None:
    """Refuse rules about which nothing is known.

    Raises:
        OptionError: no reviewer has what a rule is about.
    """
    people = problem.committee
    known = {
        "institution": (people.institution >= 0).any(),
        "region": (people.region >= 0).any(),
        "coauthors": len(people.authored) > 0,
    }
    column = {"institution": "institution", "region": "country", "coauthors": "authored"}
    for kind in rules.apart:
        if not known[kind]:
            raise OptionError(f"`apart` {kind} needs '{column[kind]}' of `people`, which nobody has")
    if rules.no_cycles and not len(people.authored):
        raise OptionError("`no_cycles` needs 'authored' of `people`, which nobody has")
    if rules.seniors and not people.senior.any():
        raise OptionError("`senior` needs 'seniority' of `people`, where nobody is 'senior'")
    short = (problem.demand > 0) & (problem.demand < rules.seniors)
    if len(problem.roles) == 1 and short.any():
        row = int(np.flatnonzero(short)[0])
        raise OptionError(f"`senior` {rules.seniors} is more than {problem.row_name(row)} needs: {problem.demand[row]}")


def flow_groups(problem: Problem, rules: Rules) -> Groups | None:
    """The bounds that a flow can hold by itself: those of one kind, where papers have one row each."""
    if len(problem.roles) > 1:
        return None
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
    room = problem.demand[row] + most if most < 0 else np.full(len(keys), most)
    locked = code[problem.locked[:, 1]]
    locked_keys = problem.locked[locked >= 0, 0] * width + locked[locked >= 0]
    return Groups(of_pair, np.maximum(room - _count(keys, locked_keys), 0), row)


def _count(keys: Ints, found: Ints) -> Ints:
    """How often each of the sorted keys is found."""
    at = np.searchsorted(keys, found)
    at = at[(at < len(keys)) & (keys[np.minimum(at, len(keys) - 1)] == found)] if len(keys) else at[:0]
    return np.bincount(at, minlength=len(keys))


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that is broken: which, at which paper, by which candidates (numbers), locked ones aside."""

    rule: str
    paper: int
    members: tuple[int, ...]
    surplus: int


def violations(problem: Problem, rules: Rules, chosen: Flags) -> list[Violation]:
    """Every broken rule of an assignment, given by its chosen candidates beside the locked pairs."""
    return list(_violations(problem, rules, chosen))


def broken_by(problem: Problem, rules: Rules, chosen: Flags, arc: int) -> Violation | None:
    """The first rule that one more candidate would break."""
    joined = chosen.copy()
    joined[arc] = True
    return next((one for one in _violations(problem, rules, joined) if arc in one.members), None)


def _violations(problem: Problem, rules: Rules, chosen: Flags) -> Iterator[Violation]:
    people, pairs = problem.committee, problem.candidates
    arcs = np.flatnonzero(chosen)
    paper = np.concatenate([problem.row_paper[pairs.row[arcs]], problem.row_paper[problem.locked[:, 0]]])
    who = np.concatenate([pairs.reviewer[arcs].astype(np.int64), problem.locked[:, 1]])
    arc = np.concatenate([arcs, np.full(len(problem.locked), -1)])
    for kind, code in (("institution", people.institution), ("region", people.region)):
        if kind in rules.apart:
            yield from _too_many(kind, rules.apart[kind], paper, code[who], arc)
    if rules.seniors:
        wanted = np.bincount(problem.row_paper, weights=problem.demand, minlength=len(problem.papers)).astype(np.int64)
        juniors = ~people.senior[who]
        for one, members in _by_key(paper, juniors):
            surplus = len(members) - (int(wanted[one]) - rules.seniors)
            if surplus > 0:
                yield Violation("senior", one, _free(arc[members]), surplus)
    if "coauthors" in rules.apart and len(people.coauthors):
        m = len(problem.reviewers)
        together = people.coauthors[:, 0] * m + people.coauthors[:, 1]
        for one, members in _by_key(paper, np.ones(len(paper), dtype=np.bool_)):
            for i, a in enumerate(members):
                for b in members[i + 1 :]:
                    low, high = sorted((int(who[a]), int(who[b])))
                    at = int(np.searchsorted(together, low * m + high))
                    if at < len(together) and together[at] == low * m + high:
                        yield Violation("coauthors", one, _free(arc[[a, b]]), 1)
    if rules.no_cycles:
        yield from _cycles(problem, paper, who, arc)


def _free(arcs: Ints) -> tuple[int, ...]:
    """The candidates among these; -1 stands for a locked pair."""
    return tuple(arcs[arcs >= 0].tolist())


def _too_many(kind: str, most: int, paper: Ints, group: Ints, arc: Ints) -> Iterator[Violation]:
    width = int(group.max(initial=0)) + 1
    for key, members in _by_key(paper * width + group, group >= 0):
        if len(members) > most:
            yield Violation(kind, key // width, _free(arc[members]), len(members) - most)


def _by_key(key: Ints, counted: Flags) -> Iterator[tuple[int, Ints]]:
    """Each key of a counted entry, with the positions of these entries."""
    positions = np.flatnonzero(counted)
    positions = positions[np.argsort(key[positions], kind="stable")]
    cuts = np.flatnonzero(np.diff(key[positions])) + 1
    for part in np.split(positions, cuts):
        if len(part):
            yield int(key[part[0]]), part


def _cycles(problem: Problem, paper: Ints, who: Ints, arc: Ints) -> Iterator[Violation]:
    """Pairs of reviews by two people of each other's papers."""
    authors: dict[int, list[int]] = {}
    for one, author in problem.committee.authored:
        authors.setdefault(int(one), []).append(int(author))
    reviews: dict[tuple[int, int], list[int]] = {}
    for position, (one, reviewer) in enumerate(zip(paper, who, strict=True)):
        for author in authors.get(int(one), []):
            reviews.setdefault((int(reviewer), author), []).append(position)
    for (reviewer, author), positions in reviews.items():
        if reviewer < author and (author, reviewer) in reviews:
            back = reviews[author, reviewer]
            # All of one side have to go: the pair of the cheaper one is dropped, again and again.
            for a in positions:
                for b in back:
                    yield Violation("cycle", int(paper[a]), _free(arc[[a, b]]), 1)


def cheaper_ones(problem: Problem, found: list[Violation]) -> Flags:
    """(candidates) what to drop: of every broken rule as many members as it has too many, the cheapest first.

    Raises:
        InputError: locked pairs alone break a rule.
    """
    dropped = np.zeros(len(problem.candidates), dtype=np.bool_)
    for violation in found:
        members = sorted(violation.members, key=lambda arc: (problem.worth[arc], -arc))
        gone = sum(bool(dropped[arc]) for arc in members)
        if len(members) < violation.surplus:
            paper = problem.papers[violation.paper]
            raise InputError(f"the locked pairs of {paper} break the rule '{violation.rule}': unlock one")
        for arc in members:
            if gone >= violation.surplus:
                break
            if not dropped[arc]:
                dropped[arc] = True
                gone += 1
    return dropped
