"""The one writer of OpenReview's CSV files: `submission,reviewer,score` and `paper,reviewer,-1`, without a header.

Scores keep their full precision: each is the shortest number that reads back as the same float.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.parallel import ahead, cores, each
from indexing.tables.arrays import pack
from panelist.files import replacing, write_whole
from panelist.spreadsheet import csv_text
from retriever.affinity.kernels.output import join_lines
from retriever.affinity.sparse import SparseScores

Values = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.uint8]
Packed = tuple[NDArray[np.uint8], NDArray[np.int64]]


class Pair(Protocol):
    """A pair with a conflict: `Conflict` and `ConflictPair` are such."""

    @property
    def submission(self) -> str:
        """Its id."""

    @property
    def reviewer(self) -> str:
        """Who has the conflict."""

    @property
    def certain(self) -> bool:
        """Whether it rests on more than a name."""

    @property
    def evidence(self) -> str:
        """Why, in words."""


_LINES = 1 << 17  # formatted at a time by one thread


def write_scores(scores: SparseScores, path: Path, values: Values | None = None) -> None:
    """Write all pairs, submission by submission, best first; the file is complete or not there.

    Args:
        scores: the pairs.
        path: where to.
        values: what is written of each pair instead of its score.

    Raises:
        InputError: the file cannot be written.
    """
    with replacing(path) as part, part.open("wb") as file:
        for text in score_lines(scores, values):
            file.write(text)


def score_lines(scores: SparseScores, values: Values | None = None) -> Iterator[bytes]:
    """The lines of all pairs, many at a time; the next ones are formatted while the caller uses the last."""
    values = scores.scores if values is None else values
    heads = [_quoted(submission) + "," for submission in scores.submissions]
    names = pack([_quoted(reviewer) + "," for reviewer in scores.reviewers])
    edges = [0, *(np.searchsorted(scores.starts, np.arange(_LINES, scores.starts[-1], _LINES)).tolist()), len(heads)]
    parts = [slice(start, stop) for start, stop in pairwise(edges) if start < stop]
    batches = [parts[first : first + 2 * cores()] for first in range(0, len(parts), 2 * cores())]
    for texts in ahead(
        lambda batch: each(lambda part: _format(scores, values, part, pack(heads[part]), names), batch), batches
    ):
        for text in texts:
            yield text.tobytes()


def _format(scores: SparseScores, values: Values, rows: slice, heads: Packed, names: Packed) -> NDArray[np.uint8]:
    """The lines of some submissions."""
    starts = scores.starts[rows.start : rows.stop + 1]
    chosen = scores.reviewer[starts[0] : starts[-1]]
    wanted = np.ascontiguousarray(values[starts[0] : starts[-1]])
    numbers = np.frombuffer(orjson.dumps(wanted, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1] + b",", dtype=np.uint8)
    size = int((np.diff(starts) * np.diff(heads[1])).sum() + np.diff(names[1])[chosen].sum()) + len(numbers)
    text = np.empty(size, dtype=np.uint8)
    end = join_lines(*heads, *names, starts - starts[0], chosen, numbers, text)
    return text[:end]


def write_constraints(pairs: Iterable[Pair], path: Path) -> None:
    """Write the pairs with a certain conflict: who must not review what.

    Raises:
        InputError: the file cannot be written.
    """
    closed = dict.fromkeys((one.submission, one.reviewer) for one in pairs if one.certain)
    write_whole(path, csv_text([*pair, -1] for pair in closed).encode())


def write_possible(pairs: Iterable[Pair], path: Path) -> None:
    """Write the pairs with a possible conflict, with their evidence, see `evidence_lines`.

    Raises:
        InputError: the file cannot be written.
    """
    write_whole(path, evidence_lines(one for one in pairs if not one.certain).encode())


def evidence_lines(conflicts: Iterable[Pair]) -> str:
    """Conflicts as constraints with their evidence, `paper,reviewer,-1,evidence`, each pair once.

    The lines that somebody has checked can be declared: readers of constraints ignore the fourth column.
    """
    pairs: dict[tuple[str, str], str] = {}
    for one in conflicts:
        pairs.setdefault((one.submission, one.reviewer), one.evidence)
    return csv_text([*pair, -1, evidence] for pair, evidence in pairs.items())


def _quoted(name: str) -> str:
    """An id as a CSV field."""
    if not any(character in name for character in ',"\r\n'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
