"""The two layers of the tagger, as matrices: opinions of each sentence, then what they and the neighbours' add up to.

The first layer is one logistic regression an output, over n-grams (sparse) or vectors (dense). The second reads the
first layer's log-odds, and for some tasks those of the two sentences before and after; it is trained on opinions about
sentences that the first layer has not seen, so that its probabilities are calibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.tasks import Task, columns

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


def fit_first(features: Any, wanted: NDArray[np.float32], strength: float) -> Layer:
    """One logistic regression an output, on the rows that have a label for it; `strength` is the inverse penalty."""
    from sklearn.linear_model import LogisticRegression

    dense = isinstance(features, np.ndarray)
    fitted = []
    for output in range(wanted.shape[1]):
        labelled = ~np.isnan(wanted[:, output])
        rows = features[labelled]
        solver = (
            LogisticRegression(C=strength, max_iter=200, tol=1e-3)
            if dense
            else LogisticRegression(C=strength, solver="liblinear", dual=True, tol=0.01, max_iter=500, random_state=0)
        )
        fitted.append(solver.fit(rows, wanted[labelled, output]))
    weights = np.stack([model.coef_[0] for model in fitted], axis=1).astype(np.float32)
    return Layer(weights, np.array([model.intercept_[0] for model in fitted], np.float32))


def fit_second(
    tasks: Sequence[Task], opinions: NDArray[np.float32], starts: NDArray[np.int64], wanted: NDArray[np.float32]
) -> Layer:
    """One layer over the opinions and their neighbours; classes of an exclusive task share a softmax."""
    from sklearn.linear_model import LogisticRegression

    seen = neighbourhood(opinions, starts)
    outputs = opinions.shape[1]
    weights, bias = np.zeros((seen.shape[1], outputs)), np.zeros(outputs)
    place = columns(tasks)
    for task in tasks:
        own = place[task.name]
        inputs = np.arange(seen.shape[1]) if task.context else np.arange(own.start, own.stop)
        labelled = ~np.isnan(wanted[:, own.start])
        rows, answers = seen[labelled], wanted[labelled, own]
        if task.exclusive:
            model = LogisticRegression(C=0.02 if task.context else 10.0, solver="newton-cholesky")
            model.fit(rows[:, inputs], answers.argmax(axis=1))
            found, offset = (model.coef_.T, model.intercept_) if len(task.classes) > 2 else _two(model)
            weights[inputs, own], bias[own] = found, offset
            continue
        for number, output in enumerate(range(own.start, own.stop)):
            inputs_here = inputs if task.context else np.array([output])
            model = LogisticRegression(C=0.02 if task.context else 10.0, solver="newton-cholesky")
            model.fit(rows[:, inputs_here], answers[:, number])
            weights[inputs_here, output], bias[output] = model.coef_[0], model.intercept_[0]
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


def neighbourhood(opinions: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Opinions beside those of the sentences before and after in the same review (0 beyond its ends), and the position.

    Args:
        opinions: (sentences, outputs), review after review.
        starts: (reviews + 1,), where each review begins.
    """
    bounded = _LIMIT * np.tanh(opinions / _LIMIT)
    lengths = np.diff(starts)
    number = np.arange(len(opinions)) - np.repeat(starts[:-1], lengths)
    length = np.repeat(lengths, lengths)
    blocks = [bounded]
    for step in (*range(-REACH, 0), *range(1, REACH + 1)):
        inside = (number + step >= 0) & (number + step < length)
        moved = np.zeros_like(bounded)
        moved[inside] = bounded[np.flatnonzero(inside) + step]
        blocks.append(moved)
    relative = number / np.maximum(length, 1)
    position = np.stack([relative, relative**2, number == 0, number < 3, np.log1p(length) / 4], axis=1)
    return np.hstack([*blocks, position]).astype(np.float32)
