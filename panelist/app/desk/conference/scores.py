"""The scores of a conference in memory, read once for each state of the file.

Reading a million lines takes seconds. So what was read is kept beside the file as arrays, for the next server; arrays
of another state of the file, or damaged ones, are not used.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotKeptError
from panelist.files import replacing
from panelist.records import Confidence
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.scores import read_scores
from retriever.confidence import confidence

_TABLES = 4
"""Conferences whose scores are held."""
_ARRAYS = ".scores.npz"


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
    arrays = path.with_name(_ARRAYS)
    kept = _read_arrays(arrays, state)
    if kept is not None:
        return kept
    table, near = read_scores(path), _read_near(path.with_name("confidence.csv"))
    with replacing(arrays) as part:
        np.savez(
            part,
            state=np.array(state),
            papers=np.array(table.papers),
            reviewers=np.array(table.reviewers),
            paper=table.paper,
            reviewer=table.reviewer,
            score=table.score,
            near=near,
        )
    return _scores(table, near)


def _read_near(path: Path) -> NDArray[np.uint8]:
    """The near papers of the same pairs, in the order of the scores; none where there is no such file."""
    return read_scores(path).score.astype(np.uint8) if path.exists() else np.empty(0, dtype=np.uint8)


def _scores(table: ScoreTable, near: NDArray[np.uint8]) -> _Scores:
    """Both, where they are of the same pairs: lines of the scores may have been left out."""
    return _Scores(table, near if len(near) == len(table.score) else None)


def _read_arrays(path: Path, state: tuple[int, ...]) -> _Scores | None:
    """The scores as arrays, where these are of this state of the file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if tuple(kept["state"].tolist()) != state:
                return None
            papers, reviewers = (tuple(kept[name].tolist()) for name in ("papers", "reviewers"))
            table = ScoreTable(papers, reviewers, kept["paper"], kept["reviewer"], kept["score"])
            return _scores(table, kept["near"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
