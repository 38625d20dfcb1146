"""Checks of the files against each other: ids that another file does not have, people of whom nothing is said."""

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from panelist.app.desk.conference.files import load_committee, load_submissions, read_records, scored_ids
from panelist.app.desk.conference.intake.reading import Finding, Oddity, oddity
from panelist.app.desk.conference.store import StoredConference
from retriever.assignment.reading.tables import COLUMNS, read_rows, read_table
from retriever.conference.identity import comparable

_PAPER_COLUMN = {"constraints": 0, "bids": 0, "demands": 0}
_REVIEWER_COLUMN = {"constraints": 1, "bids": 1, "quotas": 0}  # which column of a file has ids, counted from 0
_LAST_COLUMN = {"constraints": "constraint", "bids": "bid", "quotas": "max", "demands": "demand"}


@dataclass(frozen=True, slots=True)
class KnownIds:
    """The papers and reviewers of a conference: those of its scores where it has some, else of its other files."""

    papers: Collection[str]
    reviewers: Collection[str]


def known_ids(conference: StoredConference) -> KnownIds:
    """Who and what the files of a conference may name."""
    papers, reviewers = scored_ids(conference)
    if papers:
        return KnownIds(frozenset(papers), frozenset(reviewers))
    submissions = load_submissions(conference)
    return KnownIds(frozenset(paper.id for paper in submissions), frozenset(load_committee(conference)))


@lru_cache(maxsize=16)
def cross_check(conference: StoredConference) -> dict[str, tuple[Oddity, ...]]:
    """What is odd about each kind of file beside the others; the same for every look at one revision."""
    known = known_ids(conference)
    return {kind: tuple(_odd(conference, kind, known)) for kind in read_records(conference)}


def _odd(conference: StoredConference, kind: str, known: KnownIds) -> Iterator[Oddity]:
    path = conference.path / f"{kind}.csv"
    if kind == "scores":
        yield from _odd_scores(conference, known)
    elif kind == "reviewers":
        yield from _odd_people(path, known)
    elif kind in _PAPER_COLUMN or kind in _REVIEWER_COLUMN:
        papers, reviewers = _unknown_lines(path, kind, known)
        yield from oddity("lines that name a paper which is not there: the assignment will refuse them", papers)
        yield from oddity("lines that name a reviewer who is not there: the assignment will refuse them", reviewers)


def _unknown_lines(path: Path, kind: str, known: KnownIds) -> tuple[list[Finding], list[Finding]]:
    """Lines that name an unknown paper, and lines that name an unknown reviewer."""
    papers, reviewers = list[Finding](), list[Finding]()
    people = {comparable(reviewer) for reviewer in known.reviewers}
    at_paper, at_reviewer = _PAPER_COLUMN.get(kind), _REVIEWER_COLUMN.get(kind)
    for line, row in read_rows(path, _LAST_COLUMN[kind]):
        paper, reviewer = ("" if column is None else row[column].strip() for column in (at_paper, at_reviewer))
        if paper and known.papers and paper not in known.papers:
            papers.append(Finding(line, paper))
        if reviewer and people and comparable(reviewer) not in people:
            reviewers.append(Finding(line, reviewer))
    return papers, reviewers


def leave_out_unknown(conference: StoredConference, kind: str, target: Path) -> int:
    """Write a file without the lines that name unknown papers or reviewers; how many these are."""
    source = conference.path / f"{kind}.csv"
    unknown = _unknown_lines(source, kind, known_ids(conference))
    bad = {finding.line for findings in unknown for finding in findings}
    with target.open("w", encoding="utf-8", newline="") as file:
        rows = read_rows(source, _LAST_COLUMN[kind])
        csv.writer(file, lineterminator="\n").writerows(row for line, row in rows if line not in bad)
    return len(bad)


def _odd_scores(conference: StoredConference, known: KnownIds) -> Iterator[Oddity]:
    papers, reviewers = {paper.id for paper in load_submissions(conference)}, set(load_committee(conference))
    for there, what, ids in (
        (papers, "papers with scores that are not among the submissions", set(known.papers) - papers),
        (papers, "submissions without any score", papers - set(known.papers)),
        (reviewers, "reviewers with scores who are not on the committee", set(known.reviewers) - reviewers),
    ):
        if there:
            yield from oddity(what, (Finding(0, name) for name in sorted(ids)))


def _odd_people(path: Path, known: KnownIds) -> Iterator[Oddity]:
    people: dict[str, int] = {}
    authored: list[Finding] = []
    for line, values in read_table(path, COLUMNS):
        people[values["reviewer"]] = line
        written = values.get("authored", "").replace(";", " ").split()
        authored += [Finding(line, paper) for paper in written if known.papers and paper not in known.papers]
    yield from oddity("papers authored that are not there: the assignment will refuse them", authored)
    if known.reviewers:
        others = (Finding(line, who) for who, line in people.items() if who not in known.reviewers)
        yield from oddity("people who are not on the committee: they have no scores", others)
        missing = (Finding(0, who) for who in sorted(set(known.reviewers) - people.keys()))
        yield from oddity("reviewers of whom this file says nothing: the assignment will refuse them", missing)
