"""Fitting the layers of the tagger: one regression per output over n-grams, and the second layer over all opinions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.outputs import Layer
from eval.reviews.tagging.tasks import Task, columns
from eval.reviews.training.softmax import fit_softmax

_STRENGTH = {False: 10.0, True: 0.02}
"""Inverse penalty of the second layer, without and with the opinions of neighbouring sentences."""


def fit_ngrams(features: Any, wanted: NDArray[np.float32], strength: float) -> Layer:
    """One logistic regression per output over a sparse matrix, on the rows that have a label for it.

    Args:
        features: (sentences, features).
        wanted: (sentences, outputs), 1, 0 or NaN.
        strength: the inverse penalty.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = []
    for output in range(wanted.shape[1]):
        labelled = ~np.isnan(wanted[:, output])
        model = LogisticRegression(C=strength, solver="liblinear", dual=True, tol=0.01, max_iter=500, random_state=0)
        fitted.append(model.fit(features[labelled], wanted[labelled, output]))
    weights = np.stack([model.coef_[0] for model in fitted], axis=1).astype(np.float32)
    return Layer(weights, np.array([model.intercept_[0] for model in fitted], np.float32))


def fit_second(tasks: Sequence[Task], seen: NDArray[np.float32], parts: int, wanted: NDArray[np.float32]) -> Layer:
    """One layer over what `inputs` gives of `parts` parts; classes of an exclusive task share a softmax."""
    from sklearn.linear_model import LogisticRegression

    outputs = wanted.shape[1]
    shared = seen.shape[1] - outputs * parts  # what is before the opinions of each part
    weights, bias = np.zeros((seen.shape[1], outputs)), np.zeros(outputs)
    for task, own in zip(tasks, columns(tasks).values(), strict=True):
        labelled = ~np.isnan(wanted[:, own.start])
        rows, answers = seen[labelled].astype(np.float64), wanted[labelled, own]
        if task.exclusive:
            read = np.arange(shared) if task.context else np.arange(own.start, own.stop)
            weights[read, own], bias[own] = fit_softmax(rows[:, read], answers, _STRENGTH[task.context])
            continue
        for number, output in enumerate(range(own.start, own.stop)):
            # The opinions of this output alone, each of the first layer's parts with a weight of its own.
            read = shared + output + outputs * np.arange(parts)
            model = LogisticRegression(C=_STRENGTH[task.context], solver="newton-cholesky")
            model.fit(rows[:, read], answers[:, number])
            weights[read, output], bias[output] = model.coef_[0], model.intercept_[0]
    return Layer(weights.astype(np.float32), bias.astype(np.float32))
