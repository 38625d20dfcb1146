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

from indexing.compiled import kernels, worthwhile
from indexing.hits import falling, rising
from indexing.parallel import each
from indexing.tables.ownership import Ownership, gather_rows
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


EXPERT = Aggregation(Pooling("top", 3), sharpness=5.0, last_author_weight=1.75)
"""What was good on real reviewers (eLife's development split) and on the ACL Anthology: see docs/lookup.md."""


@dataclass(frozen=True, slots=True)
class RankedAuthors:
    """The authors found for one query, best first, ties by ascending author number (that is, by id).

    Attributes:
        authors: int32 author numbers.
        scores: float64.
        vote_starts: (authors + 1) int64: where the votes for each of `authors` begin and end.
        votes: int64 places in the candidates, best vote first.
        weights: float32, how much each of `votes` weighs.
    """

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
) -> list[RankedAuthors]:
    """Rank the authors of the candidates of every query.

    Args:
        candidates: what was found.
        ownership: who wrote it.
        aggregation: how to weigh and pool.
        allowed: (authors) a mask: only these are ranked.
    """
    rank = _rank_compiled if worthwhile(len(candidates)) else _rank
    return each(lambda query: rank(candidates, query, ownership, aggregation, allowed), range(len(candidates)))


def _rank(
    candidates: Candidates,
    query: int,
    ownership: Ownership,
    aggregation: Aggregation,
    allowed: NDArray[np.bool_] | None,
) -> RankedAuthors:
    """The authors of one query."""
    own = slice(candidates.starts[query], candidates.starts[query + 1])
    votes, authors = ownership.pairs(candidates.units[own])
    weights = (candidates.scores[own] ** np.float32(aggregation.sharpness))[votes]
    if aggregation.last_author_weight != 1:
        last = np.append(votes[1:] != votes[:-1], True)[: len(votes)]
        weights[last] *= np.float32(aggregation.last_author_weight)
    if allowed is not None:
        kept = allowed[authors]
        votes, authors, weights = votes[kept], authors[kept], weights[kept]

    # One segment for each author, the heaviest vote first.
    order = falling(weights, np.arange(len(weights)))
    order = order[rising(authors[order])]
    authors, votes, weights = authors[order], votes[order], weights[order]
    begins = np.flatnonzero(np.append(True, authors[1:] != authors[:-1])[: len(authors)])
    segments = np.append(begins, len(authors))
    scores = aggregation.pooling.pool(weights, segments, mean=False)

    # Ties of `max` go to the author with more papers; all others, and what is left, to the smaller author number.
    lengths = np.diff(segments)
    ranking = (
        np.lexsort((-lengths, -scores)) if aggregation.pooling.rule == "max" else np.argsort(-scores, kind="stable")
    )
    places, lengths = gather_rows(segments, ranking)
    return RankedAuthors(
        authors[begins][ranking].astype(np.int32, copy=False),
        scores[ranking],
        np.append(0, np.cumsum(lengths)),
        votes[places] + own.start,
        weights[places],
    )


def _rank_compiled(
    candidates: Candidates,
    query: int,
    ownership: Ownership,
    aggregation: Aggregation,
    allowed: NDArray[np.bool_] | None,
) -> RankedAuthors:
    """The same as `_rank`, to the last bit: votes are distributed instead of sorted, and only authors are sorted."""
    voting = kernels("retriever.voting")
    own = slice(candidates.starts[query], candidates.starts[query + 1])
    authors, segments, votes, weights = voting.group_votes(
        candidates.units[own],
        candidates.scores[own] ** np.float32(aggregation.sharpness),
        *(ownership.unit_starts, ownership.unit_authors),
        np.float32(aggregation.last_author_weight),
        np.zeros(0, np.bool_) if allowed is None else allowed,
    )
    pooling = aggregation.pooling
    scores = (
        voting.best(weights, segments, int(pooling.parameter))
        if pooling.rule == "top"
        else pooling.pool(weights, segments, mean=False)
    )
    ranking = (
        np.lexsort((authors, -np.diff(segments), -scores)) if pooling.rule == "max" else voting.falling(scores, authors)
    )
    starts, votes, weights = voting.arrange(ranking, segments, votes, weights)
    return RankedAuthors(authors[ranking], scores[ranking], starts, votes + own.start, weights)
