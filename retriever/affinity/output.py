"""Scores and constraints as OpenReview's CSV files: `submission,reviewer,score` and `paper,reviewer,-1`, no header."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TextIO

import orjson

from panelist.errors import InputError
from panelist.records import Conflict
from retriever.affinity.matrix import SparseScores


def write_scores(scores: SparseScores, path: Path) -> None:
    """Write all pairs, submission by submission, best first; the file is complete or it is not there.

    Raises:
        InputError: the file cannot be written.
    """
    names = [_quoted(reviewer) for reviewer in scores.reviewers]
    with _whole(path) as file:
        for submission, reviewers, values in scores.rows():
            first = _quoted(submission)
            texts = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].decode().split(",")  # shortest forms
            pairs = zip(reviewers.tolist(), texts, strict=False)  # no pairs at all split into one empty text
            file.write("".join([f"{first},{names[reviewer]},{text}\n" for reviewer, text in pairs]))


def write_constraints(conflicts: Iterable[Conflict], path: Path) -> None:
    """Write who must not review what, each pair once.

    Raises:
        InputError: the file cannot be written.
    """
    pairs = dict.fromkeys((conflict.submission, conflict.reviewer) for conflict in conflicts)
    with _whole(path) as file:
        csv.writer(file, lineterminator="\n").writerows([*pair, -1] for pair in pairs)


def _quoted(name: str) -> str:
    """An id as a CSV field."""
    if not any(character in name for character in ',"\r\n'):
        return name
    field = StringIO()
    csv.writer(field, lineterminator="").writerow([name])
    return field.getvalue()


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A file that appears under its name when it is complete."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
