"""Does a system order two papers as the participant's expertise does? Losses and accuracies over pairs of papers.

Definitions: Sections 5.1 and 7 and Appendix C of Stelmakh et al. (https://arxiv.org/abs/2303.16750). All are pooled:
numerator and denominator are summed over participants before they are divided, so that a participant weighs as much
as the pairs they can be wrong about. Scores have shape (draws, participants, papers), as laid out in the `Ratings`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.measures.bootstrap import Ratio
from eval.measures.expertise import Ratings

EXPERT = 4.0
NO_EXPERT = 2.0


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


def _pairs(ratings: Ratings, scores: NDArray[np.float64]) -> _Pairs:
    first, second = np.triu_indices(ratings.expertise.shape[1], 1)
    one, other = ratings.expertise[:, first], ratings.expertise[:, second]
    margin = (scores[..., first] - scores[..., second]) * np.sign(one - other)
    return _Pairs(first, second, np.maximum(one, other), np.minimum(one, other), margin)


def _loss(pairs: _Pairs, use: NDArray[np.bool_] | None) -> Ratio:
    weights = np.where(np.isnan(pairs.margin), 0.0, pairs.higher - pairs.lower)
    if use is not None:
        weights = weights * use
    losses = weights * ((pairs.margin < 0) + 0.5 * (pairs.margin == 0))
    return Ratio(losses.sum(axis=-1), weights.sum(axis=-1))


def _accuracy(pairs: _Pairs, use: NDArray[np.bool_]) -> Ratio:
    counted = use & ~np.isnan(pairs.margin)
    return Ratio((counted & (pairs.margin > 0)).sum(axis=-1) / 1.0, counted.sum(axis=-1) / 1.0)
