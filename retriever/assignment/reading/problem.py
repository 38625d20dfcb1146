"""From files (or computed scores) to a problem. Nothing is repaired in silence: what does not fit is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from panelist.errors import InputError
from panelist.records import Conflict
from retriever.affinity.sparse import SparseScores
from retriever.assignment.problem import REVIEWER, Floats, Ints, Problem, sorted_candidates
from retriever.assignment.reading.lines import count, number, read_fields, refuse
from retriever.assignment.reading.people import Person, committee, read_people, role_name
from retriever.assignment.reading.scores import BIDS, ScoreTable, combine, from_affinity, read_scores

Numbers = int | Mapping[str, int]
"""One number for everybody, or one for each role."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The files and numbers that a problem is made of; see `read_problem`."""

    constraints: Path | None = None
    quotas: Path | None = None
    demands: Path | None = None
    reviewers: Path | None = None
    bids: Path | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    existing: Path | None = None
    keep: bool = False
    prefer_old: float = 0.0
    demand: Numbers = 3
    least: Numbers = 0
    most: Numbers = 6
    cap: float | Path | None = None
    only_scored: bool = False
    conflicts: Sequence[Conflict] = ()


def read_problem(scores: Sequence[Path] | SparseScores, sources: Sources | None = None) -> Problem:
    """Read an assignment problem.

    Args:
        scores: OpenReview's files `paper,reviewer,score` without header, or what `score_conference` computed.
        sources: everything else. `constraints` (`paper,reviewer,-1|0|1`), `quotas` (`reviewer,max[,min]`), `demands`
            (`paper,demand[,role]`), `bids` and `existing` (`paper,reviewer[,score]`) have no header either;
            `reviewers` has one. `weights` are by file name without ending (`affinity` is the first file, `bids` the
            bids). `demand` is for each paper, `most` and `least` for each reviewer of whom `quotas` says nothing;
            `demand` by role makes pools with demands of their own. `cap` is one probability or a file
            `paper,reviewer,cap`. Certain `conflicts` are added to those of `constraints`.

    Raises:
        InputError: something is unknown, twice, out of range or contradictory; with file and line.
    """
    given = sources or Sources()
    table = _weighted(scores, given)
    papers = {name: at for at, name in enumerate(table.papers)}
    people = {} if given.reviewers is None else read_people(given.reviewers, papers)
    reviewers = {name: at for at, name in enumerate(dict.fromkeys([*table.reviewers, *people]))}
    if given.reviewers is not None:
        for who in table.reviewers:
            if who not in people:
                raise InputError(f"reviewer '{who}' has scores but is not in '{given.reviewers}': add a line")
    wanted = {REVIEWER: given.demand} if isinstance(given.demand, int) else _by_role(given.demand)
    roles = tuple(wanted)
    known = committee(tuple(reviewers), people, roles, papers)
    _check_roles(roles, people, given.reviewers)
    most, least = _quotas(given, reviewers, people)
    demand = _demands(given, papers, wanted)
    pool = len(roles)
    forbidden, locks = _constraints(given, papers, reviewers, people)
    locked = _locked(given, locks, known.role, pool, demand, most, tuple(papers), tuple(reviewers))
    row = table.paper * pool + np.maximum(known.role, 0)[table.reviewer]
    key = row * len(reviewers) + table.reviewer
    free = known.role[table.reviewer] >= 0
    free &= ~np.isin(table.paper * len(reviewers) + table.reviewer, forbidden)
    lock_keys = locked[:, 0] * len(reviewers) + locked[:, 1]
    locked_score = _lookup(key, table.score, lock_keys)
    free &= ~np.isin(key, lock_keys)
    key, score = key[free], table.score[free]
    existing = _existing(given, papers, reviewers, known.role, pool)
    old_keys = np.unique(existing[:, 0] * len(reviewers) + existing[:, 1])
    old_keys = old_keys[
        ~np.isin(old_keys // len(reviewers) // pool * len(reviewers) + old_keys % len(reviewers), forbidden)
    ]
    old_keys = old_keys[~np.isin(old_keys, lock_keys)]
    unscored = np.zeros(0, dtype=np.int64) if given.only_scored else old_keys[~np.isin(old_keys, key)]
    absent = np.concatenate([np.zeros(len(key), dtype=np.bool_), np.ones(len(unscored), dtype=np.bool_)])
    key, score = np.concatenate([key, unscored]), np.concatenate([score, np.zeros(len(unscored))])
    problem = Problem(
        tuple(papers),
        tuple(reviewers),
        roles,
        np.arange(len(papers) * pool) // pool,
        np.arange(len(papers) * pool) % pool,
        demand,
        most,
        least,
        sorted_candidates(
            len(demand),
            key // len(reviewers),
            (key % len(reviewers)).astype(np.int32),
            score,
            absent,
            np.isin(key, old_keys),
            _caps(given, key, papers, reviewers, known.role, pool),
            given.prefer_old,
        ),
        locked,
        locked_score,
        forbidden,
        known,
        existing,
        given.keep,
        given.prefer_old,
        given.cap if isinstance(given.cap, float) else 1.0,
        given.only_scored,
    )
    return replace(problem, notes=tuple(_notes(problem, table, given, people)))


def _weighted(scores: Sequence[Path] | SparseScores, given: Sources) -> ScoreTable:
    """All scores and bids in one table."""
    if isinstance(scores, SparseScores):
        tables, names = [from_affinity(scores)], ["affinity"]
    else:
        if not scores:
            raise InputError("there are no scores: give a file of paper,reviewer,score")
        tables = [read_scores(path) for path in scores]
        names = ["affinity" if len(scores) == 1 else path.name.split(".")[0] for path in scores]
    if given.bids is not None:
        tables.append(read_scores(given.bids, BIDS))
        names.append("bids")
    unknown = [name for name in given.weights if name not in names]
    if unknown:
        raise InputError(f"--weight {unknown[0]}: there are no such scores, only {', '.join(names)}")
    weights = [given.weights.get(name, 1.0) for name in names]
    table = combine(tables, weights)
    if given.bids is not None:
        known = set(tables[0].papers).union(*(one.papers for one in tables[:-1]))
        people = set(tables[0].reviewers).union(*(one.reviewers for one in tables[:-1]))
        for line, (paper, who, _) in read_fields(given.bids, ("paper", "reviewer", "bid")):
            if paper not in known:
                refuse(given.bids, line, f"no paper '{paper}' in the scores")
            if who not in people:
                refuse(given.bids, line, f"no reviewer '{who}' in the scores")
    return replace(table, words=tables[-1].words)


def _by_role(given: Mapping[str, int]) -> dict[str, int]:
    return {role_name(role): value for role, value in given.items()}


def _check_roles(roles: Sequence[str], people: Mapping[str, Person], path: Path | None) -> None:
    there = {person.role for person in people.values()} if people else {REVIEWER}
    for role in roles:
        if role not in there:
            source = "without --reviewers everybody is a reviewer" if path is None else f"'{path}' has no such role"
            raise InputError(f"reviews by role '{role}' are asked for, but nobody has that role: {source}")


def _number(numbers: Numbers, role: str, otherwise: int) -> int:
    if isinstance(numbers, int):
        return numbers
    by_role = _by_role(numbers)
    return by_role.get(role, by_role.get("", otherwise))


def _quotas(given: Sources, reviewers: Mapping[str, int], people: Mapping[str, Person]) -> tuple[Ints, Ints]:
    """(reviewers) the most and the least that each gives."""
    role = [people[who].role if who in people else REVIEWER for who in reviewers]
    most = np.array([_number(given.most, one, 6) for one in role], dtype=np.int64)
    least = np.array([_number(given.least, one, 0) for one in role], dtype=np.int64)
    for name, values in (("--max", most), ("--min", least)):
        if (values < 0).any():
            raise InputError(f"{name} must be 0 or more, received {values.min()}")
    lines: dict[str, int] = {}
    if given.quotas is not None:
        for line, (who, *numbers) in read_fields(given.quotas, ("reviewer", "max", "min"), optional=1):
            if who not in reviewers:
                refuse(given.quotas, line, f"no reviewer '{who}' in the scores")
            if who in lines:
                refuse(given.quotas, line, f"reviewer {who} is there twice (line {lines[who]:,})")
            lines[who] = line
            most[reviewers[who]] = count(given.quotas, line, numbers[0], "quota")
            if len(numbers) > 1:
                least[reviewers[who]] = count(given.quotas, line, numbers[1], "minimum")
                if least[reviewers[who]] > most[reviewers[who]]:
                    refuse(given.quotas, line, f"the minimum {numbers[1]} is above the maximum {numbers[0]}")
            else:  # a smaller quota of one's own is meant to be below what is asked of everybody
                least[reviewers[who]] = min(least[reviewers[who]], most[reviewers[who]])
    if (least > most).any():
        at = int(np.flatnonzero(least > most)[0])
        raise InputError(f"--min {least[at]} is above --max {most[at]}: give --min at most as large as --max")
    return most, least


def _demands(given: Sources, papers: Mapping[str, int], wanted: Mapping[str, int]) -> Ints:
    """(rows) how many reviews each paper needs in each role."""
    for role, value in wanted.items():
        if value < 0:
            raise InputError(f"--demand must be 0 or more, received {value} for role '{role}'")
    roles = list(wanted)
    demand = np.tile(np.array(list(wanted.values()), dtype=np.int64), len(papers))
    if given.demands is None:
        return demand
    lines: dict[tuple[str, str], int] = {}
    for line, (paper, text, *named) in read_fields(given.demands, ("paper", "demand", "role"), optional=1):
        name = role_name(named[0]) if named else roles[0]
        if paper not in papers:
            refuse(given.demands, line, f"no paper '{paper}' in the scores")
        if name not in wanted:
            refuse(given.demands, line, f"role '{name}' has no demand: give --demand '{name}=N'")
        if (paper, name) in lines:
            refuse(given.demands, line, f"paper {paper} is there twice (line {lines[paper, name]:,})")
        lines[paper, name] = line
        demand[papers[paper] * len(roles) + roles.index(name)] = count(given.demands, line, text, "demand")
    return demand


def _constraints(
    given: Sources, papers: Mapping[str, int], reviewers: Mapping[str, int], people: Mapping[str, Person]
) -> tuple[Ints, dict[tuple[int, int], int]]:
    """Sorted keys (paper, reviewer) of conflicts; locked pairs with their lines."""
    forbidden = {papers[paper] * len(reviewers) + reviewers[who] for who in people for paper in people[who].authored}
    authored = frozenset(forbidden)
    for conflict in given.conflicts:
        if conflict.certain and conflict.submission in papers and conflict.reviewer in reviewers:
            forbidden.add(papers[conflict.submission] * len(reviewers) + reviewers[conflict.reviewer])
    locks: dict[tuple[int, int], int] = {}
    if given.constraints is None:
        return np.array(sorted(forbidden), dtype=np.int64), locks
    path = given.constraints
    seen: dict[int, tuple[int, float]] = {}
    for line, (paper, who, text) in read_fields(path, ("paper", "reviewer", "constraint")):
        if paper not in papers:
            refuse(path, line, f"no paper '{paper}' in the scores")
        if who not in reviewers:
            refuse(path, line, f"no reviewer '{who}' in the scores")
        value = number(path, line, text, "constraint")
        if value not in (-1, 0, 1):
            refuse(path, line, f"constraint {text} is neither -1 (conflict) nor 0 nor 1 (lock)")
        key = papers[paper] * len(reviewers) + reviewers[who]
        if key in seen:
            other, before = seen[key]
            both = "both locked and a conflict" if {value, before} == {-1, 1} else "there twice"
            refuse(path, line, f"the pair {paper}, {who} is {both} (line {other:,})")
        seen[key] = line, value
        if value == 1 and key in authored:
            refuse(path, line, f"the pair {paper}, {who} is locked, but {who} is an author of {paper}")
        if value == 1 and key in forbidden:
            refuse(path, line, f"the pair {paper}, {who} is both locked and a conflict")
        if value == -1:
            forbidden.add(key)
        elif value == 1:
            locks[papers[paper], reviewers[who]] = line
    return np.array(sorted(forbidden), dtype=np.int64), locks


def _locked(
    given: Sources,
    locks: Mapping[tuple[int, int], int],
    role: Ints,
    pool: int,
    demand: Ints,
    most: Ints,
    papers: Sequence[str],
    reviewers: Sequence[str],
) -> Ints:
    """(locks, 2) row and reviewer, none beyond a demand or a quota."""
    rows, load = demand.copy(), most.copy()
    found = []
    for (paper, who), line in locks.items():
        path = given.constraints or Path()
        if role[who] < 0:
            refuse(path, line, f"{reviewers[who]} is locked, but their role has no demand")
        row = paper * pool + int(role[who])
        rows[row] -= 1
        load[who] -= 1
        if rows[row] < 0:
            refuse(path, line, f"{papers[paper]} has more locks than its demand of {demand[row]}")
        if load[who] < 0:
            refuse(path, line, f"{reviewers[who]} has more locks than their quota of {most[who]}")
        found.append((row, who))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _existing(given: Sources, papers: Mapping[str, int], reviewers: Mapping[str, int], role: Ints, pool: int) -> Ints:
    """(pairs, 2) row and reviewer of what was assigned before."""
    if given.existing is None:
        return np.zeros((0, 2), dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    for line, (paper, who, *_) in read_fields(given.existing, ("paper", "reviewer", "score"), optional=1):
        if paper not in papers:
            refuse(given.existing, line, f"no paper '{paper}' in the scores")
        if who not in reviewers:
            refuse(given.existing, line, f"no reviewer '{who}' in the scores: who declined gets the quota 0")
        pair = papers[paper] * pool + max(int(role[reviewers[who]]), 0), reviewers[who]
        if pair in seen:
            refuse(given.existing, line, f"the pair {paper}, {who} is there twice (line {seen[pair]:,})")
        seen[pair] = line
    return np.array(list(seen), dtype=np.int64).reshape(-1, 2)


def _caps(
    given: Sources, key: Ints, papers: Mapping[str, int], reviewers: Mapping[str, int], role: Ints, pool: int
) -> Floats:
    """(pairs) the greatest probability of each."""
    if not isinstance(given.cap, Path):
        cap = 1.0 if given.cap is None else given.cap
        if not 0 < cap <= 1:
            raise InputError(f"--cap is a probability above 0 and at most 1, received {cap}")
        return np.full(len(key), cap)
    caps: dict[int, float] = {}
    for line, (paper, who, text) in read_fields(given.cap, ("paper", "reviewer", "cap")):
        if paper not in papers:
            refuse(given.cap, line, f"no paper '{paper}' in the scores")
        if who not in reviewers:
            refuse(given.cap, line, f"no reviewer '{who}' in the scores")
        value = number(given.cap, line, text, "cap")
        if not 0 <= value <= 1:
            refuse(given.cap, line, f"cap {text} is not a probability")
        pair = (papers[paper] * pool + max(int(role[reviewers[who]]), 0)) * len(reviewers) + reviewers[who]
        if pair in caps:
            refuse(given.cap, line, f"the pair {paper}, {who} is there twice")
        caps[pair] = value
    return np.array([caps.get(int(one), 1.0) for one in key])


def _lookup(keys: Ints, values: Floats, wanted: Ints) -> Floats:
    """The values of some keys, 0 where there are none."""
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return np.where(keys[order[at]] == wanted, values[order[at]], 0.0)


def _notes(problem: Problem, table: ScoreTable, given: Sources, people: Mapping[str, Person]) -> Iterable[str]:
    """What the chair should know about the input."""
    possible = sum(not conflict.certain for conflict in given.conflicts)
    if possible:
        yield f"{possible:,} pairs with a possible conflict of interest can be chosen: see panelist affinity --possible"
    if table.words:
        yield "bids count " + ", ".join(f"'{word}' {value:+g}" for word, value in table.words.items())
    elif given.bids is not None:
        yield "bids are numbers and count as they are"
    scored, all_pairs = len(table.score), len(problem.papers) * len(problem.reviewers)
    known = np.bincount(table.paper, minlength=len(problem.papers))
    if scored + len(problem.forbidden) < all_pairs:
        yield (
            f"scores are cut: {known.min():,} to {known.max():,} of {len(problem.reviewers):,} reviewers per paper "
            f"have a score; a pair without one counts 0 and is "
            + ("never taken" if problem.only_scored else "taken only as a last resort")
        )
    idle = sorted({person.role for person in people.values()} - set(problem.roles))
    if idle:
        yield f"nobody is taken of the roles without a demand: {', '.join(idle)}"
