"""What the tagger answers, and its two layers, as matrices: opinions of each sentence, and what they add up to.

A task is a question with its classes; an output is one class of one task. All outputs share their features; a sentence
that has no label for a task is left out when that task is learned.

The first layer is one regression per output over n-grams (sparse, logistic), one over vectors (dense, ridge), and a
network over the same vectors. The second weighs these opinions of an output; for some tasks it reads those of all
outputs, also of the two sentences before and after. It is trained on opinions about sentences that the first layer has
not seen, so that its probabilities are calibrated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, softmax

from eval.reviews.tagging.datasets import ASPECTS, EVIDENCE, POLARITIES, PRAGMATICS, LabelledReview

Opinions = Sequence[NDArray[np.float32]]
"""Log-odds (sentences, outputs) of each part of the first layer: n-grams, and vectors where there are any."""
REACH = 2  # sentences before and after that the second layer looks at
_LIMIT = 6.0  # log-odds beyond which an opinion does not grow, and standard deviations beyond which a vector does not


@dataclass(frozen=True, slots=True)
class Task:
    """One question about a sentence; `context`: whether the opinions about the neighbouring sentences help."""

    name: str
    classes: tuple[str, ...]
    exclusive: bool = True
    context: bool = True


SHIPPED_TASKS = (
    Task("aspects", ASPECTS, exclusive=False, context=False),
    Task("polarity", POLARITIES),
    Task("pragmatics", PRAGMATICS),
    Task("evidence", EVIDENCE),
)


def disapere_tasks(reviews: Sequence[LabelledReview]) -> tuple[Task, ...]:
    """DISAPERE's own tasks, with the classes that occur."""
    return tuple(
        Task(name, tuple(sorted({value for review in reviews for value in review.labels[name]})))
        for name in ("action", "fine_action", "aspect", "polarity")
    )


def columns(tasks: Sequence[Task]) -> dict[str, slice]:
    """Where the outputs of each task are."""
    ends = np.cumsum([len(task.classes) for task in tasks]).tolist()
    return {task.name: slice(end - len(task.classes), end) for task, end in zip(tasks, ends, strict=True)}


def targets(reviews: Sequence[LabelledReview], tasks: Sequence[Task]) -> NDArray[np.float32]:
    """(sentences, outputs): 1 or 0, and NaN where a sentence has no label."""
    rows = sum(len(review.sentences) for review in reviews)
    labels = np.full((rows, sum(len(task.classes) for task in tasks)), np.nan, np.float32)
    span = columns(tasks)
    start = 0
    for review in reviews:
        for task in tasks:
            for row, value in enumerate(review.labels.get(task.name, ()), start):
                if value is not None:
                    labels[row, span[task.name]] = [
                        name == value if task.exclusive else name in value for name in task.classes
                    ]
        start += len(review.sentences)
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Log-odds = features @ weights + bias: (features, outputs) and (outputs,)."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def __call__(self, features: Any) -> NDArray[np.float32]:
        """(rows, outputs) of a dense or sparse matrix (rows, features)."""
        return np.asarray(features @ self.weights + self.bias, np.float32)


def probabilities(tasks: Sequence[Task], logits: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """For every task (sentences, classes): a softmax where classes exclude each other, else one sigmoid each."""
    chances = {}
    for task, span in zip(tasks, columns(tasks).values(), strict=True):
        outputs = logits[:, span].astype(np.float64)
        chances[task.name] = (softmax(outputs, axis=1) if task.exclusive else expit(outputs)).astype(np.float32)
    return chances


def average(tasks: Sequence[Task], logits: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Log-odds whose probabilities are the means of the probabilities of these."""
    by_form = [probabilities(tasks, outputs) for outputs in logits]
    averaged = []
    for task in tasks:
        mean = np.clip(np.mean([form[task.name] for form in by_form], axis=0, dtype=np.float64), 1e-6, 1 - 1e-6)
        averaged.append(np.log(mean) if task.exclusive else logit(mean))
    return np.hstack(averaged).astype(np.float32)


def inputs(
    opinions: Opinions, starts: NDArray[np.int64], base: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """What the second layer reads of each sentence, (sentences, inputs).

    The mean of the parts' opinions of the sentence, of the two before and the two after it (0 beyond the review's
    ends), the same of the base tagger's opinions, its position, and then the opinions of each part.
    """
    parts = [_bounded(logits) for logits in opinions]
    blocks = with_neighbours(np.mean(parts, axis=0, dtype=np.float32), starts)
    if base is not None:
        blocks += with_neighbours(_bounded(base), starts)
    return np.hstack([*blocks, positions(starts), *parts]).astype(np.float32)


def positions(starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """(sentences, 5): where each sentence is in its review, and how long that is."""
    number, length = _numbered(starts)
    relative = number / length
    return np.stack(
        [relative, relative**2, number == 0, number < 3, np.log1p(length) / 4],
        axis=1,
        dtype=np.float32,
        casting="unsafe",
    )


def _bounded(opinions: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(_LIMIT * np.tanh(opinions / _LIMIT), np.float32)


def with_neighbours(values: NDArray[np.float32], starts: NDArray[np.int64]) -> list[NDArray[np.float32]]:
    """The values of each sentence, of those before it and of those after it; 0 beyond the review's ends."""
    padded = np.vstack([values, np.zeros_like(values[:1])])
    return [values, *(padded[rows] for rows in neighbours(starts))]


def neighbours(starts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """For each step before and after the row of every sentence's neighbour; one beyond the last where it has none."""
    number, length = _numbered(starts)
    rows = np.arange(starts[-1])
    return [
        np.where((number + step >= 0) & (number + step < length), rows + step, starts[-1])
        for step in (*range(-REACH, 0), *range(1, REACH + 1))
    ]


def _numbered(starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each sentence in its review, and the review's length."""
    lengths = np.diff(starts)
    return np.arange(starts[-1]) - np.repeat(starts[:-1], lengths), np.repeat(lengths, lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Log-odds of a sentence's outputs."""

    center: NDArray[np.float32]  # mean of each number of the vectors in context
    spread: NDArray[np.float32]
    sentence: Layer  # hidden units of the sentence, over its own vector
    near: Layer  # hidden units that its neighbours show it, over their own vectors
    heading: Layer
    output: Layer

    def __call__(self, vectors: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """(sentences, outputs) of vectors in context (sentences, features); `starts` says where each review begins."""
        rows = standardised(vectors, self.center, self.spread)
        text, heading = rows[:, : len(self.sentence.weights)], rows[:, -len(self.heading.weights) :]
        _, *neighbours = with_neighbours(_positive(self.near(text)), starts)
        seen = [_positive(self.sentence(text)), *neighbours, _positive(self.heading(heading)), positions(starts)]
        return self.output(np.hstack(seen))


def standardised(
    vectors: NDArray[np.float32], center: NDArray[np.float32], spread: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Columns of mean 0 and spread 1, bounded."""
    return np.asarray(np.clip((vectors - center) / spread, -_LIMIT, _LIMIT), np.float32)


def _positive(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(values, 0)
