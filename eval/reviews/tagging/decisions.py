"""From probabilities to tags: thresholds, and when to say nothing. All of it is learned from held-out opinions.

- An aspect is tagged from the threshold on that has the best F1 on sentences.
- The answer of an exclusive task is the class with the largest probability after a correction: rare classes are raised
  by the part of their rarity that has the best macro F1. The tagger abstains where that is less than half.
- Which aspects a review has at all: the probability is a logistic function of the log-odds of the surest sentence, of
  the logarithm of the expected number of sentences about the aspect, and of the review's length. One threshold for all
  aspects has the best micro F1. A review is said to leave an aspect out only below a probability under which nine in
  ten such statements were true; in between, nothing is said.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

ABSTAIN = 0.5
_SENTENCE_THRESHOLDS = np.linspace(0.02, 0.9, 89)
_TRUE_OMISSIONS = 0.9  # share of statements that an aspect is left out which must be true
_FEWEST = 20  # fewest statements on which a precision can be measured
_THRESHOLDS = np.linspace(0.2, 0.7, 51)


def f1(right: NDArray[np.bool_], tagged: NDArray[np.bool_]) -> float:
    """2 TP / (tagged + right), over all entries; 0 where there are none."""
    return float(2 * (right & tagged).sum() / max(1, right.sum() + tagged.sum()))


def best_threshold(
    labels: NDArray[Any], chances: NDArray[Any], thresholds: Iterable[float] = _SENTENCE_THRESHOLDS
) -> float:
    """The threshold with the best F1; the lowest of equals."""
    return float(max(thresholds, key=lambda threshold: f1(labels > 0, chances >= threshold)))


def fit_correction(chances: NDArray[Any], classes: NDArray[Any]) -> list[float]:
    """What is added to the log-probabilities of each class: −τ log(share of the class), for the best macro F1."""
    counts = np.bincount(classes, minlength=chances.shape[1])
    rarity = -np.log((counts + 1) / (counts.sum() + len(counts)))
    best, chosen = -1.0, rarity * 0
    for share in np.linspace(0, 1, 11):
        answered = answer(chances, share * rarity)[0]
        right = np.bincount(classes[answered == classes], minlength=len(counts))
        totals = counts + np.bincount(answered, minlength=len(counts))
        score = float(np.mean(2 * right / np.maximum(1, totals)))
        if score > best:
            best, chosen = score, share * rarity
    return [round(float(value), 4) for value in chosen]


def answer(chances: NDArray[Any], correction: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The number of each sentence's class, and whether it is sure enough to be given."""
    weighted = chances * np.exp(np.asarray(correction, np.float64))
    chosen = weighted.argmax(axis=1)
    surest = weighted.max(axis=1) / np.maximum(weighted.sum(axis=1), 1e-12)
    return chosen, surest >= ABSTAIN


def fit_presence(
    classes: tuple[str, ...], sentence_chances: NDArray[Any], labels: NDArray[Any], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """Learn weights and thresholds from probabilities and labels, both (sentences, aspects)."""
    from sklearn.linear_model import LogisticRegression

    seen, has = _seen(sentence_chances, starts), per_review(labels, starts) > 0
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


def presence(decided: dict[str, Any], classes: tuple[str, ...], sentence_chances: NDArray[Any]) -> dict[str, float]:
    """The probability that a review with these sentences, (sentences, aspects), has each aspect."""
    if not len(sentence_chances):
        return dict.fromkeys(classes, 0.0)
    seen = _seen(sentence_chances, np.array([0, len(sentence_chances)]))[0]
    chances = {}
    for column, name in enumerate(classes):
        learned = decided["aspects"][name]
        chances[name] = float(expit(seen[column] @ learned["weights"] + learned["offset"]))
    return chances


def per_review(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """(reviews, columns): the greatest value of each review, which must have a sentence."""
    return np.maximum.reduceat(values, starts[:-1], axis=0)


def _seen(chances: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(reviews, aspects, 3): surest sentence, expected number of sentences, length."""
    surest = np.clip(per_review(chances.astype(np.float64), starts), 1e-4, 1 - 1e-4)
    expected = np.add.reduceat(chances.astype(np.float64), starts[:-1], axis=0)
    length = np.broadcast_to(np.log(np.diff(starts))[:, None], surest.shape)
    return np.stack([np.log(surest / (1 - surest)), np.log(expected + 0.01), length], axis=2)


def _absent_below(has: NDArray[np.bool_], chances: NDArray[Any]) -> float:
    """The largest probability below which enough reviews really lack the aspect; 0 where there is none."""
    order = np.argsort(chances, kind="stable")
    lacking = np.cumsum(~has[order]) / np.arange(1, len(has) + 1)
    enough = np.flatnonzero((lacking >= _TRUE_OMISSIONS) & (np.arange(1, len(has) + 1) >= _FEWEST))
    return float(chances[order[enough[-1]]]) if len(enough) else 0.0
