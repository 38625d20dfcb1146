"""From probabilities to tags: thresholds, and when to say nothing. All of it is learned from held-out opinions.

- An aspect is tagged from the threshold on that has the best F1 on sentences.
- The answer of an exclusive task is the class with the largest probability after a correction: rare classes are raised
  by the part of their rarity that has the best macro F1. The tagger abstains where that is less than half.

Which aspects a whole review has is decided in `presence.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

ABSTAIN = 0.5
_SENTENCE_THRESHOLDS = np.linspace(0.02, 0.9, 89)


def f1(wanted: NDArray[np.bool_], tagged: NDArray[np.bool_]) -> float:
    """2 TP / (tagged + wanted), over everything given; 0 where there is nothing."""
    return float(2 * (wanted & tagged).sum() / max(1, wanted.sum() + tagged.sum()))


def best_threshold(
    wanted: NDArray[Any], found: NDArray[Any], thresholds: Iterable[float] = _SENTENCE_THRESHOLDS
) -> float:
    """The threshold with the best F1; the lowest of equals."""
    return float(max(thresholds, key=lambda threshold: f1(wanted > 0, found >= threshold)))


def fit_correction(found: NDArray[Any], wanted: NDArray[Any]) -> list[float]:
    """What is added to the log-probabilities of each class: −τ log(share of the class), for the best macro F1.

    Args:
        found: (sentences, classes) probabilities.
        wanted: (sentences,) numbers of the right classes.
    """
    counts = np.bincount(wanted, minlength=found.shape[1])
    rarity = -np.log((counts + 1) / (counts.sum() + len(counts)))
    best, chosen = -1.0, rarity * 0
    for part in np.linspace(0, 1, 11):
        answered = answer(found, part * rarity)[0]
        right = np.bincount(wanted[answered == wanted], minlength=len(counts))
        both = counts + np.bincount(answered, minlength=len(counts))
        score = float(np.mean(2 * right / np.maximum(1, both)))
        if score > best:
            best, chosen = score, part * rarity
    return [round(float(value), 4) for value in chosen]


def answer(found: NDArray[Any], correction: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The number of each sentence's class, and whether it is sure enough to be given."""
    weighted = found * np.exp(np.asarray(correction, np.float64))
    chosen = weighted.argmax(axis=1)
    surest = weighted.max(axis=1) / np.maximum(weighted.sum(axis=1), 1e-12)
    return chosen, surest >= ABSTAIN
