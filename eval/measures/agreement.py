"""Whether two rankings differ by more than noise.

The same text may get a vector that differs by 1e-7, with its batch or on another processor (docs/research/encoding.md),
and sums differ in their last bits. So rankings are compared on the scale of similarity, from 0 to 1, where that noise
is some 1e-6: people whose scores differ by less than `TOLERANCE` there may change places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from retriever.aggregate import EXPERT, Aggregation

TOLERANCE = 1e-5


def difference(
    one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]], aggregation: Aggregation = EXPERT
) -> str | None:
    """What two rankings, as (id, score) with the best first, disagree about beyond noise; None where they agree.

    Both are of the same query and `aggregation`.
    """
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} people"
    scores = [
        dict(zip((key for key, _ in ranking), aggregation.relevance([score for _, score in ranking]), strict=True))
        for ranking in (one, other)
    ]
    lasts = [min(known.values(), default=0.0) for known in scores]
    for key in {**scores[0], **scores[1]}:
        # A person whom one ranking lacks may be just beyond its end.
        here, there = (known.get(key, last) for known, last in zip(scores, lasts, strict=True))
        if not _close(here, there):
            return f"'{key}' has {here} and {there}"
    ranks = {key: rank for rank, (key, _) in enumerate(other)}
    for (above, _), (below, _) in combinations([pair for pair in one if pair[0] in ranks], 2):
        if ranks[above] > ranks[below] and not _close(scores[0][above], scores[0][below]):
            return f"'{above}' and '{below}' change places"
    return None


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE * max(1.0, one, other)
