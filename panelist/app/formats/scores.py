"""The scores of a conference as JSON, written piece by piece: a million pairs never stand in memory as objects."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import orjson
from msgspec.structs import asdict

from panelist.corpus.documents import batches
from retriever.affinity.scoring import ScoredConference
from retriever.conference.conflicts.table import ConflictTable
from retriever.confidence import confidence


def score_json(scored: ScoredConference, papers: Sequence[int], table: ConflictTable) -> Iterator[bytes]:
    """`{"pairs": […], "reviewers": […], "conflicts": […], "unchecked": […]}`: pairs by submission, best first."""
    scores, near = scored.scores, scored.near_papers
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
    yield from _joined(asdict(pair.reasons[0]) for pair in table)
    yield b'],"unchecked":' + orjson.dumps(table.header.unchecked) + b"}"


def _joined(values: Iterable[Any]) -> Iterator[bytes]:
    """Values with commas between them, many at a time."""
    for number, piece in enumerate(batches(values, 4096)):
        yield (b"," if number else b"") + orjson.dumps(piece)[1:-1]
