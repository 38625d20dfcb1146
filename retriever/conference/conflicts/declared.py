"""Conflicts of interest as CSV files of `paper,reviewer,-1`: those that users know of are read, found ones written."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from panelist.corpus.identity import comparable
from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.pairs import native_pairs
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.records import Conflict, Submission
from panelist.spreadsheet import csv_text
from retriever.conference.conflicts.table import ConflictPair

Declared = Mapping[str, Sequence[str]]
"""Submission id -> reviewers with a conflict that the user knows of."""


def read_conflicts(path: Path) -> dict[str, tuple[str, ...]]:
    """Read declared conflicts from a CSV file of `paper,reviewer` (a third column, as OpenReview's -1, is ignored).

    A file of conflicts or of bids of a conference system will do, too: of bids, those that say `conflict`.
    """
    declared: dict[str, list[str]] = defaultdict(list)
    with open_rows(path) as rows:
        for line, row in native_pairs(path, rows.filled(), "constraint"):
            fields = [field.strip() for field in row]
            if len(fields) < 2 or not all(fields[:2]):
                raise InputError(f"{path}:{line}: expected 'paper,reviewer', received '{','.join(row)}'")
            declared[fields[0]].append(fields[1])
    return {paper: tuple(reviewers) for paper, reviewers in declared.items()}


def unmatched(
    declared: Declared, submissions: Iterable[Submission], reviewers: Collection[str] | None = None
) -> list[str]:
    """The declared pairs that name no submission, or nobody of the reviewers, where these are given, in any form."""
    papers = {submission.id for submission in submissions}
    people = None if reviewers is None else {comparable(reviewer) for reviewer in reviewers}
    pairs = ((paper, reviewer) for paper, listed_people in declared.items() for reviewer in listed_people)
    return [
        f"{paper},{reviewer}"
        for paper, reviewer in pairs
        if paper not in papers or (people is not None and comparable(reviewer) not in people)
    ]


def write_constraints(pairs: Iterable[Conflict | ConflictPair], path: Path) -> None:
    """Write the pairs with a certain conflict: who must not review what."""
    closed = dict.fromkeys((pair.submission, pair.reviewer) for pair in pairs if pair.certain)
    write_whole(path, csv_text([*pair, -1] for pair in closed).encode())


def write_possible(pairs: Iterable[Conflict | ConflictPair], path: Path) -> None:
    """Write the pairs with a possible conflict, with their evidence, see `evidence_lines`."""
    write_whole(path, evidence_lines(pair for pair in pairs if not pair.certain).encode())


def evidence_lines(conflicts: Iterable[Conflict | ConflictPair]) -> str:
    """Conflicts as constraints with their evidence, `paper,reviewer,-1,evidence`, each pair once.

    The lines that somebody has checked can be declared: readers of constraints ignore the fourth column.
    """
    pairs: dict[tuple[str, str], str] = {}
    for conflict in conflicts:
        pairs.setdefault((conflict.submission, conflict.reviewer), conflict.evidence)
    return csv_text([*pair, -1, evidence] for pair, evidence in pairs.items())
