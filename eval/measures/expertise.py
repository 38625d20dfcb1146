"""What people say of their own expertise, and how well a system's best papers for them are theirs.

MRR@k, NDCG@k and Precision@k are those of Appendix C of Stelmakh et al., *A Gold Standard Dataset for the Reviewer
Assignment Problem* (https://arxiv.org/abs/2303.16750). Rₖ are the k papers a participant v is most expert in, Aₖ those
a system scores highest, ρ(p) is the place of p in the system's ranking and m the number of papers of v. The printed
Tables 6–9 are reproduced with these readings:

- The formula for MRR@k lacks the reciprocal, and its mean is over the min(k, m) papers there are, not over k.
- Precision@k divides by k even where the participant has fewer papers, as the formula says.
- Papers of equal expertise are ranked in the order in which the participant named them.

Papers with equal scores, of which the formulae say nothing, are ranked by id: the order of naming is telling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.measures.bootstrap import Ratio


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Self-reported expertise; rows are participants, padded with NaN (and empty ids) to the longest list.

    Attributes:
        participants: ids, one a row.
        papers: (participants, most papers) ids in the order of naming.
        expertise: (participants, most papers).
    """

    participants: tuple[str, ...]
    papers: NDArray[np.str_]
    expertise: NDArray[np.float64]

    @classmethod
    def of(cls, ratings: Mapping[str, Mapping[str, float]]) -> Ratings:
        """From {participant: {paper: expertise}}."""
        longest = max(map(len, ratings.values()))
        papers = [[*given, *[""] * (longest - len(given))] for given in ratings.values()]
        expertise = [[*given.values(), *[np.nan] * (longest - len(given))] for given in ratings.values()]
        return cls(tuple(ratings), np.array(papers, dtype=np.str_), np.array(expertise, dtype=np.float64))

    def __len__(self) -> int:
        """How many ratings there are."""
        return int(np.count_nonzero(~np.isnan(self.expertise)))

    def restrict(self, rated: NDArray[np.bool_]) -> tuple[Ratings, NDArray[np.int64]]:
        """Only the ratings where `rated` holds, of the participants who have any; and the rows of these."""
        rows = np.flatnonzero((rated & ~np.isnan(self.expertise)).any(axis=1))
        expertise = np.where(rated, self.expertise, np.nan)[rows]
        return Ratings(tuple(self.participants[row] for row in rows), self.papers[rows], expertise), rows

    def reported_ranks(self) -> NDArray[np.int64]:
        """(participants, papers): place of each paper by expertise from 0, ties in the order of naming."""
        return _ranks(np.argsort(-self.expertise, axis=-1, kind="stable"))

    def predicted_ranks(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """(draws, participants, papers): place of each rated paper by score from 0, ties by id."""
        ids = np.broadcast_to(_ranks(np.argsort(self.papers, axis=-1)), scores.shape)
        return _ranks(np.lexsort((ids, -np.where(np.isnan(self.expertise), -np.inf, scores)), axis=-1))


def mrr_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """MRR@k = 1/min(k, m) · Σ_{p ∈ Rₖ} 1/ρ(p), mean over participants.

    Args:
        ratings: what the participants said.
        scores: (draws, participants, papers), as laid out in `ratings`.
        k: the cut-off.
    """
    top = _rated(ratings) & (ratings.reported_ranks() < k)
    reciprocal = np.where(top, 1 / (1 + ratings.predicted_ranks(scores)), 0.0)
    return _mean(reciprocal.sum(axis=-1) / top.sum(axis=-1))


def ndcg_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """NDCG@k with the expertise itself as gain: DCG of Aₖ over DCG of Rₖ, mean over participants."""
    gains = np.nan_to_num(ratings.expertise)
    achieved = _dcg(gains, ratings.predicted_ranks(scores), k)
    return _mean(achieved / _dcg(gains, ratings.reported_ranks(), k))


def precision_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """Precision@k = |Rₖ ∩ Aₖ| / k, mean over participants."""
    common = _rated(ratings) & (ratings.reported_ranks() < k) & (ratings.predicted_ranks(scores) < k)
    return _mean(common.sum(axis=-1) / k)


def _rated(ratings: Ratings) -> NDArray[np.bool_]:
    return ~np.isnan(ratings.expertise)


def _dcg(gains: NDArray[np.float64], ranks: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    discounted: NDArray[np.float64] = np.where(ranks < k, gains / np.log2(ranks + 2), 0.0).sum(axis=-1)
    return discounted


def _mean(values: NDArray[np.float64]) -> Ratio:
    return Ratio(values, np.ones_like(values))


def _ranks(order: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.argsort(order, axis=-1)
