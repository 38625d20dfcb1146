"""Whether two rankings differ by more than noise, on the scale of similarity from 0 to 1.

The same text may get a vector that differs by 1e-7, with its batch or on another processor (docs/research/encoding.md),
and sums differ in their last bits: some 1e-6 there. People whose scores differ by less than `TOLERANCE` may change
places.
"""

from collections.abc import Sequence
from itertools import combinations

from retriever.aggregate import EXPERT, Aggregation

TOLERANCE = 1e-5


def difference(
    ranking: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]], aggregation: Aggregation = EXPERT
) -> str | None:
    """What two rankings, as (id, score) with the best first, disagree about beyond noise; None where they agree.

    Both are of the same query and `aggregation`.
    """
    if len(ranking) != len(other):
        return f"{len(ranking)} and {len(other)} people"
    scores = [
        dict(zip((key for key, _ in pairs), aggregation.relevance([score for _, score in pairs]), strict=True))
        for pairs in (ranking, other)
    ]
    lasts = [min(by_id.values(), default=0.0) for by_id in scores]
    for key in {**scores[0], **scores[1]}:
        # A person whom one ranking lacks may be just beyond its end.
        here, there = (by_id.get(key, last) for by_id, last in zip(scores, lasts, strict=True))
        if not _close(here, there):
            return f"'{key}' has {here} and {there}"
    ranks = {key: rank for rank, (key, _) in enumerate(other)}
    for (above, _), (below, _) in combinations([pair for pair in ranking if pair[0] in ranks], 2):
        if ranks[above] > ranks[below] and not _close(scores[0][above], scores[0][below]):
            return f"'{above}' and '{below}' change places"
    return None


def _close(score: float, other: float) -> bool:
    return abs(score - other) <= TOLERANCE * max(1.0, score, other)
