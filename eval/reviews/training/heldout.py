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
    for task in tasks:
        rows, reviews = _labelled(task, tasks, wanted, starts)
        own, said = wanted[rows][:, columns(tasks)[task.name]], chances[task.name][rows]
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
    for task in tasks:
        rows, reviews = _labelled(task, tasks, wanted, starts)
        own, found = wanted[rows][:, columns(tasks)[task.name]], chances[task.name][rows]
        if task.exclusive:
            right = own.argmax(axis=1)
            corrections = _corrections(found, right, np.repeat(fold_of, np.diff(starts))[rows])
            measured[task.name] = evaluation.exclusive_figures(task, right, found, corrections)
            continue
        labelled = ~np.isnan(wanted[starts[:-1], columns(tasks)[task.name].start])
        folds = fold_of[labelled]
        tagged = np.zeros(found.shape, bool)
        shape = (len(folds), len(task.classes))
        present, absent, sure = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape)
        row_fold = np.repeat(folds, np.diff(reviews))
        for fold in np.unique(folds):
            other = row_fold != fold
            starts_of_others = np.cumsum([0, *np.diff(reviews)[folds != fold]])
            learned = _thresholds(task, found[other], own[other], starts_of_others)
            limits = np.array([learned["sentence"][name] for name in task.classes])
            tagged[~other] = found[~other] >= limits
            for review in np.flatnonzero(folds == fold):
                sentence = found[reviews[review] : reviews[review + 1]]
                said = presence(learned["presence"], task.classes, sentence)
                sure[review] = list(said.values())
                present[review] = sure[review] >= learned["presence"]["present"]
                limits_of_absence = learned["presence"]["aspects"]
                absent[review] = [said[n] < limits_of_absence[n]["absent"] for n in task.classes]
        measured[task.name] = evaluation.aspect_figures(task, own, tagged, found, reviews, present, sure, absent)
    return measured


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


def _labelled(
    task: Task, tasks: Sequence[Task], wanted: NDArray[np.float32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The rows that have a label for the task, and where each review begins among them."""
    rows = ~np.isnan(wanted[:, columns(tasks)[task.name].start])
    counts = np.add.reduceat(rows.astype(np.int64), starts[:-1])
    return rows, np.cumsum([0, *counts[counts > 0]])
