"""The scores of a conference as JSON, written piece by piece: a million pairs never stand in memory as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson
from msgspec.structs import asdict

from panelist.corpus.documents import batches
from panelist.records import Conflict
from retriever.affinity.confidence import Confidence
from retriever.affinity.sparse import SparseScores


def score_json(scores: SparseScores, papers: Sequence[int], conflicts: Iterable[Conflict]) -> Iterator[bytes]:
    """`{"pairs": […], "reviewers": […], "conflicts": […]}`: pairs by submission, best first.

    Args:
        scores: of the pairs.
        papers: how many papers each reviewer's scores rest on.
        conflicts: certain and possible ones.
    """
    yield b'{"pairs":['
    pairs = (
        {"submission": submission, "reviewer": scores.reviewers[reviewer], "score": score}
        for submission, reviewers, values in scores.rows()
        for reviewer, score in zip(reviewers.tolist(), values.tolist(), strict=True)
    )
    yield from _joined(pairs)
    yield b'],"reviewers":['
    yield from _joined(
        {"reviewer": reviewer, "papers": count, "confidence": Confidence.of(count)}
        for reviewer, count in zip(scores.reviewers, papers, strict=True)
    )
    yield b'],"conflicts":['
    yield from _joined(map(asdict, conflicts))
    yield b"]}"


def _joined(values: Iterable[Any]) -> Iterator[bytes]:
    """Values with commas between them, many at a time."""
    for number, piece in enumerate(batches(values, 4096)):
        yield (b"," if number else b"") + orjson.dumps(piece)[1:-1]
