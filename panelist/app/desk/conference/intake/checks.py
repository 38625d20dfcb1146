"""Checks of the files against each other: ids that another file does not have, people of whom nothing is said."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from panelist.app.desk.conference.contents import (
    FILE_NAMES,
    LAST_COLUMN,
    authored,
    file_records,
    file_rows,
    load_committee,
    load_submissions,
    people_rows,
)
from panelist.app.desk.conference.findings import Finding, Oddity, oddity
from panelist.app.desk.conference.scores import scored_ids
from panelist.app.desk.conference.state import Conference, remembered
from panelist.corpus.identity import comparable
from panelist.spreadsheet import csv_text
from panelist.words import PaperId, PersonId

_PAPER_COLUMN = {"constraints": 0, "bids": 0, "demands": 0}
_REVIEWER_COLUMN = {"constraints": 1, "bids": 1, "quotas": 0}  # which column of a file has ids, counted from 0


@dataclass(frozen=True, slots=True)
class KnownIds:
    """The papers and reviewers of a conference: those of its scores where it has some, else of its other files."""

    papers: Collection[str]
    reviewers: Collection[str]


def known_ids(conference: Conference) -> KnownIds:
    """Who and what the files of a conference may name."""
    papers, reviewers = scored_ids(conference)
    if papers:
        return KnownIds(frozenset(papers), frozenset(reviewers))
    submissions = load_submissions(conference)
    return KnownIds(frozenset(paper.id for paper in submissions), frozenset(load_committee(conference)))


@remembered(*FILE_NAMES)
def cross_check(conference: Conference) -> dict[str, tuple[Oddity, ...]]:
    """What is odd about each kind of file beside the others; the same for every look at the same files."""
    ids = known_ids(conference)
    return {kind: tuple(_odd(conference, kind, ids)) for kind in file_records(conference)}


def _odd(conference: Conference, kind: str, ids: KnownIds) -> Iterator[Oddity]:
    if kind == "scores":
        yield from _odd_scores(conference, ids)
    elif kind == "reviewers":
        yield from _odd_people(conference, ids)
    elif kind in LAST_COLUMN:
        papers, reviewers = _unknown_lines(conference, kind, ids)
        yield from oddity("lines that name a paper which is not there: the assignment will refuse them", papers)
        yield from oddity("lines that name a reviewer who is not there: the assignment will refuse them", reviewers)


def _unknown_lines(conference: Conference, kind: str, ids: KnownIds) -> tuple[list[Finding], list[Finding]]:
    """Lines that name an unknown paper, and lines that name an unknown reviewer."""
    papers, reviewers = list[Finding](), list[Finding]()
    people = {comparable(reviewer) for reviewer in ids.reviewers}
    at_paper, at_reviewer = _PAPER_COLUMN.get(kind), _REVIEWER_COLUMN.get(kind)
    for line, row in file_rows(conference, kind):
        paper, reviewer = ("" if column is None else row[column].strip() for column in (at_paper, at_reviewer))
        if paper and ids.papers and paper not in ids.papers:
            papers.append(Finding.of(line, PaperId(paper)))
        if reviewer and people and comparable(reviewer) not in people:
            reviewers.append(Finding.of(line, PersonId(reviewer)))
    return papers, reviewers


def drop_unknown_lines(conference: Conference, kind: str) -> tuple[bytes, int]:
    """A file without the lines that name unknown papers or reviewers, and how many these are."""
    unknown = _unknown_lines(conference, kind, known_ids(conference))
    bad = {finding.line for findings in unknown for finding in findings}
    rows = (row for line, row in file_rows(conference, kind) if line not in bad)
    return csv_text(rows).encode(), len(bad)


def _odd_scores(conference: Conference, ids: KnownIds) -> Iterator[Oddity]:
    papers, reviewers = {paper.id for paper in load_submissions(conference)}, set(load_committee(conference))
    for files, words, absent, kind in (
        (papers, "papers with scores that are not among the submissions", set(ids.papers) - papers, PaperId),
        (papers, "submissions without any score", papers - set(ids.papers), PaperId),
        (
            reviewers,
            "reviewers with scores who are not on the committee",
            set(ids.reviewers) - reviewers,
            PersonId,
        ),
    ):
        if files:
            yield from oddity(words, (Finding.of(0, kind(name)) for name in sorted(absent)))


def _odd_people(conference: Conference, ids: KnownIds) -> Iterator[Oddity]:
    people: dict[str, int] = {}
    written: list[Finding] = []
    for line, values in people_rows(conference):
        people[values["reviewer"]] = line
        written += [
            Finding.of(line, PaperId(paper)) for paper in authored(values) if ids.papers and paper not in ids.papers
        ]
    yield from oddity("papers authored that are not there: the assignment will refuse them", written)
    if ids.reviewers:
        absent = (Finding.of(line, PersonId(person)) for person, line in people.items() if person not in ids.reviewers)
        yield from oddity("people who are not on the committee: they have no scores", absent)
        missing = (Finding.of(0, PersonId(person)) for person in sorted(set(ids.reviewers) - people.keys()))
        yield from oddity("reviewers of whom this file says nothing: the assignment will refuse them", missing)
