"""`reviewers.csv`: who the reviewers are. With a header: `reviewer,seniority,institution,country,role,authored`.

The columns `name`, `email`, `orcid` and `ror` tell who the people are (`retriever.conference.committee`); an assignment
does not need them.
"""

from pathlib import Path

from retriever.assignment.building.people import REGION_OF
from retriever.assignment.building.records import Reviewer
from retriever.assignment.options import REVIEWER, role_name
from retriever.assignment.reading.lines import read_table, refuse

COLUMNS = ("reviewer", "seniority", "institution", "country", "role", "authored", "name", "email", "orcid", "ror")
_SENIORITIES = ("senior", "junior", "")


def read_people(path: Path) -> dict[str, Reviewer]:
    """Everybody in the file, by id."""
    people: dict[str, Reviewer] = {}
    lines: dict[str, int] = {}
    for line, values in read_table(path, COLUMNS):
        who = values["reviewer"]
        if who in people:
            refuse(path, line, f"reviewer {who} is there twice (line {lines[who]:,})")
        seniority, country = values.get("seniority", "").lower(), values.get("country", "").upper()
        if seniority not in _SENIORITIES:
            refuse(path, line, f"seniority '{values['seniority']}' is neither senior nor junior")
        if country and country not in REGION_OF:
            refuse(path, line, f"country '{values['country']}' is not a code of two letters (ISO 3166)")
        authored = tuple(values.get("authored", "").replace(";", " ").split())
        role = role_name(values.get("role", "")) or REVIEWER
        people[who] = Reviewer(seniority == "senior", values.get("institution", ""), country, role, authored)
        lines[who] = line
    return people
