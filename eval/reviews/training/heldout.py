"""What held-out opinions are worth: decisions and figures, each by those of the other folds.

Figures are F1 by class, on sentences and whole reviews, and whether a probability of .8 is right eight times in ten.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.decisions import (
    answer,
    best_threshold,
    f1,
    fit_correction,
    fit_presence,
    per_review,
    presence,
)
from eval.reviews.tagging.outputs import Task, columns
from eval.reviews.training.layers import Labelled, fit_second

Chances = Mapping[str, NDArray[np.float32]]
"""For every task the probabilities (sentences, classes)."""
_BINS = 10


def held_out(data: Labelled, seen: NDArray[np.float32], parts: int) -> NDArray[np.float32]:
    """Compute the log-odds of every sentence by second layers that have not seen its fold."""
    logits = np.zeros_like(data.labels)
    for fold in range(int(data.row_fold.max()) + 1):
        rows = data.row_fold == fold
        logits[rows] = fit_second(data.tasks, seen[~rows], parts, data.labels[~rows])(seen[rows])
    return logits


def decide(data: Labelled, chances: Chances) -> dict[str, Any]:
    """Learn thresholds of aspects and corrections of classes; see `decisions.py`."""
    decided: dict[str, Any] = {"correction": {}}
    for task, rows, labels, starts in _labelled(data):
        predicted = chances[task.name][rows]
        if task.exclusive:
            decided["correction"][task.name] = fit_correction(predicted, labels.argmax(axis=1))
        else:
            decided[task.name] = _thresholds(task, predicted, labels, starts)
    return decided


def figures(data: Labelled, chances: Chances) -> dict[str, Any]:
    """Measure each task; decisions are those of the other folds."""
    measured = {}
    for task, rows, labels, starts in _labelled(data):
        predicted, folds = chances[task.name][rows], data.row_fold[rows]
        if task.exclusive:
            right = labels.argmax(axis=1)
            corrections = np.zeros(predicted.shape)
            for fold in np.unique(folds):
                training = folds != fold
                corrections[~training] = fit_correction(predicted[training], right[training])
            measured[task.name] = exclusive_figures(task, right, predicted, corrections)
        else:
            measured[task.name] = _aspect_figures(task, labels, predicted, starts, folds)
    return measured


def exclusive_figures(task: Task, right: NDArray[Any], chances: NDArray[Any], correction: Any = 0.0) -> dict[str, Any]:
    """Measure a task with one right class (n,) per sentence by its probabilities (n, classes)."""
    answers, answered = answer(chances, correction)
    by_class = {name: f1(right == k, answers == k) for k, name in enumerate(task.classes)}
    hits = answers == right
    return {
        "sentences": len(right),
        "macro_f1": float(np.mean(list(by_class.values()))),
        "accuracy": float(hits.mean()),
        "answered": float(answered.mean()),
        "accuracy_where_answered": float(hits[answered].mean()) if answered.any() else None,
        "f1": by_class,
        "calibration": calibration(chances[np.arange(len(chances)), answers], hits),
    }


def calibration(chances: NDArray[Any], right: NDArray[Any]) -> dict[str, Any]:
    """Expected calibration error, and the reliability diagram behind it: mean probability, share right, count."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    diagram = []
    error = 0.0
    for rows in (bins == number for number in np.unique(bins)):
        claimed, true = float(chances[rows].mean()), float(right[rows].mean())
        diagram.append({"said": round(claimed, 4), "true": round(true, 4), "count": int(rows.sum())})
        error += rows.mean() * abs(claimed - true)
    return {"error": float(error), "diagram": diagram}


def summary(measured: Mapping[str, Mapping[str, Any]], tasks: Sequence[str]) -> dict[str, float]:
    """The figures that decide, flat."""
    flat = {}
    for name in tasks:
        flat[f"{name}_macro_f1"] = measured[name]["macro_f1"]
        if "presence" in measured[name]:
            flat[f"{name}_micro_f1"] = measured[name]["micro_f1"]
            flat["presence_micro_f1"] = measured[name]["presence"]["micro_f1"]
    return flat


def _aspect_figures(
    task: Task,
    labels: NDArray[np.float32],
    chances: NDArray[np.float32],
    starts: NDArray[np.int64],
    row_fold: NDArray[np.int64],
) -> dict[str, Any]:
    """Figures of aspects on sentences, (sentences, aspects), and on whole reviews, (reviews, aspects)."""
    folds = row_fold[starts[:-1]]
    shape = (len(folds), len(task.classes))
    tagged = np.zeros(chances.shape, bool)
    present, absent, sure = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape)
    for fold in np.unique(folds):
        reviews, training = folds == fold, row_fold != fold
        learned = _thresholds(task, chances[training], labels[training], np.cumsum([0, *np.diff(starts)[~reviews]]))
        limits, on_reviews = learned["sentence"], learned["presence"]
        tagged[~training] = chances[~training] >= [limits[name] for name in task.classes]
        for review in np.flatnonzero(reviews):
            predicted = presence(on_reviews, task.classes, chances[starts[review] : starts[review + 1]])
            sure[review] = list(predicted.values())
        present[reviews] = sure[reviews] >= on_reviews["present"]
        absent[reviews] = sure[reviews] < [on_reviews["aspects"][name]["absent"] for name in task.classes]
    right = labels > 0
    has = per_review(right, starts)
    return {
        "sentences": len(right),
        **_f1_figures(task, right, tagged, chances),
        "presence": {"reviews": len(has), **_f1_figures(task, has, present, sure)},
        "omissions": {
            "stated": int(absent.sum()),
            "true": float((~has)[absent].mean()) if absent.any() else None,
            "found": float(absent[~has].mean()),
        },
    }


def _f1_figures(task: Task, right: NDArray[Any], tagged: NDArray[Any], chances: NDArray[Any]) -> dict[str, Any]:
    by_class = {name: f1(right[:, k], tagged[:, k]) for k, name in enumerate(task.classes)}
    return {
        "macro_f1": float(np.mean(list(by_class.values()))),
        "micro_f1": f1(right, tagged),
        "f1": by_class,
        "calibration": calibration(chances.ravel(), right.ravel()),
    }


def _thresholds(
    task: Task, chances: NDArray[np.float32], labels: NDArray[np.float32], starts: NDArray[np.int64]
) -> dict[str, Any]:
    """Thresholds of aspects, for sentences and for reviews."""
    limits = {
        name: round(best_threshold(labels[:, column], chances[:, column]), 4)
        for column, name in enumerate(task.classes)
    }
    return {"sentence": limits, "presence": fit_presence(task.classes, chances, labels, starts)}


def _labelled(data: Labelled) -> Iterator[tuple[Task, NDArray[np.bool_], NDArray[np.float32], NDArray[np.int64]]]:
    """For every task the rows that have a label, these labels, and where each review begins among the rows."""
    for task, span in zip(data.tasks, columns(data.tasks).values(), strict=True):
        rows = ~np.isnan(data.labels[:, span.start])
        counts = np.add.reduceat(rows.astype(np.int64), data.starts[:-1])
        yield task, rows, data.labels[rows][:, span], np.cumsum([0, *counts[counts > 0]])
