"""Criticism without reasons: how strongly the tagger suspects it, and how often it was right on SubstanReview.

The strength of the suspicion about a sentence is P(it criticises) × Π (1 − P(sentence gives reasons)) over the three
sentences after it: reasons follow the criticism, if they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.datasets import EVIDENCE, LabelledReview, least_overlap, overlap

REACH = 3  # sentences after a criticism in which reasons are looked for
LEAST_PRECISION = 0.6
"""Of a hint that is shown."""
_FEWEST = 20  # hints on which a precision can be measured
_CRITICISM, _REASON = EVIDENCE.index("claim-"), EVIDENCE.index("evidence")


def suspicion(chances: NDArray[Any]) -> NDArray[np.float64]:
    """How strongly each sentence of one review is suspected, from the probabilities (sentences, classes)."""
    strength = chances[:, _CRITICISM].astype(np.float64)
    no_reason = np.concatenate([1 - chances[:, _REASON], np.ones(REACH)])
    for step in range(1, REACH + 1):
        strength = strength * no_reason[step : step + len(chances)]
    return strength


def measure_suspicion(reviews: Sequence[LabelledReview], chances: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """Precision of the suspicion on reviews with spans, and the threshold from which it is precise enough.

    `best_precision` is the best that any threshold with enough hints has; `threshold` is None where that is too little.
    """
    strengths, right = [], []
    for review, found in zip(reviews, chances, strict=True):
        strengths.extend(suspicion(found).tolist())
        right.extend(_unsupported(review))
    order = np.argsort(-np.asarray(strengths), kind="stable")
    hits = np.cumsum(np.asarray(right)[order])
    precision = hits / np.arange(1, len(order) + 1)
    usable = np.arange(len(order)) >= _FEWEST - 1
    good = np.flatnonzero(usable & (precision >= LEAST_PRECISION))
    best = int(np.argmax(np.where(usable, precision, -1)))
    last = int(good[-1]) if len(good) else None
    return {
        "best_precision": float(precision[best]),
        "threshold": None if last is None else float(np.asarray(strengths)[order[last]]),
        "precision": None if last is None else float(precision[last]),
        "recall": None if last is None else float(hits[last] / max(1, sum(right))),
        "hints": None if last is None else last + 1,
        "unsupported": int(sum(right)),
    }


def _unsupported(review: LabelledReview) -> list[bool]:
    """Whether each sentence holds a criticism to which no evidence belongs."""
    spans = review.facts["spans"]
    supported = {label.removeprefix("Jus_neg_") for _, _, label in spans if label.startswith("Jus_neg_")}
    bare = [
        (start, end)
        for start, end, label in spans
        if label.startswith("Eval_neg_") and label.removeprefix("Eval_neg_") not in supported
    ]
    return [
        any(overlap(sentence, start, end) >= least_overlap(sentence) for start, end in bare)
        for sentence in review.sentences
    ]
