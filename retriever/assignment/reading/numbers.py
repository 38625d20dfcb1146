"""How many: the reviews that papers need, and the least and the most that reviewers give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from panelist.errors import InputError
from retriever.assignment.problem import REVIEWER, Ints
from retriever.assignment.reading.lines import MOST, count, read_fields, refuse
from retriever.assignment.reading.people import Person, role_name

Numbers = int | Mapping[str, int]
"""One number for everybody, or one for each role."""


def by_role(option: str, numbers: Numbers, everybody: str) -> dict[str, int]:
    """A number for each role; one number alone is for the role `everybody`.

    Raises:
        InputError: a number is negative or too large.
    """
    given = {everybody: numbers} if isinstance(numbers, int) else numbers
    for value in given.values():
        if not 0 <= value <= MOST:
            raise InputError(f"{option} must be 0 or more and at most {MOST:,}, received {value}")
    return {role_name(role): value for role, value in given.items()}


def _of_roles(option: str, numbers: Numbers, roles: list[str], otherwise: int) -> Ints:
    """The number of each role, else that of all others."""
    given = by_role(option, numbers, "")
    return np.array([given.get(role, given.get("", otherwise)) for role in roles], dtype=np.int64)


def read_quotas(
    path: Path | None, numbers: tuple[Numbers, Numbers], reviewers: Mapping[str, int], people: Mapping[str, Person]
) -> tuple[Ints, Ints]:
    """(reviewers) the most and the least that each gives: by `path`, else by `numbers`.

    Raises:
        InputError: a number is out of range, a minimum above its maximum, or somebody is unknown or there twice.
    """
    role = [people[who].role if who in people else REVIEWER for who in reviewers]
    most, least = _of_roles("--max", numbers[0], role, 6), _of_roles("--min", numbers[1], role, 0)
    lines: dict[str, int] = {}
    if path is not None:
        for line, (who, *texts) in read_fields(path, ("reviewer", "max", "min"), optional=1):
            if who not in reviewers:
                refuse(path, line, f"no reviewer '{who}' in the scores")
            if who in lines:
                refuse(path, line, f"reviewer {who} is there twice (line {lines[who]:,})")
            lines[who], at = line, reviewers[who]
            most[at] = count(path, line, texts[0], "quota")
            if len(texts) > 1:
                least[at] = count(path, line, texts[1], "minimum")
                if least[at] > most[at]:
                    refuse(path, line, f"the minimum {texts[1]} is above the maximum {texts[0]}")
            else:  # a smaller quota of one's own is meant to be below what is asked of everybody
                least[at] = min(least[at], most[at])
    if (least > most).any():
        at = int(np.flatnonzero(least > most)[0])
        raise InputError(f"--min {least[at]} is above --max {most[at]}: give --min at most as large as --max")
    return most, least


def read_demands(path: Path | None, papers: Mapping[str, int], wanted: Mapping[str, int]) -> Ints:
    """(rows) how many reviews each paper needs in each role: by `path`, else by `wanted`.

    Raises:
        InputError: a number is out of range, or a paper or role is unknown or there twice.
    """
    roles = list(wanted)
    demand = np.tile(np.array(list(wanted.values()), dtype=np.int64), len(papers))
    if path is None:
        return demand
    lines: dict[tuple[str, str], int] = {}
    for line, (paper, text, *named) in read_fields(path, ("paper", "demand", "role"), optional=1):
        name = role_name(named[0]) if named else roles[0]
        if paper not in papers:
            refuse(path, line, f"no paper '{paper}' in the scores")
        if name not in wanted:
            refuse(path, line, f"role '{name}' has no demand: give --demand '{name}=N'")
        if (paper, name) in lines:
            refuse(path, line, f"paper {paper} is there twice (line {lines[paper, name]:,})")
        lines[paper, name] = line
        demand[papers[paper] * len(roles) + roles.index(name)] = count(path, line, text, "demand")
    return demand
