"""Files about pairs, papers and reviewers as records: constraints, quotas, demands, what was assigned before, caps.

A line that is not as it should be, or is about the same as another one, is refused with its number.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from retriever.assignment.building.records import Pair, Quota
from retriever.assignment.options import role_name
from retriever.assignment.reading.lines import count, number, read_fields, read_rows, refuse

FORBIDDEN, LOCKED = -1, 1
"""What a constraint says of a pair; 0 says nothing."""


class _Once:
    """The lines of a file by what they are about, each once."""

    def __init__(self, path: Path) -> None:
        self._path, self._lines = path, dict[Hashable, int]()

    def add(self, line: int, key: Hashable, what: str) -> None:
        if key in self._lines:
            refuse(self._path, line, f"{what} is there twice (line {self._lines[key]:,})")
        self._lines[key] = line


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
    """`reviewer,max[,min]`."""
    quotas, once = dict[str, Quota](), _Once(path)
    for line, (who, *texts) in read_fields(path, ("reviewer", "max", "min"), optional=1):
        once.add(line, who, f"reviewer {who}")
        most = count(path, line, texts[0], "quota")
        quotas[who] = Quota(most, count(path, line, texts[1], "minimum") if len(texts) > 1 else None)
        if len(texts) > 1 and (quotas[who].least or 0) > most:
            refuse(path, line, f"the minimum {texts[1]} is above the maximum {texts[0]}")
    return quotas


def read_demands(path: Path) -> dict[tuple[str, str], int]:
    """`paper,demand[,role]`: numbers by paper and role, which is empty where it is not named."""
    demands, once = dict[tuple[str, str], int](), _Once(path)
    for line, (paper, text, *named) in read_fields(path, ("paper", "demand", "role"), optional=1):
        key = paper, role_name(named[0]) if named else ""
        once.add(line, key, f"paper {paper}")
        demands[key] = count(path, line, text, "demand")
    return demands


def read_assignment(path: Path) -> dict[Pair, float]:
    """`paper,reviewer[,score]`: the pairs of an assignment with their scores, 0 where there are none."""
    pairs, once = dict[Pair, float](), _Once(path)
    for line, (paper, who, *score) in read_fields(path, ("paper", "reviewer", "score"), optional=1):
        once.add(line, (paper, who), f"the pair {paper}, {who}")
        pairs[paper, who] = number(path, line, score[0], "score") if score else 0.0
    return pairs


def read_caps(path: Path) -> dict[Pair, float]:
    """`paper,reviewer,cap`: the greatest probability by pair."""
    caps, once = dict[Pair, float](), _Once(path)
    for line, (paper, who, text) in read_fields(path, ("paper", "reviewer", "cap")):
        once.add(line, (paper, who), f"the pair {paper}, {who}")
        caps[paper, who] = number(path, line, text, "cap")
        if not 0 <= caps[paper, who] <= 1:
            refuse(path, line, f"cap {text} is not a probability")
    return caps
