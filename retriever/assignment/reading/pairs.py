"""Files about pairs: conflicts and locks, what was assigned before, and caps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from panelist.errors import InputError
from panelist.records import Conflict
from retriever.assignment.problem import Floats, Ints
from retriever.assignment.reading.lines import check_pair, number, read_fields, refuse
from retriever.assignment.reading.people import Person


def read_constraints(
    path: Path | None,
    conflicts: Sequence[Conflict],
    papers: Mapping[str, int],
    reviewers: Mapping[str, int],
    people: Mapping[str, Person],
) -> tuple[Ints, dict[tuple[int, int], int]]:
    """Sorted keys (paper, reviewer) of conflicts; locked pairs with their lines.

    Raises:
        InputError: a pair is unknown, there twice, or both locked and a conflict.
    """
    forbidden = {papers[paper] * len(reviewers) + reviewers[who] for who in people for paper in people[who].authored}
    authored = frozenset(forbidden)
    for conflict in conflicts:
        if conflict.certain and conflict.submission in papers and conflict.reviewer in reviewers:
            forbidden.add(papers[conflict.submission] * len(reviewers) + reviewers[conflict.reviewer])
    locks: dict[tuple[int, int], int] = {}
    if path is None:
        return np.array(sorted(forbidden), dtype=np.int64), locks
    seen: dict[int, tuple[int, float]] = {}
    for line, (paper, who, text) in read_fields(path, ("paper", "reviewer", "constraint")):
        check_pair(path, line, (paper, who), papers, reviewers)
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


def locked_pairs(
    path: Path,
    locks: Mapping[tuple[int, int], int],
    role: Ints,
    pool: int,
    demand: Ints,
    most: Ints,
    papers: Sequence[str],
    reviewers: Sequence[str],
) -> Ints:
    """(locks, 2) row and reviewer.

    Raises:
        InputError: there are more locks than a demand or a quota allows, or nobody wants that role.
    """
    rows, load = demand.copy(), most.copy()
    found = []
    for (paper, who), line in locks.items():
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


def read_existing(
    path: Path | None, papers: Mapping[str, int], reviewers: Mapping[str, int], role: Ints, pool: int
) -> Ints:
    """(pairs, 2) row and reviewer of what was assigned before.

    Raises:
        InputError: a pair is unknown or there twice.
    """
    if path is None:
        return np.zeros((0, 2), dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    for line, (paper, who, *_) in read_fields(path, ("paper", "reviewer", "score"), optional=1):
        check_pair(path, line, (paper, who), papers, reviewers, ": who declined gets the quota 0")
        pair = papers[paper] * pool + max(int(role[reviewers[who]]), 0), reviewers[who]
        if pair in seen:
            refuse(path, line, f"the pair {paper}, {who} is there twice (line {seen[pair]:,})")
        seen[pair] = line
    return np.array(list(seen), dtype=np.int64).reshape(-1, 2)


def read_caps(
    cap: float | Path | None,
    key: Ints,
    papers: Mapping[str, int],
    reviewers: Mapping[str, int],
    role: Ints,
    pool: int,
) -> Floats:
    """(pairs) the greatest probability of each.

    Raises:
        InputError: it is not a probability, or a pair is unknown or there twice.
    """
    if not isinstance(cap, Path):
        same = 1.0 if cap is None else cap
        if not 0 < same <= 1:
            raise InputError(f"--cap is a probability above 0 and at most 1, received {same}")
        return np.full(len(key), same)
    caps: dict[int, float] = {}
    for line, (paper, who, text) in read_fields(cap, ("paper", "reviewer", "cap")):
        check_pair(cap, line, (paper, who), papers, reviewers)
        value = number(cap, line, text, "cap")
        if not 0 <= value <= 1:
            refuse(cap, line, f"cap {text} is not a probability")
        pair = (papers[paper] * pool + max(int(role[reviewers[who]]), 0)) * len(reviewers) + reviewers[who]
        if pair in caps:
            refuse(cap, line, f"the pair {paper}, {who} is there twice")
        caps[pair] = value
    return np.array([caps.get(int(one), 1.0) for one in key])
