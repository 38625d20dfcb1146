"""The scores of a conference in memory, read once for each state of the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotKeptError
from panelist.records import Confidence
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.scores import read_scores
from retriever.confidence import confidence

_TABLES = 4
"""Conferences whose scores are held."""


def load_table(conference: StoredConference) -> ScoreTable:
    """All scores."""
    return _load(conference).table


def scored_ids(conference: StoredConference) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The papers and the reviewers of the scores; none where there are no scores yet."""
    try:
        table = load_table(conference)
    except NotKeptError:
        return (), ()
    return table.papers, table.reviewers


def load_near(conference: StoredConference) -> NDArray[np.uint8] | None:
    """(pairs of the table) how many near papers each score rests on, at most three; None where that is not known."""
    return _load(conference).near


def load_grades(conference: StoredConference, pairs: Iterable[tuple[str, str]]) -> list[Confidence | None]:
    """How sure the scores of pairs of papers and reviewers are; None where that is not known."""
    scores = _load(conference)
    if scores.near is None:
        return [None for _ in pairs]
    table, near = scores.table, scores.near
    papers, reviewers = ({key: at for at, key in enumerate(keys)} for keys in (table.papers, table.reviewers))

    def grade(paper: int, reviewer: int) -> Confidence | None:
        start, stop = np.searchsorted(table.paper, (paper, paper + 1))  # scores of ours are sorted by paper
        found = np.flatnonzero(table.reviewer[start:stop] == reviewer)
        return confidence(int(near[start + found[0]])) if len(found) else None

    return [grade(papers.get(paper, -1), reviewers.get(reviewer, -1)) for paper, reviewer in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    table: ScoreTable
    near: NDArray[np.uint8] | None


def _load(conference: StoredConference) -> _Scores:
    path = conference.path / "scores.csv"
    try:
        seen = path.stat()
    except FileNotFoundError:
        raise NotKeptError("there are no scores yet: score the submissions, or add a file of scores") from None
    return _read(path, seen.st_mtime_ns, seen.st_size, seen.st_ino)


@lru_cache(maxsize=_TABLES)
def _read(path: Path, *state: int) -> _Scores:
    table, near = read_scores(path), path.with_name("confidence.csv")
    counts = read_scores(near).score.astype(np.uint8) if near.exists() else np.empty(0, dtype=np.uint8)
    # Lines of the scores may have been left out: both must be of the same pairs.
    return _Scores(table, counts if len(counts) == len(table.score) else None)
