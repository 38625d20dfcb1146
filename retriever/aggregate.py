"""Aggregation: the papers that a search found become a ranking of unique authors. Array work on the ownership table.

Every retrieved paper votes for each of its authors. A vote weighs

    v = w · s^p        s: the paper's fused score in [0, 1];  p: `sharpness`;  w: `last_author_weight`, else 1

and an author's score is the votes for them, pooled (`retriever.pooling`, in its sum form). The power makes good
papers count out of proportion, as the exponential does in the voting models expCombSUM and expCombMNZ of expert search
(Macdonald & Ounis 2006), but on a scale from 0 to 1. The last place in an author list is where many fields put the
group's leader, who is likelier to be asked for a review; where a field orders authors by alphabet, use a weight of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.ownership import Ownership
from retriever.candidates import Candidates
from retriever.pooling import Pooling


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

    def relevance(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of authors, in the same order, on the scale of similarities: the power of `sharpness` taken back.

        Sharpened scores fall so fast that beside them any difference in diversity would outweigh relevance.
        """
        return np.asarray(scores ** (1 / self.sharpness), dtype=np.float64)


EXPERT = Aggregation(Pooling("sum"), sharpness=5.0, last_author_weight=1.75)
"""What was best on real reviewers (eLife's development split): see docs/lookup.md for what was tried."""


@dataclass(frozen=True, slots=True)
class RankedAuthors:
    """The authors found for each query, best first, ties by ascending author number (that is, by id).

    Attributes:
        starts: (queries + 1) int64: the authors of query q are at `starts[q]:starts[q + 1]`.
        authors: int32 author numbers.
        scores: float64.
        vote_starts: (authors + 1) int64: where the votes for each of `authors` begin and end.
        votes: int64 places in the candidates, best vote first.
        weights: float32, how much each of `votes` weighs.
    """

    starts: NDArray[np.int64]
    authors: NDArray[np.int32]
    scores: NDArray[np.float64]
    vote_starts: NDArray[np.int64]
    votes: NDArray[np.int64]
    weights: NDArray[np.float32]


def aggregate(
    candidates: Candidates,
    ownership: Ownership,
    aggregation: Aggregation = EXPERT,
    *,
    allowed: NDArray[np.bool_] | None = None,
) -> RankedAuthors:
    """Rank the authors of the candidates of every query.

    Args:
        candidates: what was found.
        ownership: who wrote it.
        aggregation: how to weigh and pool.
        allowed: (authors) a mask: only these are ranked.
    """
    votes, authors = ownership.pairs(candidates.units)
    weights = candidates.scores[votes] ** np.float32(aggregation.sharpness)
    if aggregation.last_author_weight != 1:
        last = np.append(votes[1:] != votes[:-1], True)[: len(votes)]
        weights[last] *= np.float32(aggregation.last_author_weight)
    if allowed is not None:
        kept = allowed[authors]
        votes, authors, weights = votes[kept], authors[kept], weights[kept]

    # One segment for each (query, author), the heaviest vote first.
    count = len(ownership.author_ids)
    keys = candidates.rows()[votes] * count + authors
    order = np.lexsort((-weights, keys))
    keys, votes, weights = keys[order], votes[order], weights[order]
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    segments = np.append(begins, len(keys))
    scores = aggregation.pooling.pool(weights, segments, mean=False)

    # Ties of `max` go to the author with more papers; all others, and what is left, to the smaller author number.
    rows, owners = np.divmod(keys[begins], max(count, 1))
    frequency = np.diff(segments) if aggregation.pooling.rule == "max" else np.zeros(len(begins), np.int64)
    ranking = np.lexsort((owners, -frequency, -scores, rows))
    lengths = np.diff(segments)[ranking]
    vote_starts = np.append(0, np.cumsum(lengths))
    places = np.repeat(begins[ranking] - vote_starts[:-1], lengths) + np.arange(len(keys))
    return RankedAuthors(
        np.searchsorted(rows, np.arange(len(candidates) + 1)),
        owners[ranking].astype(np.int32),
        scores[ranking],
        vote_starts,
        votes[places],
        weights[places],
    )
