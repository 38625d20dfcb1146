"""What held-out opinions are worth: probabilities, decisions and figures, each by those of the other folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging import decisions
from eval.reviews.tagging.datasets import LabelledReview
from eval.reviews.tagging.evidence import measure_suspicion
from eval.reviews.tagging.presence import fit_presence, presence
from eval.reviews.tagging.tasks import Task, columns
from eval.reviews.training import evaluation
from eval.reviews.training.layers import fit_second


def held_out(
    tasks: Sequence[Task],
    seen: NDArray[np.float32],
    parts: int,
    wanted: NDArray[np.float32],
    row_fold: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Log-odds of every sentence, by second layers that have not seen its fold."""
    logits = np.zeros_like(wanted)
    for fold in range(int(row_fold.max()) + 1):
        held = row_fold == fold
        logits[held] = fit_second(tasks, seen[~held], parts, wanted[~held])(seen[held])
    return logits


def decided(
    tasks: Sequence[Task],
    chances: dict[str, NDArray[np.float32]],
    wanted: NDArray[np.float32],
    starts: NDArray[np.int64],
) -> dict[str, Any]:
    """Thresholds of aspects and corrections of classes; see `decisions.py`."""
    found: dict[str, Any] = {"correction": {}}
    for task, span in zip(tasks, columns(tasks).values(), strict=True):
        rows, reviews = _labelled(wanted[:, span.start], starts)
        own, said = wanted[rows][:, span], chances[task.name][rows]
        if task.exclusive:
            found["correction"][task.name] = decisions.fit_correction(said, own.argmax(axis=1))
        else:
            found[task.name] = _thresholds(task, said, own, reviews)
    return found


def figures(
    tasks: Sequence[Task],
    chances: dict[str, NDArray[np.float32]],
    wanted: NDArray[np.float32],
    starts: NDArray[np.int64],
    fold_of: NDArray[np.int64],
) -> dict[str, Any]:
    """What is measured of each task; decisions are those of the other folds."""
    measured = {}
    row_fold = np.repeat(fold_of, np.diff(starts))
    for task, span in zip(tasks, columns(tasks).values(), strict=True):
        rows, reviews = _labelled(wanted[:, span.start], starts)
        own, found = wanted[rows][:, span], chances[task.name][rows]
        if task.exclusive:
            right = own.argmax(axis=1)
            corrections = _corrections(found, right, row_fold[rows])
            measured[task.name] = evaluation.exclusive_figures(task, right, found, corrections)
        else:
            measured[task.name] = _aspect_figures(task, own, found, reviews, row_fold[rows])
    return measured


def _aspect_figures(
    task: Task,
    wanted: NDArray[np.float32],
    found: NDArray[np.float32],
    starts: NDArray[np.int64],
    row_fold: NDArray[np.int64],
) -> dict[str, Any]:
    folds = row_fold[starts[:-1]]
    shape = (len(folds), len(task.classes))
    tagged = np.zeros(found.shape, bool)
    present, absent, sure = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape)
    for fold in np.unique(folds):
        own, others = folds == fold, row_fold != fold
        learned = _thresholds(task, found[others], wanted[others], np.cumsum([0, *np.diff(starts)[~own]]))
        limits, on_reviews = learned["sentence"], learned["presence"]
        tagged[~others] = found[~others] >= [limits[name] for name in task.classes]
        for review in np.flatnonzero(own):
            said = presence(on_reviews, task.classes, found[starts[review] : starts[review + 1]])
            sure[review] = list(said.values())
        present[own] = sure[own] >= on_reviews["present"]
        absent[own] = sure[own] < [on_reviews["aspects"][name]["absent"] for name in task.classes]
    return evaluation.aspect_figures(task, wanted, tagged, found, starts, present, sure, absent)


def _thresholds(
    task: Task, found: NDArray[np.float32], wanted: NDArray[np.float32], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """Of aspects, for sentences and for reviews."""
    limits = {
        name: round(decisions.best_threshold(wanted[:, column], found[:, column]), 4)
        for column, name in enumerate(task.classes)
    }
    return {"sentence": limits, "presence": fit_presence(task.classes, found, wanted, starts)}


def _corrections(
    found: NDArray[np.float32], right: NDArray[np.int64], row_fold: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(sentences, classes): for every sentence the correction that the other folds have learned."""
    corrections = np.zeros(found.shape)
    for fold in np.unique(row_fold):
        other = row_fold != fold
        corrections[~other] = decisions.fit_correction(found[other], right[other])
    return corrections


def suspected(
    reviews: Sequence[LabelledReview], chances: NDArray[np.float32], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """How often criticism was rightly suspected to have no evidence, on the reviews that say which has."""
    known = [number for number, review in enumerate(reviews) if "spans" in review.facts]
    return measure_suspicion([reviews[n] for n in known], [chances[starts[n] : starts[n + 1]] for n in known])


def _labelled(wanted: NDArray[np.float32], starts: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The rows that have a label for an output of a task, and where each review begins among them."""
    rows = ~np.isnan(wanted)
    counts = np.add.reduceat(rows.astype(np.int64), starts[:-1])
    return rows, np.cumsum([0, *counts[counts > 0]])
