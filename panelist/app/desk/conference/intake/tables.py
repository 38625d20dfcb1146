"""The CSV files of an assignment: constraints, bids, quotas, demands, people with roles, ready scores."""

from collections.abc import Callable
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
from panelist.app.formats.systems import read_contacts
from panelist.corpus.store import CorpusStore
from panelist.corpus.systems.columns import BID_WORDS
from panelist.errors import InputError
from panelist.spreadsheet import csv_text
from panelist.words import counted
from retriever.assignment.reading.scores import conflicts_among_bids, read_scores
from retriever.assignment.reading.tables import (
    FORBIDDEN,
    LOCKED,
    read_constraints,
    read_demands,
    read_people,
    read_quotas,
)


def read_table_file(kind: str, path: Path, target: Path, corpus: CorpusStore) -> Reading:
    """One of the tables, which is kept as it was sent; constraints are kept in one form."""
    table_text(path)
    ids, summary = TABLES[kind](path)
    if not ids:
        raise InputError(f"{path.name} has no rows of {kind}")
    check_ids(path.name, ids)
    path.replace(target / f"{kind}.csv")
    return Reading(summary)


def _constraints(path: Path) -> tuple[list[str], str]:
    """Conflicts and locks: `paper,reviewer[,-1|0|1[,evidence]]`, without a constraint a conflict."""
    rows = read_constraints(path)
    path.write_text(csv_text((*pair, value) for pair, value in rows.items()), encoding="utf-8")
    conflicts, locks = (sum(value == number for number in rows.values()) for value in (FORBIDDEN, LOCKED))
    return [key for pair in rows for key in pair], f"{counted(conflicts, 'conflict')}, {counted(locks, 'lock')}"


def _bids(path: Path) -> tuple[list[str], str]:
    """`paper,reviewer,bid` in OpenReview's words or numbers."""
    table, stated = read_scores(path, BID_WORDS), len(conflicts_among_bids(path))
    summary = f"{counted(len(table.score), 'bid')} of {counted(len(table.reviewers), 'reviewer')}"
    return [*table.papers, *table.reviewers], summary + (f", and {counted(stated, 'conflict')}" if stated else "")


def _quotas(path: Path) -> tuple[list[str], str]:
    """Quotas of reviewers, as `reviewer,max[,min]`."""
    lines = read_quotas(path)
    return list(lines), counted(len(lines), "quota")


def _demands(path: Path) -> tuple[list[str], str]:
    """How many reviews a paper needs: `paper,demand[,role]`."""
    lines = read_demands(path)
    return [paper for paper, _ in lines], counted(len(lines), "demand")


def _people(path: Path) -> tuple[list[str], str]:
    """Who the reviewers are, with a header: `reviewer,seniority,institution,country,role,authored`."""
    people = read_people(path)
    roles = sorted({person.role for person in people.values()})
    summary = f"{counted(len(people), 'person', 'people')}, {counted(len(roles), 'role')}: {', '.join(roles)}"
    return list(people), summary


def _scores(path: Path) -> tuple[list[str], str]:
    """Scores that were computed elsewhere, as `paper,reviewer,score`."""
    table = read_scores(path)
    scores, papers, people = len(table.score), len(table.papers), len(table.reviewers)
    limit(scores, MOST_SCORES, "scores")
    limit(papers, MOST_SUBMISSIONS, "papers")
    limit(people, MOST_REVIEWERS, "reviewers")
    summary = f"{counted(scores, 'score')} of {counted(papers, 'paper')} and {counted(people, 'reviewer')}"
    return [*table.papers, *table.reviewers], summary


def _contacts(path: Path) -> tuple[list[str], str]:
    """How the conference's system knows its committee: its own file, or `reviewer,email`."""
    contacts = read_contacts(path)
    numbers = sum(contact.key.isdigit() for contact in contacts)
    suffix = f", {counted(numbers, 'member number')}" if numbers else ""
    return [contact.key for contact in contacts], counted(len(contacts), "person", "people") + suffix


TABLES: dict[str, Callable[[Path], tuple[list[str], str]]] = {
    "constraints": _constraints,
    "bids": _bids,
    "quotas": _quotas,
    "demands": _demands,
    "reviewers": _people,
    "scores": _scores,
    "contacts": _contacts,
}
"""The tables by kind: each gives the ids in it, and what was read in words."""
