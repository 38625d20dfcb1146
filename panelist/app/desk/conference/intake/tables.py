"""The CSV files of an assignment: constraints, bids, quotas, demands, people with roles, ready scores."""

from __future__ import annotations

import csv
from pathlib import Path

from panelist.app.desk.conference.intake.reading import (
    MOST_REVIEWERS,
    MOST_SCORES,
    MOST_SUBMISSIONS,
    Reading,
    check_ids,
    limit,
    table_text,
)
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import counted
from retriever.assignment.reading.lines import count, number, read_fields, read_rows, refuse
from retriever.assignment.reading.people import read_people
from retriever.assignment.reading.scores import BIDS, read_scores


def read_constraint_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Conflicts and locks: `paper,reviewer[,-1|0|1[,evidence]]`, without a constraint a conflict."""
    table_text(path)
    rows: list[list[str]] = []
    seen: dict[tuple[str, str], int] = {}
    for line, fields in read_rows(path):
        fields = [field.strip() for field in fields]
        if not 2 <= len(fields) <= 4 or "" in fields[:3]:
            refuse(path, line, "expected paper,reviewer,-1 (conflict), 0 or 1 (lock)")
        paper, who = fields[:2]
        value = number(path, line, fields[2], "constraint") if len(fields) > 2 else -1.0
        if value not in (-1, 0, 1):
            refuse(path, line, f"constraint {fields[2]} is neither -1 (conflict) nor 0 nor 1 (lock)")
        if (paper, who) in seen:
            refuse(path, line, f"the pair {paper}, {who} is there twice (line {seen[paper, who]:,})")
        seen[paper, who] = line
        rows.append([paper, who, str(int(value))])
    if not rows:
        raise InputError(f"there are no constraints in {path.name}")
    check_ids(path.name, (one for pair in seen for one in pair))
    with (kept / "constraints.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    conflicts, locks = (sum(row[2] == value for row in rows) for value in ("-1", "1"))
    return Reading(f"{counted(conflicts, 'conflict')}, {counted(locks, 'lock')}")


def read_bid_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Bids: `paper,reviewer,bid` in OpenReview's words or numbers."""
    table_text(path)
    table = read_scores(path, BIDS)
    check_ids(path.name, (*table.papers, *table.reviewers))
    path.replace(kept / "bids.csv")
    return Reading(f"{counted(len(table.score), 'bid')} of {counted(len(table.reviewers), 'reviewer')}")


def read_quota_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Quotas: `reviewer,max[,min]`."""
    table_text(path)
    lines: dict[str, int] = {}
    for line, (who, *numbers) in read_fields(path, ("reviewer", "max", "min"), optional=1):
        if who in lines:
            refuse(path, line, f"reviewer {who} is there twice (line {lines[who]:,})")
        lines[who] = line
        values = [count(path, line, text, what) for text, what in zip(numbers, ("quota", "minimum"), strict=False)]
        if values[-1] > values[0]:
            refuse(path, line, f"the minimum {values[1]} is above the maximum {values[0]}")
    check_ids(path.name, lines)
    return _keep_as_is(path, kept / "quotas.csv", counted(len(lines), "quota"), len(lines))


def read_demand_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """How many reviews a paper needs: `paper,demand[,role]`."""
    table_text(path)
    lines: dict[tuple[str, ...], int] = {}
    for line, (paper, text, *role) in read_fields(path, ("paper", "demand", "role"), optional=1):
        if (paper, *role) in lines:
            refuse(path, line, f"paper {paper} is there twice (line {lines[paper, *role]:,})")
        lines[paper, *role] = line
        count(path, line, text, "demand")
    check_ids(path.name, (one for pair in lines for one in pair))
    return _keep_as_is(path, kept / "demands.csv", counted(len(lines), "demand"), len(lines))


def read_people_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Who the reviewers are, with a header: `reviewer,seniority,institution,country,role,authored`."""
    table_text(path)
    people = read_people(path, _Anything())
    check_ids(path.name, people)
    roles = sorted({person.role for person in people.values()})
    summary = f"{counted(len(people), 'person', 'people')}, {counted(len(roles), 'role')}: {', '.join(roles)}"
    return _keep_as_is(path, kept / "reviewers.csv", summary, len(people))


def read_score_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Ready scores: `paper,reviewer,score`."""
    table_text(path)
    table = read_scores(path)
    limit(len(table.score), MOST_SCORES, "scores")
    limit(len(table.papers), MOST_SUBMISSIONS, "papers")
    limit(len(table.reviewers), MOST_REVIEWERS, "reviewers")
    check_ids(path.name, (*table.papers, *table.reviewers))
    path.replace(kept / "scores.csv")
    scores, papers, people = len(table.score), len(table.papers), len(table.reviewers)
    return Reading(f"{counted(scores, 'score')} of {counted(papers, 'paper')} and {counted(people, 'reviewer')}")


class _Anything(dict[str, int]):
    """Holds every id: whether a paper is known is checked when all files are there."""

    def __contains__(self, key: object) -> bool:
        return True


def _keep_as_is(path: Path, target: Path, summary: str, rows: int) -> Reading:
    if not rows:
        raise InputError(f"{path.name} is empty")
    path.replace(target)
    return Reading(summary)
