"""The scores of a conference in memory, read once for each state of the file.

Reading a million lines takes seconds. So what was read is kept beside the file as arrays, for the next server; arrays
of another state of the file, or damaged ones, are not used.
"""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from panelist.app.desk.conference.store import Conference
from panelist.app.desk.errors import NotKeptError
from panelist.files import replacing
from retriever.assignment.reading.scores import ScoreTable, read_scores

_TABLES = 4
"""Conferences whose scores are held."""
_ARRAYS = ".scores.npz"


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
    arrays = path.with_name(_ARRAYS)
    kept = _read_arrays(arrays, state)
    if kept is not None:
        return kept
    table = read_scores(path)
    with replacing(arrays) as part:
        np.savez(
            part,
            state=np.array(state),
            papers=np.array(table.papers),
            reviewers=np.array(table.reviewers),
            paper=table.paper,
            reviewer=table.reviewer,
            score=table.score,
        )
    return table


def _read_arrays(path: Path, state: tuple[int, ...]) -> ScoreTable | None:
    """The scores as arrays, where these are of this state of the file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if tuple(kept["state"].tolist()) != state:
                return None
            papers, reviewers = (tuple(kept[name].tolist()) for name in ("papers", "reviewers"))
            return ScoreTable(papers, reviewers, kept["paper"], kept["reviewer"], kept["score"], {})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
