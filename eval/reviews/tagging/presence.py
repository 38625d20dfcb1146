"""Which aspects a review has at all, from the probabilities of its sentences.

The probability is a logistic function of the log-odds of the surest sentence, of the logarithm of the expected number
of sentences about the aspect, and of the review's length. One threshold for all aspects has the best micro F1. A review
is said to leave an aspect out only below a probability under which nine in ten such statements were true; in between,
nothing is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.decisions import best_threshold

_TRUE_OMISSIONS = 0.9  # of the statements that an aspect is left out
_FEWEST = 20  # such statements, or no threshold can be learned
_THRESHOLDS = np.linspace(0.2, 0.7, 51)


def fit_presence(
    classes: tuple[str, ...], found: NDArray[Any], wanted: NDArray[Any], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """Weights and thresholds.

    Args:
        classes: the aspects.
        found: (sentences, aspects) probabilities.
        wanted: (sentences, aspects) 0 or 1.
        starts: (reviews + 1,) where each review begins.
    """
    from sklearn.linear_model import LogisticRegression

    seen, has = _seen(found, starts), per_review(wanted, starts) > 0
    chances = np.zeros(has.shape)
    decided: dict[str, Any] = {"aspects": {}}
    for column, name in enumerate(classes):
        model = LogisticRegression(C=1.0).fit(seen[:, column], has[:, column])
        chances[:, column] = model.predict_proba(seen[:, column])[:, 1]
        decided["aspects"][name] = {
            "weights": [round(float(weight), 4) for weight in model.coef_[0]],
            "offset": round(float(model.intercept_[0]), 4),
            "absent": round(_absent_below(has[:, column], chances[:, column]), 4),
        }
    decided["present"] = round(best_threshold(has, chances, _THRESHOLDS), 4)
    return decided


def presence(decided: dict[str, Any], classes: tuple[str, ...], found: NDArray[Any]) -> dict[str, float]:
    """The probability that a review with these sentences, (sentences, aspects), has each aspect."""
    if not len(found):
        return dict.fromkeys(classes, 0.0)
    seen = _seen(found, np.array([0, len(found)]))[0]
    chances = {}
    for column, name in enumerate(classes):
        learned = decided["aspects"][name]
        chances[name] = float(1 / (1 + np.exp(-(seen[column] @ learned["weights"] + learned["offset"]))))
    return chances


def per_review(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """(reviews, columns): the greatest value of each review, which must have a sentence."""
    return np.maximum.reduceat(values, starts[:-1], axis=0)


def _seen(found: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(reviews, aspects, 3): surest sentence, expected number of sentences, length."""
    surest = np.clip(per_review(found.astype(np.float64), starts), 1e-4, 1 - 1e-4)
    expected = np.add.reduceat(found.astype(np.float64), starts[:-1], axis=0)
    length = np.broadcast_to(np.log(np.diff(starts))[:, None], surest.shape)
    return np.stack([np.log(surest / (1 - surest)), np.log(expected + 0.01), length], axis=2)


def _absent_below(has: NDArray[np.bool_], chances: NDArray[Any]) -> float:
    """The largest probability below which enough reviews really lack the aspect; 0 where there is none."""
    order = np.argsort(chances, kind="stable")
    lacking = np.cumsum(~has[order]) / np.arange(1, len(has) + 1)
    enough = np.flatnonzero((lacking >= _TRUE_OMISSIONS) & (np.arange(1, len(has) + 1) >= _FEWEST))
    return float(chances[order[enough[-1]]]) if len(enough) else 0.0
