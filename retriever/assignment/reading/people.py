"""`reviewers.csv`: who the reviewers are. With a header: `reviewer,seniority,institution,country,role,authored`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retriever.assignment.problem import REVIEWER, Committee, Ints
from retriever.assignment.reading.lines import read_table, refuse
from retriever.assignment.reading.regions import REGION_OF

COLUMNS = ("reviewer", "seniority", "institution", "country", "role", "authored")
_SENIORITIES = ("senior", "junior", "")


@dataclass(frozen=True, slots=True)
class Person:
    """A reviewer as `reviewers.csv` has them; `authored` are ids of submissions, `line` where it says so."""

    line: int
    senior: bool = False
    institution: str = ""
    country: str = ""
    role: str = REVIEWER
    authored: tuple[str, ...] = ()


def role_name(text: str) -> str:
    """A role as it is compared: `Area_Chair` is `area chair`."""
    return " ".join(text.lower().replace("_", " ").replace("-", " ").split())


def read_people(path: Path, papers: Mapping[str, int]) -> dict[str, Person]:
    """Everybody in the file, by id.

    Raises:
        InputError: somebody comes twice, or a line is not as it should be.
    """
    people: dict[str, Person] = {}
    for line, values in read_table(path, COLUMNS):
        who = values["reviewer"]
        if who in people:
            refuse(path, line, f"reviewer {who} is there twice (line {people[who].line:,})")
        seniority, country = values.get("seniority", "").lower(), values.get("country", "").upper()
        if seniority not in _SENIORITIES:
            refuse(path, line, f"seniority '{values['seniority']}' is neither senior nor junior")
        if country and country not in REGION_OF:
            refuse(path, line, f"country '{values['country']}' is not a code of two letters (ISO 3166)")
        authored = tuple(values.get("authored", "").replace(";", " ").split())
        for paper in authored:
            if paper not in papers:
                refuse(path, line, f"authored: no paper '{paper}' in the scores")
        role = role_name(values.get("role", "")) or REVIEWER
        people[who] = Person(line, seniority == "senior", values.get("institution", ""), country, role, authored)
    return people


def committee(
    reviewers: Sequence[str], people: Mapping[str, Person], roles: Sequence[str], papers: Mapping[str, int]
) -> Committee:
    """What is known of these reviewers, as arrays."""
    known = [people.get(who, Person(0)) for who in reviewers]
    number = {role: at for at, role in enumerate(roles)}
    return Committee(
        np.array([number.get(person.role, -1) for person in known], dtype=np.int64),
        np.array([person.senior for person in known], dtype=np.bool_),
        _codes([person.institution.casefold() for person in known]),
        _codes([REGION_OF.get(person.country, "") for person in known]),
        np.array(
            [(papers[paper], at) for at, person in enumerate(known) for paper in person.authored], dtype=np.int64
        ).reshape(-1, 2),
    )


def _codes(names: list[str]) -> Ints:
    """A number for each name, -1 for none."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], dtype=np.int64)
