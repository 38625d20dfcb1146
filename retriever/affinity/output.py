"""Scores as OpenReview's CSV file: `submission,reviewer,score` without a header.

Scores keep their full precision: each is the shortest number that reads back as the same float.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.parallel import cores, map_parallel, prefetch
from indexing.tables.arrays import pack
from panelist.files import replacing
from retriever.affinity.kernels.output import join_lines
from retriever.affinity.sparse import SparseScores

Values = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.uint8]
Packed = tuple[NDArray[np.uint8], NDArray[np.int64]]


_LINES = 1 << 17  # formatted at a time by one thread


def write_scores(scores: SparseScores, path: Path, values: Values | None = None) -> None:
    """Write all pairs, submission by submission, best first, with their scores or these values of each.

    The file is complete or not there.

    Raises:
        InputError: the file cannot be written.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        for text in score_lines(scores, values):
            file.write(text)


def score_lines(scores: SparseScores, values: Values | None = None) -> Iterator[bytes]:
    """The lines of all pairs, many at a time; the next ones are formatted while the caller uses the last."""
    values = scores.scores if values is None else values
    heads = [_quoted(submission) + "," for submission in scores.submissions]
    names = pack([_quoted(reviewer) + "," for reviewer in scores.reviewers])
    edges = [0, *(np.searchsorted(scores.starts, np.arange(_LINES, scores.starts[-1], _LINES)).tolist()), len(heads)]
    parts = [slice(start, stop) for start, stop in pairwise(edges) if start < stop]
    batches = [parts[start : start + 2 * cores()] for start in range(0, len(parts), 2 * cores())]
    for texts in prefetch(
        lambda batch: map_parallel(lambda rows: _format(scores, values, rows, pack(heads[rows]), names), batch), batches
    ):
        for text in texts:
            yield text.tobytes()


def _format(scores: SparseScores, values: Values, rows: slice, heads: Packed, names: Packed) -> NDArray[np.uint8]:
    """The lines of some submissions."""
    starts = scores.starts[rows.start : rows.stop + 1]
    chosen = scores.reviewer[starts[0] : starts[-1]]
    chosen_values = np.ascontiguousarray(values[starts[0] : starts[-1]])
    numbers = np.frombuffer(orjson.dumps(chosen_values, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1] + b",", dtype=np.uint8)
    size = int((np.diff(starts) * np.diff(heads[1])).sum() + np.diff(names[1])[chosen].sum()) + len(numbers)
    text = np.empty(size, dtype=np.uint8)
    end = join_lines(*heads, *names, starts - starts[0], chosen, numbers, text)
    return text[:end]


def _quoted(name: str) -> str:
    """An id as a CSV field."""
    if not any(character in name for character in ',"\r\n'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
