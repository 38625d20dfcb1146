"""Checks of the files against each other: ids that another file does not have, people of whom nothing is said."""

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from panelist.app.desk.conference.files import load_committee, load_submissions, read_records, scored_ids
from panelist.app.desk.conference.intake.reading import Finding, Oddity, oddity
from panelist.app.desk.conference.store import StoredConference
from retriever.assignment.reading.lines import read_rows, read_table
from retriever.assignment.reading.people import COLUMNS
from retriever.conference.identity import comparable

_PAPER_COLUMN = {"constraints": 0, "bids": 0, "demands": 0}
_REVIEWER_COLUMN = {"constraints": 1, "bids": 1, "quotas": 0}
"""Which column of a file holds ids, counted from 0."""
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
    return KnownIds(frozenset(one.id for one in load_submissions(conference)), frozenset(load_committee(conference)))


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
    found: tuple[list[Finding], list[Finding]] = ([], [])
    people = {comparable(one) for one in known.reviewers}
    for line, row in read_rows(path, _LAST_COLUMN[kind]):
        paper, reviewer = (
            "" if column is None else row[column].strip()
            for column in (_PAPER_COLUMN.get(kind), _REVIEWER_COLUMN.get(kind))
        )
        if paper and known.papers and paper not in known.papers:
            found[0].append(Finding(line, paper))
        if reviewer and people and comparable(reviewer) not in people:
            found[1].append(Finding(line, reviewer))
    return found


def leave_out_unknown(conference: StoredConference, kind: str, target: Path) -> int:
    """Write a file without the lines that name unknown papers or reviewers; how many these are."""
    source = conference.path / f"{kind}.csv"
    bad = {one.line for findings in _unknown_lines(source, kind, known_ids(conference)) for one in findings}
    with target.open("w", encoding="utf-8", newline="") as file:
        rows = read_rows(source, _LAST_COLUMN[kind])
        csv.writer(file, lineterminator="\n").writerows(row for line, row in rows if line not in bad)
    return len(bad)


def _odd_scores(conference: StoredConference, known: KnownIds) -> Iterator[Oddity]:
    papers = {one.id for one in load_submissions(conference)}
    reviewers = set(load_committee(conference))
    if papers:
        strangers = (Finding(0, one) for one in sorted(set(known.papers) - papers))
        yield from oddity("papers with scores that are not among the submissions", strangers)
        silent = (Finding(0, one) for one in sorted(papers - set(known.papers)))
        yield from oddity("submissions without any score", silent)
    if reviewers:
        strangers = (Finding(0, one) for one in sorted(set(known.reviewers) - reviewers))
        yield from oddity("reviewers with scores who are not on the committee", strangers)


def _odd_people(path: Path, known: KnownIds) -> Iterator[Oddity]:
    people: dict[str, int] = {}
    authored: list[Finding] = []
    for line, values in read_table(path, COLUMNS):
        people[values["reviewer"]] = line
        written = values.get("authored", "").replace(";", " ").split()
        authored += [Finding(line, one) for one in written if known.papers and one not in known.papers]
    yield from oddity("papers authored that are not there: the assignment will refuse them", authored)
    if known.reviewers:
        others = (Finding(line, one) for one, line in people.items() if one not in known.reviewers)
        yield from oddity("people who are not on the committee: they have no scores", others)
        missing = (Finding(0, one) for one in sorted(set(known.reviewers) - people.keys()))
        yield from oddity("reviewers of whom this file says nothing: the assignment will refuse them", missing)
