"""Scores and constraints as OpenReview's CSV files: `submission,reviewer,score` and `paper,reviewer,-1`, no header."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from indexing.arrays import pack
from indexing.parallel import ahead, cores, each
from panelist.errors import InputError
from panelist.records import Conflict
from retriever.affinity.matrix import SparseScores

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
    with _whole(path) as file:
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
    with _whole(path) as file:
        file.write(lines.getvalue().encode())


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done and not after it.

    Raises:
        InputError: it is a directory, or its directory is not there or closed.
    """
    if path.is_dir():
        raise InputError(f"cannot write '{path}': it is a directory")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write '{path}': '{path.parent}' is no directory that can be written to")


def _quoted(name: str) -> str:
    """An id as a CSV field."""
    if not any(character in name for character in ',"\r\n'):
        return name
    field = StringIO()
    csv.writer(field, lineterminator="").writerow([name])
    return field.getvalue()


@contextmanager
def _whole(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when it is complete."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
