"""The scores of a conference in memory, read once for each state of the file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from panelist.app.desk.conference.store import Conference
from panelist.app.desk.errors import NotKeptError
from retriever.assignment.reading.scores import ScoreTable, read_scores

_TABLES = 4
"""Conferences whose scores are held."""


def load_table(conference: Conference) -> ScoreTable:
    """All scores.

    Raises:
        NotKeptError: there are none yet.
    """
    path = conference.path / "scores.csv"
    try:
        seen = path.stat()
    except FileNotFoundError:
        raise NotKeptError("there are no scores yet: score the submissions, or add a file of scores") from None
    return _table(path, seen.st_mtime_ns, seen.st_size, seen.st_ino)


@lru_cache(maxsize=_TABLES)
def _table(path: Path, *state: int) -> ScoreTable:
    return read_scores(path)
