"""Levels: senior area chairs, then area chairs, then reviewers, each stage under the rules that the last one left.

A level is a role. Stages go from the top to the bottom: who has a paper on a higher level is locked in the next stage,
so that rules of a paper (apart, no cycles) hold across levels, and a conflict of interest keeps a person from a paper
on every level. `together` is soft: a person's papers should lie under few people of the level above. The lowest level
may be several roles, such as the reviewers of each track: pools of which each paper asks for its own.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import Struct

from panelist.progress import Progress, silent
from panelist.words import counted
from retriever.assignment.assignment import Assignment
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Pair, Records
from retriever.assignment.options import REVIEWER, AssignOptions, OptionError, by_role, role_name
from retriever.assignment.problem import sorted_candidates
from retriever.assignment.solve import assign
from retriever.conference.conflicts.table import ConflictTable

_ROUNDS = 4  # of gathering a person's papers under few others
_NOBODY = frozenset[str]()
Superiors = Mapping[str, Sequence[str]]  # paper -> who has it on the level above


class Area(Struct, frozen=True):
    """What lies under one person of a level."""

    level: str
    person: str
    papers: int
    below: int  # people of the next level who have one of these papers


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """All levels as one assignment, and the work of each area, by level and person."""

    assignment: Assignment
    areas: tuple[Area, ...]


def assign_levels(
    records: Records,
    options: AssignOptions,
    levels: Sequence[str],  # roles, the highest first; each has a demand
    together: float = 0.0,  # what a further superior of a person costs, in units of scores
    progress: Progress = silent,
    pools: Sequence[str] = (),  # roles beside the lowest level, such as the reviewers of other tracks
) -> Levels:
    """Assign one level after the other.

    Raises:
        InfeasibleError: a stage has no assignment.
        OptionError: the levels are not the roles that have a demand.
    """
    demand, order = by_role(options.demand, REVIEWER), [role_name(level) for level in levels]
    if sorted([*order, *map(role_name, pools)]) != sorted(demand) or len(order) < 2:
        raise OptionError(f"`levels` are two or more roles, those of `demand` ({', '.join(demand)}), each once")
    if together < 0 or (together and "prefer_old" in options.changed):
        raise OptionError("`together` is 0 or more, and does not go with `prefer_old`: both add to scores")
    stages = [*((level,) for level in order[:-1]), (order[-1], *map(role_name, pools))]
    default_role = REVIEWER if REVIEWER in demand else order[-1]  # who a demand without a role is for
    person_of = (ConflictTable() if records.conflicts is None else records.conflicts).person
    roles = {person_of(name): role_name(who.role) or REVIEWER for name, who in (records.people or {}).items()}

    def role_of(reviewer: str) -> str:
        return roles.get(person_of(reviewer), REVIEWER)

    pairs: list[Pair] = []
    superiors: Superiors = {}
    notes, areas = [], []
    for number, level in enumerate(order):
        done, last = [role for stage in stages[: number + 1] for role in stage], number == len(order) - 1
        stage = replace(options, demand={role: demand[role] for role in done}, senior=options.senior if last else 0)
        locks = [pair for pair in records.locked if role_of(pair[1]) in done and pair not in set(pairs)]
        demands = {(paper, role_name(role) or default_role): value for (paper, role), value in records.demands.items()}
        relevant = {key: value for key, value in demands.items() if key[1] in done}
        quotas = {name: quota for name, quota in records.quotas.items() if role_of(name) in done}
        least = {role: number for role, number in by_role(options.least).items() if role in done or not role}
        if not last and "" in least:
            least = {**dict.fromkeys(done, least[""]), **least, "": 0}
        old = [pair for pair in records.existing if role_of(pair[1]) in done]
        stage = replace(stage, keep=stage.keep and bool(old))
        limited = replace(records, locked=[*locks, *pairs], demands=relevant, quotas=quotas, existing=old)
        problem = replace(make_problem(limited, replace(stage, least=least)), held=len(pairs))
        made = assign(problem, progress=progress)
        if together and number:
            made, words = _gathered(made, stages[number], superiors, together, progress)
            notes.append(f"{level}: {words}")
        assigned = [(pair.paper, pair.reviewer) for pair in made.pairs if pair.role in stages[number]]
        if number:
            areas += _areas(order[number - 1], superiors, assigned)
        pairs, superiors = [(pair.paper, pair.reviewer) for pair in made.pairs], _by_paper(assigned)
    areas += _areas(order[-1], superiors, [])
    loads = {level: [area.papers for area in areas if area.level == level] for level in order[:-1]}
    notes += [
        f"{level}: {counted(len(papers), 'area')} of {min(papers)} to {max(papers)} papers"
        for level, papers in loads.items()
        if papers
    ]
    if made.lottery is not None:
        notes.append(f"levels above {order[-1]} were drawn first: probabilities are those of {order[-1]} after that")
    return Levels(replace(made, notes=(*made.notes, *notes)), tuple(areas))


def _gathered(
    made: Assignment, roles: Sequence[str], superiors: Superiors, weight: float, progress: Progress
) -> tuple[Assignment, str]:
    """An assignment in which a further superior of a person costs `weight`, as far as rounds of solving find one."""
    best, initial, problem = made, _further(_under(made, roles, superiors)), made.problem
    further, pairs = initial, problem.candidates
    paper = problem.row_paper[pairs.row].tolist()
    for _ in range(_ROUNDS):
        homes = {person: _homes(counts) for person, counts in _under(made, roles, superiors).items()}
        gathered = (
            not homes.get(problem.reviewers[person], _NOBODY).isdisjoint(superiors.get(problem.papers[number], ()))
            for number, person in zip(paper, pairs.reviewer.tolist(), strict=True)
        )
        arcs = replace(pairs, old=np.fromiter(gathered, np.bool_, len(pairs)))
        options = replace(problem.options, prefer_old=weight)
        candidates = sorted_candidates(problem.rows, pairs.row, arcs, weight)
        made = assign(replace(problem, candidates=candidates, options=options), progress=progress)
        now = _further(_under(made, roles, superiors))
        if made.total - weight * now <= best.total - weight * further:
            break
        best, further = made, now
    return best, f"people have {initial:,} superiors beyond their first, {further:,} when papers are gathered"


def _under(made: Assignment, roles: Sequence[str], superiors: Superiors) -> dict[str, Counter[str]]:
    """Person with one of the roles -> under whom their papers lie, and how many."""
    under = defaultdict[str, Counter[str]](Counter)
    for pair in made.pairs:
        if pair.role in roles:
            under[pair.reviewer].update(superiors.get(pair.paper, ()))
    return under


def _homes(papers: Counter[str]) -> set[str]:
    """Under whom further papers of a person should lie: whoever has two of them, else the first."""
    return {superior for superior, count in papers.items() if count > 1} or set(sorted(papers)[:1])


def _further(under: Mapping[str, Counter[str]]) -> int:
    """How many superiors people have beyond the first, in all."""
    return sum(max(len(papers) - 1, 0) for papers in under.values())


def _by_paper(pairs: Sequence[Pair]) -> dict[str, list[str]]:
    people = defaultdict[str, list[str]](list)
    for paper, person in pairs:
        people[paper].append(person)
    return people


def _areas(level: str, superiors: Superiors, below: Sequence[Pair]) -> list[Area]:
    """The work under everybody of a level, by person."""
    papers, people = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    subordinates = _by_paper(below)
    for paper, above in superiors.items():
        for person in above:
            papers[person].add(paper)
            people[person].update(subordinates.get(paper, ()))
    return [Area(level, person, len(papers[person]), len(people[person])) for person in sorted(papers)]
