"""Scores and constraints as OpenReview's CSV files: `submission,reviewer,score` and `paper,reviewer,-1`, no header."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.parallel import ahead, cores, each
from indexing.tables.arrays import pack
from panelist.files import replacing, write_whole
from panelist.records import Conflict
from retriever.affinity.sparse import SparseScores

Packed = tuple[NDArray[np.uint8], NDArray[np.int64]]

_LINES = 1 << 17  # formatted at a time by one thread
_LARGEST = 1e12  # six decimals of more do not fit into an integer


def write_scores(scores: SparseScores, path: Path) -> None:
    """Write all pairs, submission by submission, best first, with six decimals; the file is complete or not there.

    Raises:
        InputError: the file cannot be written.
    """
    heads = [_quoted(submission) + "," for submission in scores.submissions]
    names = pack([_quoted(reviewer) + "," for reviewer in scores.reviewers])
    edges = [0, *(np.searchsorted(scores.starts, np.arange(_LINES, scores.starts[-1], _LINES)).tolist()), len(heads)]
    parts = [(start, stop) for start, stop in pairwise(edges) if start < stop]

    def lines(part: tuple[int, int]) -> NDArray[np.uint8]:
        return _format(scores, slice(*part), pack(heads[slice(*part)]), names)

    batches = [parts[first : first + 2 * cores()] for first in range(0, len(parts), 2 * cores())]
    with replacing(path) as part, part.open("wb") as file:
        for texts in ahead(lambda batch: each(lines, batch), batches):  # written while the next are formatted
            for text in texts:
                file.write(text.data)


def _format(scores: SparseScores, rows: slice, heads: Packed, names: Packed) -> NDArray[np.uint8]:
    """The lines of some submissions."""
    from retriever.affinity.kernels import format_lines

    starts = scores.starts[rows.start : rows.stop + 1]
    chosen = scores.reviewer[starts[0] : starts[-1]]
    clipped = np.clip(scores.scores[starts[0] : starts[-1]].astype(np.float64), -_LARGEST, _LARGEST)
    sizes = np.diff(heads[1])
    room = int((np.diff(starts) * (sizes + 28)).sum() + np.diff(names[1])[chosen].sum())
    text = np.empty(room, dtype=np.uint8)
    end = format_lines(*heads, *names, starts - starts[0], chosen, np.rint(clipped * 1e6).astype(np.int64), text)
    return text[:end]


def write_constraints(conflicts: Iterable[Conflict], path: Path) -> None:
    """Write who must not review what, each pair once.

    Raises:
        InputError: the file cannot be written.
    """
    pairs = dict.fromkeys((conflict.submission, conflict.reviewer) for conflict in conflicts)
    lines = StringIO()
    csv.writer(lines, lineterminator="\n").writerows([*pair, -1] for pair in pairs)
    write_whole(path, lines.getvalue().encode())


def _quoted(name: str) -> str:
    """An id as a CSV field."""
    if not any(character in name for character in ',"\r\n'):
        return name
    field = StringIO()
    csv.writer(field, lineterminator="").writerow([name])
    return field.getvalue()
