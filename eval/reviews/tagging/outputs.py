"""The two layers of the tagger, as matrices: opinions of each sentence, then what they and the neighbours' add up to.

The first layer is one regression an output, over n-grams (sparse, logistic) and over vectors (dense, ridge). The second
weighs the two opinions of an output; for some tasks it reads all opinions, also of the two sentences before and after.
It is trained on opinions about sentences that the first layer has not seen, so that its probabilities are calibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.tasks import Task, columns

Opinions = Sequence[NDArray[np.float32]]
"""Log-odds (sentences, outputs) of each part of the first layer: n-grams, and vectors where there are any."""

REACH = 2  # sentences before and after that the second layer looks at
_LIMIT = 6.0  # log-odds beyond which an opinion does not grow


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Log-odds = features @ weights + bias: (features, outputs) and (outputs,)."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def __call__(self, features: Any) -> NDArray[np.float32]:
        """(rows, outputs) of a dense or sparse matrix (rows, features)."""
        return np.asarray(features @ self.weights + self.bias, np.float32)


def fit_ngrams(features: Any, wanted: NDArray[np.float32], strength: float) -> Layer:
    """One logistic regression an output over a sparse matrix, on the rows that have a label for it.

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


def fit_second(
    tasks: Sequence[Task], opinions: Opinions, starts: NDArray[np.int64], wanted: NDArray[np.float32]
) -> Layer:
    """One layer over what `inputs` gives; classes of an exclusive task share a softmax."""
    from sklearn.linear_model import LogisticRegression

    seen = inputs(opinions, starts).astype(np.float64)
    outputs = wanted.shape[1]
    shared = seen.shape[1] - outputs * len(opinions)  # what is before the opinions of each part
    weights, bias = np.zeros((seen.shape[1], outputs)), np.zeros(outputs)
    for name, own in columns(tasks).items():
        task = next(task for task in tasks if task.name == name)
        labelled = ~np.isnan(wanted[:, own.start])
        rows, answers = seen[labelled], wanted[labelled, own]
        strength = 0.02 if task.context else 10.0
        if task.exclusive:
            read = np.arange(shared) if task.context else np.arange(own.start, own.stop)
            model = LogisticRegression(C=strength, solver="newton-cholesky")
            model.fit(rows[:, read], answers.argmax(axis=1))
            weights[read, own], bias[own] = (model.coef_.T, model.intercept_) if len(task.classes) > 2 else _two(model)
            continue
        for number, output in enumerate(range(own.start, own.stop)):
            # The opinions of this output alone, each of the first layer's parts with a weight of its own.
            read = shared + output + outputs * np.arange(len(opinions))
            model = LogisticRegression(C=strength, solver="newton-cholesky").fit(rows[:, read], answers[:, number])
            weights[read, output], bias[output] = model.coef_[0], model.intercept_[0]
    return Layer(weights.astype(np.float32), bias.astype(np.float32))


def _two(model: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The coefficients of a two-class model as those of a softmax."""
    half = model.coef_[0] / 2
    return np.stack([-half, half], axis=1), np.array([-model.intercept_[0] / 2, model.intercept_[0] / 2])


def probabilities(tasks: Sequence[Task], logits: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """For every task (sentences, classes): a softmax where classes exclude each other, else one sigmoid each."""
    found = {}
    for name, own in columns(tasks).items():
        part = logits[:, own].astype(np.float64)
        if next(task for task in tasks if task.name == name).exclusive:
            part = np.exp(part - part.max(axis=1, keepdims=True))
            found[name] = (part / part.sum(axis=1, keepdims=True)).astype(np.float32)
        else:
            found[name] = (1 / (1 + np.exp(-part))).astype(np.float32)
    return found


def inputs(opinions: Opinions, starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """What the second layer reads of each sentence, (sentences, inputs).

    The mean of the parts' opinions of the sentence, of the two before and the two after it (0 beyond the review's
    ends), its position, and then the opinions of each part.

    Args:
        opinions: of each part of the first layer (sentences, outputs), review after review.
        starts: (reviews + 1,), where each review begins.
    """
    parts = [_LIMIT * np.tanh(part / _LIMIT) for part in opinions]
    mean = sum(parts[1:], parts[0]) / len(parts)
    lengths = np.diff(starts)
    number = np.arange(len(mean)) - np.repeat(starts[:-1], lengths)
    length = np.repeat(lengths, lengths)
    blocks = [mean]
    for step in (*range(-REACH, 0), *range(1, REACH + 1)):
        inside = (number + step >= 0) & (number + step < length)
        moved = np.zeros_like(mean)
        moved[inside] = mean[np.flatnonzero(inside) + step]
        blocks.append(moved)
    relative = number / np.maximum(length, 1)
    position = np.stack([relative, relative**2, number == 0, number < 3, np.log1p(length) / 4], axis=1)
    return np.hstack([*blocks, position, *parts]).astype(np.float32)
