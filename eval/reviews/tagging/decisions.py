"""From probabilities to tags: thresholds, and when to say nothing. All of it is learned from held-out opinions.

- An aspect is tagged from the threshold on that has the best F1 on sentences.
- A class of an exclusive task is given where it has at least half of the probability; else the tagger abstains.
- Whether a review has an aspect at all is a logistic function of its surest sentence. A review is said to leave an
  aspect out only below a probability under which nine in ten such statements were true; in between, nothing is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ABSTAIN = 0.5
_TRUE_OMISSIONS = 0.9  # of the statements that an aspect is left out
_FEWEST = 20  # such statements, or no threshold can be learned
_GRID = np.linspace(0.02, 0.9, 89)


def best_threshold(wanted: NDArray[Any], found: NDArray[Any]) -> float:
    """The threshold with the best F1; the lowest of equals."""
    wanted = np.asarray(wanted) > 0
    scores = []
    for threshold in _GRID:
        tagged = found >= threshold
        scores.append(2 * (tagged & wanted).sum() / max(1, tagged.sum() + wanted.sum()))
    return float(_GRID[int(np.argmax(scores))])


def fit_decisions(
    classes: tuple[str, ...], found: NDArray[Any], wanted: NDArray[Any], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """Thresholds of aspects for sentences and for reviews.

    Args:
        classes: the aspects.
        found: (sentences, aspects) probabilities.
        wanted: (sentences, aspects) 0 or 1.
        starts: (reviews + 1,) where each review begins.
    """
    from sklearn.linear_model import LogisticRegression

    surest, has = per_review(found, starts), per_review(wanted, starts)
    decided: dict[str, Any] = {"sentence": {}, "presence": {}}
    for column, name in enumerate(classes):
        decided["sentence"][name] = round(best_threshold(wanted[:, column], found[:, column]), 4)
        odds = log_odds(surest[:, column])[:, None]
        model = LogisticRegression(C=1.0).fit(odds, has[:, column] > 0)
        present = model.predict_proba(odds)[:, 1]
        decided["presence"][name] = {
            "slope": round(float(model.coef_[0, 0]), 4),
            "offset": round(float(model.intercept_[0]), 4),
            "present": round(best_threshold(has[:, column], present), 4),
            "absent": round(_absent_below(has[:, column], present), 4),
        }
    return decided


def presence(decided: dict[str, Any], classes: tuple[str, ...], found: NDArray[Any]) -> dict[str, float]:
    """The probability that a review with these sentences, (sentences, aspects), has each aspect."""
    if not len(found):
        return dict.fromkeys(classes, 0.0)
    surest = log_odds(found.max(axis=0))
    chances = {}
    for column, name in enumerate(classes):
        line = decided["presence"][name]
        chances[name] = float(1 / (1 + np.exp(-(line["slope"] * surest[column] + line["offset"]))))
    return chances


def per_review(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """(reviews, columns): the greatest value of each review, which must have a sentence."""
    return np.maximum.reduceat(values, starts[:-1], axis=0)


def log_odds(chance: NDArray[Any]) -> NDArray[np.float64]:
    """log(p / (1 − p)), bounded."""
    bounded = np.clip(np.asarray(chance, np.float64), 1e-4, 1 - 1e-4)
    return np.log(bounded / (1 - bounded))


def _absent_below(has: NDArray[Any], present: NDArray[Any]) -> float:
    """The largest probability below which enough reviews really lack the aspect; 0 where there is none."""
    order = np.argsort(present, kind="stable")
    lacking = np.cumsum(has[order] <= 0) / np.arange(1, len(has) + 1)
    enough = np.flatnonzero((lacking >= _TRUE_OMISSIONS) & (np.arange(1, len(has) + 1) >= _FEWEST))
    return float(present[order[enough[-1]]]) if len(enough) else 0.0
