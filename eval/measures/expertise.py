"""What people say of their own expertise, and how well the scores of a system agree with it.

The measures are those of Stelmakh et al., *A Gold Standard Dataset for the Reviewer Assignment Problem*
(https://arxiv.org/abs/2303.16750). Scores have shape (draws, participants, papers), as laid out in the `Ratings`.

Order of pairs (Sections 5.1 and 7): does a system order two papers as the participant's expertise does? Losses and
accuracies are pooled: numerator and denominator are summed over participants before they are divided, so that a
participant weighs as much as the pairs that a system can get wrong.

Top of the list (Appendix C): Rₖ are the k papers that a participant v is most expert in, Aₖ those that a system scores
highest, ρ(p) is the rank of p in the system's ranking and m the number of papers of v. The printed Tables 6–9 are
reproduced with these readings:

- The formula for MRR@k lacks the reciprocal, and its mean is over the min(k, m) papers that exist, not over k.
- Precision@k divides by k even where the participant has fewer papers, as the formula says.
- Papers of equal expertise are ranked in the order in which the participant named them.

Papers with equal scores, which the formulae do not mention, are ranked by id: the order of naming would give the answer
away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.measures.statistics import Ratio

EXPERT = 4.0
NO_EXPERT = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Self-reported expertise of papers, both (participants, most papers) in the order of naming.

    Rows are participants, padded with NaN (and empty ids) to the longest list.
    """

    participants: tuple[str, ...]
    papers: NDArray[np.str_]
    expertise: NDArray[np.float64]

    @classmethod
    def of(cls, ratings: Mapping[str, Mapping[str, float]]) -> Ratings:
        """Lay out {participant: {paper: expertise}} as arrays."""
        longest = max(map(len, ratings.values()))
        papers = [[*named, *[""] * (longest - len(named))] for named in ratings.values()]
        expertise = [[*named.values(), *[np.nan] * (longest - len(named))] for named in ratings.values()]
        return cls(tuple(ratings), np.array(papers, dtype=np.str_), np.array(expertise, dtype=np.float64))

    def __len__(self) -> int:
        """How many ratings there are."""
        return int(np.count_nonzero(~np.isnan(self.expertise)))

    def restrict(self, rated: NDArray[np.bool_]) -> tuple[Ratings, NDArray[np.int64]]:
        """Only the ratings where `rated` is true, of the participants who have any; and the rows of these."""
        rows = np.flatnonzero((rated & ~np.isnan(self.expertise)).any(axis=1))
        expertise = np.where(rated, self.expertise, np.nan)[rows]
        return Ratings(tuple(self.participants[row] for row in rows), self.papers[rows], expertise), rows

    def reported_ranks(self) -> NDArray[np.int64]:
        """(participants, papers): rank of each paper by expertise from 0, ties in the order of naming."""
        return _ranks(np.argsort(-self.expertise, axis=-1, kind="stable"))

    def predicted_ranks(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """(draws, participants, papers): rank of each rated paper by score from 0, ties by id."""
        ids = np.broadcast_to(_ranks(np.argsort(self.papers, axis=-1)), scores.shape)
        return _ranks(np.lexsort((ids, -np.where(np.isnan(self.expertise), -np.inf, scores)), axis=-1))


class _Pairs(NamedTuple):
    """All pairs of papers of a participant; NaN where there is no such pair.

    `margin` > 0 means that the scores order the pair as the expertise does, 0 that the scores are tied.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    higher: NDArray[np.float64]
    lower: NDArray[np.float64]
    margin: NDArray[np.float64]


def kendall_loss(ratings: Ratings, scores: NDArray[np.float64]) -> Ratio:
    """Weighted Kendall-tau loss: Σ |Δε|·([wrong order] + ½·[tied scores]) / Σ |Δε| over all pairs; 0 best, 1 worst."""
    return _loss(_pairs(ratings, scores), None)


def kendall_loss_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """WKTD@k: the loss over the pairs of which one paper, or both, is among the k that the *system* scores highest.

    Appendix C defines these pairs by the participant's own k best papers; Tables 6–9 are reproduced with the system's
    (by the written definition TPMS would have .21 at k = 1, the table prints .29).
    """
    top = ratings.predicted_ranks(scores) < k
    pairs = _pairs(ratings, scores)
    return _loss(pairs, top[..., pairs.first] | top[..., pairs.second])


def easy_accuracy(ratings: Ratings, scores: NDArray[np.float64]) -> Ratio:
    """Share of pairs in the right order among those with one expertise ≥ 4 and the other ≤ 2; a tie is not right."""
    pairs = _pairs(ratings, scores)
    return _accuracy(pairs, (pairs.higher >= EXPERT) & (pairs.lower <= NO_EXPERT))


def hard_accuracy(ratings: Ratings, scores: NDArray[np.float64]) -> Ratio:
    """Share of pairs in the right order among those of different expertise, both ≥ 4; a tie is not right."""
    pairs = _pairs(ratings, scores)
    return _accuracy(pairs, (pairs.lower >= EXPERT) & (pairs.higher > pairs.lower))


def mrr_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """MRR@k = 1/min(k, m) · Σ_{p ∈ Rₖ} 1/ρ(p), mean over participants."""
    top = _rated(ratings) & (ratings.reported_ranks() < k)
    reciprocal = np.where(top, 1 / (1 + ratings.predicted_ranks(scores)), 0.0)
    return Ratio.mean(reciprocal.sum(axis=-1) / top.sum(axis=-1))


def ndcg_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """NDCG@k with the expertise itself as gain: DCG of Aₖ over DCG of Rₖ, mean over participants."""
    gains = np.nan_to_num(ratings.expertise)
    achieved = _dcg(gains, ratings.predicted_ranks(scores), k)
    return Ratio.mean(achieved / _dcg(gains, ratings.reported_ranks(), k))


def precision_at(ratings: Ratings, scores: NDArray[np.float64], k: int) -> Ratio:
    """Precision@k = |Rₖ ∩ Aₖ| / k, mean over participants."""
    common = _rated(ratings) & (ratings.reported_ranks() < k) & (ratings.predicted_ranks(scores) < k)
    return Ratio.mean(common.sum(axis=-1) / k)


def _pairs(ratings: Ratings, scores: NDArray[np.float64]) -> _Pairs:
    first, second = np.triu_indices(ratings.expertise.shape[1], 1)
    left, right = ratings.expertise[:, first], ratings.expertise[:, second]
    margin = (scores[..., first] - scores[..., second]) * np.sign(left - right)
    return _Pairs(first, second, np.maximum(left, right), np.minimum(left, right), margin)


def _loss(pairs: _Pairs, use: NDArray[np.bool_] | None) -> Ratio:
    weights = np.where(np.isnan(pairs.margin), 0.0, pairs.higher - pairs.lower)
    if use is not None:
        weights = weights * use
    losses = weights * ((pairs.margin < 0) + 0.5 * (pairs.margin == 0))
    return Ratio(losses.sum(axis=-1), weights.sum(axis=-1))


def _accuracy(pairs: _Pairs, use: NDArray[np.bool_]) -> Ratio:
    counted = use & ~np.isnan(pairs.margin)
    return Ratio((counted & (pairs.margin > 0)).sum(axis=-1) / 1.0, counted.sum(axis=-1) / 1.0)


def _rated(ratings: Ratings) -> NDArray[np.bool_]:
    return ~np.isnan(ratings.expertise)


def _dcg(gains: NDArray[np.float64], ranks: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    discounted: NDArray[np.float64] = np.where(ranks < k, gains / np.log2(ranks + 2), 0.0).sum(axis=-1)
    return discounted


def _ranks(order: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.argsort(order, axis=-1)
