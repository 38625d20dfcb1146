"""The scores of a conference as JSON, written piece by piece: a million pairs never stand in memory as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import orjson
from msgspec.structs import asdict
from numpy.typing import NDArray

from panelist.corpus.documents import batches
from panelist.records import Conflict
from retriever.affinity.sparse import SparseScores
from retriever.confidence import confidence


def score_json(
    scores: SparseScores, near: NDArray[np.uint8] | None, papers: Sequence[int], conflicts: Iterable[Conflict]
) -> Iterator[bytes]:
    """`{"pairs": […], "reviewers": […], "conflicts": […]}`: pairs by submission, best first.

    Args:
        scores: of the pairs.
        near: how many near papers each of them rests on, where the model says so.
        papers: how many papers each reviewer's scores rest on.
        conflicts: certain and possible ones.
    """
    yield b'{"pairs":['
    counts = iter(near) if near is not None else repeat(None)
    pairs = (
        {
            "submission": submission,
            "reviewer": scores.reviewers[reviewer],
            "score": score,
            "near_papers": None if count is None else int(count),
            "confidence": None if count is None else confidence(int(count)),
        }
        for submission, reviewers, values in scores.rows()
        for reviewer, score, count in zip(reviewers.tolist(), values.tolist(), counts, strict=False)
    )
    yield from _joined(pairs)
    yield b'],"reviewers":['
    yield from _joined(
        {"reviewer": reviewer, "papers": count} for reviewer, count in zip(scores.reviewers, papers, strict=True)
    )
    yield b'],"conflicts":['
    yield from _joined(map(asdict, conflicts))
    yield b"]}"


def _joined(values: Iterable[Any]) -> Iterator[bytes]:
    """Values with commas between them, many at a time."""
    for number, piece in enumerate(batches(values, 4096)):
        yield (b"," if number else b"") + orjson.dumps(piece)[1:-1]
