"""`reviewers.csv`: who the reviewers are. With a header: `reviewer,seniority,institution,country,role,authored`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retriever.assignment.problem import REVIEWER, Committee, Ints
from retriever.assignment.reading.lines import read_table, refuse

COLUMNS = ("reviewer", "seniority", "institution", "country", "role", "authored")
_SENIORITIES = ("senior", "junior", "")
_REGIONS = {
    "Africa": "DZ AO BJ BW BF BI CM CV CF TD KM CG CD CI DJ EG GQ ER ET GA GM GH GN GW KE LS LR LY MG MW ML MR MU YT "
    "MA MZ NA NE NG RE RW SH ST SN SC SL SO ZA SS SD SZ TZ TG TN UG EH ZM ZW",
    "Northern America": "BM CA GL PM US",
    "Latin America": "AG AI AR AW BB BL BO BQ BR BS BZ CL CO CR CU CW DM DO EC FK GD GF GP GT GY HN HT JM KN KY LC MF "
    "MQ MS MX NI PA PE PR PY SR SV SX TC TT UY VC VE VG VI",
    "Asia": "AE AF AM AZ BD BH BN BT CN CY GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM "
    "PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
    "Europe": "AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD "
    "ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
    "Oceania": "AS AU CC CK CX FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV VU WF WS",
}
_REGION_OF: Mapping[str, str] = {code: region for region, codes in _REGIONS.items() for code in codes.split()}
"""The region of each country (ISO 3166, two letters), after the United Nations' M49."""


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
        if country and country not in _REGION_OF:
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
        _codes([_REGION_OF.get(person.country, "") for person in known]),
        np.array(
            [(papers[paper], at) for at, person in enumerate(known) for paper in person.authored], dtype=np.int64
        ).reshape(-1, 2),
    )


def _codes(names: list[str]) -> Ints:
    """A number for each name, -1 for none."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], dtype=np.int64)
