"""Files as records: constraints, quotas, demands, what was assigned before, caps, and who the reviewers are.

A line that is not as it should be, or is about the same as another one, is refused with its number.
"""

from collections.abc import Iterator
from pathlib import Path

from retriever.assignment.building.people import REGION_OF
from retriever.assignment.building.records import Pair, Quota, Reviewer
from retriever.assignment.options import REVIEWER, role_name
from retriever.assignment.reading.lines import count, number, read_fields, read_rows, read_table, refuse

FORBIDDEN, LOCKED = -1, 1  # what a constraint says of a pair; 0 says nothing
COLUMNS = ("reviewer", "seniority", "institution", "country", "role", "authored", "name", "email", "orcid", "ror")
"""Of `reviewers.csv`; the last four tell who the people are (`retriever.conference.committee`)."""


def _once(path: Path, columns: tuple[str, ...], optional: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The fields of a file, with their lines; no two lines are about the same reviewer, paper and role, or pair."""
    lines: dict[tuple[str, ...], int] = {}
    for line, fields in read_fields(path, columns, optional):
        pair = columns[:2] == ("paper", "reviewer")
        key = (*fields[: 1 + pair], *map(role_name, fields[2:] if columns[2] == "role" else ()))
        if key in lines:
            what = f"the pair {fields[0]}, {fields[1]}" if pair else f"{columns[0]} {fields[0]}"
            refuse(path, line, f"{what} is there twice (line {lines[key]:,})")
        lines[key] = line
        yield line, fields


def read_constraints(path: Path) -> dict[Pair, int]:
    """`paper,reviewer[,-1|0|1[,evidence]]`: `FORBIDDEN`, 0 or `LOCKED` by pair; without a constraint a conflict."""
    constraints: dict[Pair, int] = {}
    lines: dict[Pair, int] = {}
    for line, row in read_rows(path, "constraint"):
        fields = [field.strip() for field in row]
        if not 2 <= len(fields) <= 4 or "" in fields[:3]:
            refuse(path, line, "expected paper,reviewer,-1 (conflict), 0 or 1 (lock)")
        pair = fields[0], fields[1]
        value = number(path, line, fields[2], "constraint") if len(fields) > 2 else FORBIDDEN
        if value not in (FORBIDDEN, 0, LOCKED):
            refuse(path, line, f"constraint {fields[2]} is neither -1 (conflict) nor 0 nor 1 (lock)")
        if pair in constraints:
            both = "both locked and a conflict" if {value, constraints[pair]} == {FORBIDDEN, LOCKED} else "there twice"
            refuse(path, line, f"the pair {pair[0]}, {pair[1]} is {both} (line {lines[pair]:,})")
        constraints[pair], lines[pair] = int(value), line
    return constraints


def read_quotas(path: Path) -> dict[str, Quota]:
    """`reviewer,max[,min]`: quotas by reviewer."""
    quotas = {}
    for line, (who, *texts) in _once(path, ("reviewer", "max", "min"), optional=1):
        most, *least = (count(path, line, text, what) for text, what in zip(texts, ("quota", "minimum"), strict=False))
        quotas[who] = Quota(most, *least)
        if (quotas[who].least or 0) > most:
            refuse(path, line, f"the minimum {texts[1]} is above the maximum {texts[0]}")
    return quotas


def read_demands(path: Path) -> dict[tuple[str, str], int]:
    """`paper,demand[,role]`: numbers by paper and role, which is empty where it is not named."""
    rows = _once(path, ("paper", "demand", "role"), optional=1)
    return {(paper, role_name("".join(role))): count(path, line, text, "demand") for line, (paper, text, *role) in rows}


def read_assignment(path: Path) -> dict[Pair, float]:
    """`paper,reviewer[,score]`: the pairs of an assignment with their scores, 0 where there are none."""
    rows = _once(path, ("paper", "reviewer", "score"), optional=1)
    return {
        (paper, who): number(path, line, score[0], "score") if score else 0.0 for line, (paper, who, *score) in rows
    }


def read_caps(path: Path) -> dict[Pair, float]:
    """`paper,reviewer,cap`: the greatest probability by pair."""
    caps = {}
    for line, (paper, who, text) in _once(path, ("paper", "reviewer", "cap")):
        caps[paper, who] = number(path, line, text, "cap")
        if not 0 <= caps[paper, who] <= 1:
            refuse(path, line, f"cap {text} is not a probability")
    return caps


def read_people(path: Path) -> dict[str, Reviewer]:
    """`reviewers.csv`, with a header of `COLUMNS`: who the reviewers are, by id."""
    people: dict[str, Reviewer] = {}
    lines: dict[str, int] = {}
    for line, values in read_table(path, COLUMNS):
        who = values["reviewer"]
        if who in people:
            refuse(path, line, f"reviewer {who} is there twice (line {lines[who]:,})")
        seniority, country = values.get("seniority", "").lower(), values.get("country", "").upper()
        if seniority not in ("senior", "junior", ""):
            refuse(path, line, f"seniority '{values['seniority']}' is neither senior nor junior")
        if country and country not in REGION_OF:
            refuse(path, line, f"country '{values['country']}' is not a code of two letters (ISO 3166)")
        authored = tuple(values.get("authored", "").replace(";", " ").split())
        role = role_name(values.get("role", "")) or REVIEWER
        people[who] = Reviewer(seniority == "senior", values.get("institution", ""), country, role, authored)
        lines[who] = line
    return people
