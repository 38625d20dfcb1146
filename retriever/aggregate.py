"""Aggregation: the papers that a search found become a ranking of unique authors.

Every retrieved paper votes for each of its authors. A vote weighs

    v = w · s^p        s: the paper's fused score in [0, 1];  p: `sharpness`;  w: `last_author_weight`, else 1

and an author's score is the votes for them, pooled (`retriever.pooling`, in its sum form). The power makes good
papers count out of proportion, as the exponential does in the voting models expCombSUM and expCombMNZ of expert search
(Macdonald & Ounis 2006), but on a scale from 0 to 1. In many fields the last author leads the group, and is
likelier to be asked for a review; where a field orders authors by alphabet, use a weight of 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indexing.parallel import map_parallel
from indexing.tables.ownership import Ownership
from retriever.pooling import Pooling
from retriever.stages import Candidates, RankedAuthors

Lift = Callable[[NDArray[np.int32], NDArray[np.float64]], NDArray[np.float64]]
"""Authors and their scores to new scores."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How votes are weighed and pooled: with the defaults, every vote weighs what its paper scored."""

    pooling: Pooling
    sharpness: float = 1.0
    last_author_weight: float = 1.0

    @classmethod
    def named(cls, name: str) -> Aggregation:
        """`expert`, the default of look-up, or one of the plain pooling rules.

        Raises:
            InputError: there is no such rule.
        """
        return EXPERT if name == "expert" else cls(Pooling.parse(name))

    def relevance(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Scores of authors, in the same order, on the scale of similarities: the power of `sharpness` undone.

        Sharpened scores fall so fast that beside them any difference in diversity would outweigh relevance.
        """
        return np.asarray(scores, dtype=np.float64) ** (1 / self.sharpness)

    def raised(self, scores: NDArray[np.float64], gains: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores after these gains in relevance; who gains nothing keeps theirs to the last bit."""
        rows = np.flatnonzero(gains)
        raised = scores.copy()
        raised[rows] = (self.relevance(scores[rows]) + gains[rows]) ** self.sharpness
        return raised


EXPERT = Aggregation(Pooling("top", 3), sharpness=5.0, last_author_weight=1.75)
"""What was good on real reviewers (eLife's development split) and on the ACL Anthology: docs/research/ranking.md."""


def aggregate(
    candidates: Sequence[Candidates],
    ownership: Ownership,
    aggregation: Aggregation = EXPERT,
    *,
    allowed: NDArray[np.bool_] | None = None,
    lifts: Sequence[Sequence[Lift]] | None = None,
) -> list[RankedAuthors]:
    """Rank the authors of the candidates of every query.

    `allowed` is a mask over authors; `lifts` change the scores of a query's authors before they are ranked.
    """
    mask = np.zeros(0, np.bool_) if allowed is None else allowed
    queries = list(zip(candidates, lifts or [()] * len(candidates), strict=True))
    return map_parallel(lambda query: _rank(query[0], ownership, aggregation, mask, query[1]), queries)


def _rank(
    candidates: Candidates,
    ownership: Ownership,
    aggregation: Aggregation,
    allowed: NDArray[np.bool_],
    lifts: Sequence[Lift],
) -> RankedAuthors:
    from retriever.kernels.aggregate import arrange, falling, group_votes, mean_of_best

    pooling = aggregation.pooling
    authors, starts, votes, weights = group_votes(
        np.ascontiguousarray(candidates.units),
        np.ascontiguousarray(candidates.scores),
        *(float(aggregation.sharpness), ownership.unit_starts, ownership.unit_authors),
        *(np.float32(aggregation.last_author_weight), allowed),
    )
    if pooling.rule == "top":
        scores = mean_of_best(weights, starts, int(pooling.parameter))
    else:
        scores = pooling.pool(weights, starts, mean=False)
    for lift in lifts:
        scores = lift(authors, scores)
    # Papers of people who may be lifted have co-authors without any score: many, and nobody's candidates.
    rows = np.flatnonzero(scores > 0) if lifts else np.arange(len(scores))
    # Ties of `max` go to the author with more papers; all others, and what is left, to the smaller author number.
    if pooling.rule == "max":
        ranking = rows[np.lexsort((authors[rows], -np.diff(starts)[rows], -scores[rows]))]
    else:
        ranking = rows[falling(scores[rows], authors[rows])]
    return RankedAuthors(
        candidates, authors[ranking], scores[ranking], pooling.counted(), *arrange(ranking, starts, votes, weights)
    )
