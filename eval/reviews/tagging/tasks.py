"""What is learned: tasks with their classes, and the labels of reviews as one matrix of outputs.

An output is one class of one task. All outputs share their features; a sentence that has no label for a task is left
out when that task is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.datasets import ASPECTS, EVIDENCE, POLARITIES, PRAGMATICS, LabelledReview


@dataclass(frozen=True, slots=True)
class Task:
    """One question about a sentence.

    Attributes:
        name: of the task.
        classes: the answers.
        exclusive: whether exactly one of them is right.
        context: whether the opinions about the neighbouring sentences help.
    """

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
    found = np.full((rows, sum(len(task.classes) for task in tasks)), np.nan, np.float32)
    span = columns(tasks)
    start = 0
    for review in reviews:
        for task in tasks:
            for row, value in enumerate(review.labels.get(task.name, ()), start):
                if value is not None:
                    found[row, span[task.name]] = [
                        name == value if task.exclusive else name in value for name in task.classes
                    ]
        start += len(review.sentences)
    return found
