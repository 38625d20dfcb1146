"""Fitting the layers of the tagger: one regression per output over n-grams and over vectors, and the second layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from eval.reviews.tagging.outputs import Layer, Task, columns

_STRETCH = 4.0  # turns a regression on ±1 into log-odds, roughly; the second layer does the rest
_NGRAM_STRENGTH = 2.0  # inverse penalty of the regressions over n-grams
_VECTOR_PENALTY = 4_000.0  # penalty of the regressions over vectors
_MOST_STEPS = 1_000
_SMALL = 1e-4  # steps in all weights at which it has converged
_STRENGTH = {False: 10.0, True: 0.02}
"""Inverse penalty of the second layer, without and with the opinions of neighbouring sentences."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Labelled sentences to learn from."""

    sentences: Sequence[Sequence[Sentence]]
    starts: NDArray[np.int64]  # (reviews + 1,), where each review begins among all sentences
    vectors: NDArray[np.float32]  # (sentences, features) in context
    width: int  # how many of the features are the sentence's own
    labels: NDArray[np.float32]  # (sentences, outputs), 1, 0, or NaN where there is no label
    tasks: tuple[Task, ...]
    row_fold: NDArray[np.int64]  # (sentences,), the fold of each sentence

    def of(self, reviews: NDArray[np.int64]) -> list[Sequence[Sentence]]:
        """The sentences of some reviews."""
        return [self.sentences[number] for number in reviews.tolist()]

    def rows(self, reviews: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the sentences of some reviews."""
        return np.concatenate([np.arange(self.starts[number], self.starts[number + 1]) for number in reviews])


def fit_ngrams(features: Any, labels: NDArray[np.float32]) -> Layer:
    """Fit one logistic regression per output over a sparse matrix, on the rows that have a label for it."""
    from sklearn.linear_model import LogisticRegression

    fitted = []
    for output in range(labels.shape[1]):
        labelled = ~np.isnan(labels[:, output])
        model = LogisticRegression(
            C=_NGRAM_STRENGTH, solver="liblinear", dual=True, tol=0.01, max_iter=500, random_state=0
        )
        fitted.append(model.fit(features[labelled], labels[labelled, output]))
    weights = np.stack([model.coef_[0] for model in fitted], axis=1).astype(np.float32)
    return Layer(weights, np.array([model.intercept_[0] for model in fitted], np.float32))


def fit_second(tasks: Sequence[Task], seen: NDArray[np.float32], parts: int, labels: NDArray[np.float32]) -> Layer:
    """One layer over what `inputs` gives of `parts` parts; classes of an exclusive task share a softmax."""
    from sklearn.linear_model import LogisticRegression

    outputs = labels.shape[1]
    shared = seen.shape[1] - outputs * parts  # what is before the opinions of each part
    weights, bias = np.zeros((seen.shape[1], outputs)), np.zeros(outputs)
    for task, span in zip(tasks, columns(tasks).values(), strict=True):
        labelled = ~np.isnan(labels[:, span.start])
        rows, answers = seen[labelled].astype(np.float64), labels[labelled, span]
        if task.exclusive:
            read = np.arange(shared) if task.context else np.arange(span.start, span.stop)
            weights[read, span], bias[span] = fit_softmax(rows[:, read], answers, _STRENGTH[task.context])
            continue
        for number, output in enumerate(range(span.start, span.stop)):
            # The opinions of this output alone, each of the first layer's parts with a weight of its span.
            read = shared + output + outputs * np.arange(parts)
            model = LogisticRegression(C=_STRENGTH[task.context], solver="newton-cholesky")
            model.fit(rows[:, read], answers[:, number])
            weights[read, output], bias[output] = model.coef_[0], model.intercept_[0]
    return Layer(weights.astype(np.float32), bias.astype(np.float32))


def fit_softmax(
    inputs: NDArray[Any], labels: NDArray[Any], strength: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (inputs, classes) and offsets (classes,) that minimise strength · Σ cross-entropy + ½|weights|².

    Inputs are correlated, so that general solvers need minutes or do not converge. The curvature of the loss is never
    more than ½ XᵀX for each class (Böhning 1992): one factorisation of that matrix gives steps that cannot overshoot;
    momentum, restarted where it points uphill, makes them few.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.special import softmax

    rows = np.hstack([inputs, np.ones((len(inputs), 1))]).astype(np.float64)
    penalty = np.full((rows.shape[1], 1), 1 / strength)
    penalty[-1] = 0
    factor = cho_factor(rows.T @ rows / 2 + np.diag(penalty[:, 0]))
    weights = ahead = np.zeros((rows.shape[1], labels.shape[1]))
    momentum = 1.0
    for _ in range(_MOST_STEPS):
        step = cho_solve(factor, rows.T @ (labels - softmax(rows @ ahead, axis=1)) - penalty * ahead)
        moved = ahead + step
        if np.abs(step).max() < _SMALL:
            weights = moved
            break
        if float((step * (moved - weights)).sum()) < 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / following * (moved - weights)
        weights, momentum = moved, following
    return weights[:-1], weights[-1]


def fit_vectors(vectors: NDArray[np.float32], labels: NDArray[np.float32], row_fold: NDArray[np.int64]) -> list[Layer]:
    """Fit ridge regressions on ±1: one layer without each fold in turn, and at the end the layer of everything.

    As good here as logistic regression, and many times faster. Columns are standardised; mean and spread become part of
    the weights. Outputs with labels on the same rows are fitted together.
    """
    from sklearn.linear_model import Ridge

    center, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
    rows = (vectors - center) / spread
    missing = np.isnan(labels)
    patterns: dict[bytes, list[int]] = {}
    for output in range(labels.shape[1]):
        patterns.setdefault(missing[:, output].tobytes(), []).append(output)
    layers = []
    for fold in range(int(row_fold.max()) + 2):  # the last one has no rows
        weights, bias = np.zeros((vectors.shape[1], labels.shape[1]), np.float32), np.zeros(labels.shape[1], np.float32)
        for outputs in patterns.values():
            learned = ~missing[:, outputs[0]] & (row_fold != fold)
            model = Ridge(_VECTOR_PENALTY, copy_X=False, solver="cholesky")
            model.fit(rows[learned], 2 * labels[learned][:, outputs] - 1)
            weights[:, outputs] = _STRETCH * model.coef_.reshape(len(outputs), -1).T / spread[:, None]
            bias[outputs] = _STRETCH * model.intercept_
        layers.append(Layer(weights, bias - center @ weights))
    return layers
