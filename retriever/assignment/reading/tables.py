"""The assignment's CSV files, plain or gzipped, as records: constraints, quotas, demands, caps, people, pairs.

A line that is not as it should be, or is about the same as another one, is refused with the file and its number.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.columns import PAIRS
from panelist.corpus.systems.pairs import native_pairs, native_table
from panelist.errors import InputError
from panelist.words import counted
from retriever.assignment.building.people import REGION_OF
from retriever.assignment.building.records import Pair, Quota, Reviewer
from retriever.assignment.options import MOST, REVIEWER, role_name

FORBIDDEN, LOCKED = -1, 1  # what a constraint says of a pair; 0 says nothing
COLUMNS = ("reviewer", "seniority", "institution", "country", "role", "authored", "name", "email", "orcid", "ror")
"""Of `reviewers.csv`; the last four tell who the people are (`retriever.conference.committee`)."""


def refuse(path: Path, line: int, why: str) -> NoReturn:
    """Raise the error of a line."""
    raise InputError(f"{path}, line {line:,}: {why}")


def read_rows(path: Path, kind: str = "") -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with the line each ends on; empty lines are passed over.

    A file of a conference system gives the rows that Panelist's own file would have; `kind` is the last column of that.
    """
    if kind in PAIRS:
        yield from native_pairs(path, read_rows(path), kind)
        return
    with open_rows(path) as rows:
        yield from ((rows.line, row) for row in rows if row)


def read_fields(path: Path, columns: Sequence[str], optional: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The stripped fields of a file without header, with their lines; the last `optional` columns may be left out."""
    kind = columns[2] if columns[:2] == ("paper", "reviewer") else columns[1]
    for line, row in read_rows(path, kind):
        if not len(columns) - optional <= len(row) <= len(columns):
            refuse(path, line, f"expected {_shape(columns, optional)}, received {counted(len(row), 'field')}")
        fields = [field.strip() for field in row]
        if "" in fields:
            refuse(path, line, f"{columns[fields.index('')]} is empty, expected {_shape(columns, optional)}")
        yield line, fields


def read_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a file with a header, by column; the first of `columns` is required, the others may be left out."""
    header: list[str] | None = None
    for line, row in native_table(read_rows(path), columns, path):
        fields = [field.strip() for field in row]
        if header is None:
            header = [field.lower() for field in fields]
            unknown = [name for name in header if name not in columns]
            if columns[0] not in header or unknown or len(set(header)) < len(header):
                received = ",".join(header)
                refuse(path, line, f"expected a header of {columns[0]} and any of {', '.join(columns[1:])}: {received}")
            continue
        if len(fields) != len(header):
            refuse(path, line, f"expected {len(header)} fields as in the header, received {len(fields)}")
        values = dict(zip(header, fields, strict=True))
        if not values[columns[0]]:
            refuse(path, line, f"{columns[0]} is empty")
        yield line, values
    if header is None:
        raise InputError(f"'{path}' is empty: expected a header of {columns[0]} and any of {', '.join(columns[1:])}")


def number(path: Path, line: int, text: str, noun: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        header = " (this is no header that is known)" if line == 1 else ""
        refuse(path, line, f"{noun} '{text}' is not a number{header}")
    if not math.isfinite(value):
        refuse(path, line, f"{noun} is {text}: it must be finite")
    return value


def count(path: Path, line: int, text: str, noun: str) -> int:
    """Read a whole number, zero or more."""
    value = number(path, line, text, noun)
    if value != int(value):
        refuse(path, line, f"{noun} {text} is not a whole number")
    if value < 0:
        refuse(path, line, f"{noun} {text} is negative")
    if value > MOST:
        refuse(path, line, f"{noun} {text} is more than {MOST:,}")
    return int(value)


def _shape(columns: Sequence[str], optional: int) -> str:
    needed = len(columns) - optional
    return ",".join(columns[:needed]) + "".join(f"[,{name}]" for name in columns[needed:])


def _once(path: Path, columns: tuple[str, ...], optional: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The fields of a file, with their lines; no two lines are about the same reviewer, paper and role, or pair."""
    lines: dict[tuple[str, ...], int] = {}
    for line, fields in read_fields(path, columns, optional):
        pair = columns[:2] == ("paper", "reviewer")
        key = (*fields[: 1 + pair], *map(role_name, fields[2:] if columns[2] == "role" else ()))
        if key in lines:
            subject = f"the pair {fields[0]}, {fields[1]}" if pair else f"{columns[0]} {fields[0]}"
            refuse(path, line, f"{subject} is there twice (line {lines[key]:,})")
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
            clash = "both locked and a conflict" if {value, constraints[pair]} == {FORBIDDEN, LOCKED} else "there twice"
            refuse(path, line, f"the pair {pair[0]}, {pair[1]} is {clash} (line {lines[pair]:,})")
        constraints[pair], lines[pair] = int(value), line
    return constraints


def read_quotas(path: Path) -> dict[str, Quota]:
    """`reviewer,max[,min]`: quotas by reviewer."""
    quotas = {}
    for line, (reviewer, *texts) in _once(path, ("reviewer", "max", "min"), optional=1):
        most, *least = (count(path, line, text, noun) for text, noun in zip(texts, ("quota", "minimum"), strict=False))
        quotas[reviewer] = Quota(most, *least)
        if (quotas[reviewer].least or 0) > most:
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
        (paper, reviewer): number(path, line, score[0], "score") if score else 0.0
        for line, (paper, reviewer, *score) in rows
    }


def read_caps(path: Path) -> dict[Pair, float]:
    """`paper,reviewer,cap`: the greatest probability by pair."""
    caps = {}
    for line, (paper, reviewer, text) in _once(path, ("paper", "reviewer", "cap")):
        caps[paper, reviewer] = number(path, line, text, "cap")
        if not 0 <= caps[paper, reviewer] <= 1:
            refuse(path, line, f"cap {text} is not a probability")
    return caps


def read_people(path: Path) -> dict[str, Reviewer]:
    """`reviewers.csv`, with a header of `COLUMNS`: who the reviewers are, by id."""
    people: dict[str, Reviewer] = {}
    lines: dict[str, int] = {}
    for line, values in read_table(path, COLUMNS):
        reviewer = values["reviewer"]
        if reviewer in people:
            refuse(path, line, f"reviewer {reviewer} is there twice (line {lines[reviewer]:,})")
        seniority, country = values.get("seniority", "").lower(), values.get("country", "").upper()
        if seniority not in ("senior", "junior", ""):
            refuse(path, line, f"seniority '{values['seniority']}' is neither senior nor junior")
        if country and country not in REGION_OF:
            refuse(path, line, f"country '{values['country']}' is not a code of two letters (ISO 3166)")
        authored = tuple(values.get("authored", "").replace(";", " ").split())
        role = role_name(values.get("role", "")) or REVIEWER
        people[reviewer] = Reviewer(seniority == "senior", values.get("institution", ""), country, role, authored)
        lines[reviewer] = line
    return people
