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
from panelist.corpus.systems.columns import BID_WORDS
from panelist.errors import InputError
from panelist.words import counted
from retriever.assignment.reading.people import read_people
from retriever.assignment.reading.scores import conflicts_among_bids, read_scores
from retriever.assignment.reading.tables import FORBIDDEN, LOCKED, read_constraints, read_demands, read_quotas


def read_constraint_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Conflicts and locks: `paper,reviewer[,-1|0|1[,evidence]]`, without a constraint a conflict."""
    table_text(path)
    rows = read_constraints(path)
    if not rows:
        raise InputError(f"there are no constraints in {path.name}")
    check_ids(path.name, (one for pair in rows for one in pair))
    with (kept / "constraints.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows((*pair, value) for pair, value in rows.items())
    conflicts, locks = (sum(value == one for one in rows.values()) for value in (FORBIDDEN, LOCKED))
    return Reading(f"{counted(conflicts, 'conflict')}, {counted(locks, 'lock')}")


def read_bid_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Bids: `paper,reviewer,bid` in OpenReview's words or numbers."""
    table_text(path)
    table = read_scores(path, BID_WORDS)
    check_ids(path.name, (*table.papers, *table.reviewers))
    stated = len(conflicts_among_bids(path))
    path.replace(kept / "bids.csv")
    summary = f"{counted(len(table.score), 'bid')} of {counted(len(table.reviewers), 'reviewer')}"
    return Reading(summary + (f", and {counted(stated, 'conflict')}" if stated else ""))


def read_quota_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Quotas: `reviewer,max[,min]`."""
    table_text(path)
    lines = read_quotas(path)
    check_ids(path.name, lines)
    return _keep_as_is(path, kept / "quotas.csv", counted(len(lines), "quota"), len(lines))


def read_demand_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """How many reviews a paper needs: `paper,demand[,role]`."""
    table_text(path)
    lines = read_demands(path)
    check_ids(path.name, (paper for paper, _ in lines))
    return _keep_as_is(path, kept / "demands.csv", counted(len(lines), "demand"), len(lines))


def read_people_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Who the reviewers are, with a header: `reviewer,seniority,institution,country,role,authored`."""
    table_text(path)
    people = read_people(path)
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


def _keep_as_is(path: Path, target: Path, summary: str, rows: int) -> Reading:
    if not rows:
        raise InputError(f"{path.name} is empty")
    path.replace(target)
    return Reading(summary)
