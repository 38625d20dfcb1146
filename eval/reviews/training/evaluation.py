"""How good tags are: F1 by class, whole reviews, and whether a probability of .8 is right eight times in ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.decisions import answer as decide
from eval.reviews.tagging.decisions import f1
from eval.reviews.tagging.presence import per_review
from eval.reviews.tagging.tasks import Task

_BINS = 10


def exclusive_figures(task: Task, wanted: NDArray[Any], chances: NDArray[Any], correction: Any = 0.0) -> dict[str, Any]:
    """Figures of a task with one answer.

    Args:
        task: its classes.
        wanted: (n,), numbers of classes.
        chances: (n, classes), their probabilities.
        correction: of the classes' log-probabilities, see `decisions.py`.
    """
    answer, answered = decide(chances, correction)
    surest = chances[np.arange(len(chances)), answer]
    by_class = {name: f1(wanted == k, answer == k) for k, name in enumerate(task.classes)}
    right = answer == wanted
    return {
        "sentences": len(wanted),
        "macro_f1": float(np.mean(list(by_class.values()))),
        "accuracy": float(right.mean()),
        "answered": float(answered.mean()),
        "accuracy_where_answered": float(right[answered].mean()) if answered.any() else None,
        "f1": by_class,
        "calibration": calibration(surest, right),
    }


def aspect_figures(
    task: Task,
    wanted: NDArray[Any],
    tagged: NDArray[Any],
    chances: NDArray[Any],
    starts: NDArray[np.int64],
    present: NDArray[Any],
    present_chances: NDArray[Any],
    absent: NDArray[Any],
) -> dict[str, Any]:
    """Figures of aspects on sentences, (sentences, aspects), and on whole reviews, (reviews, aspects)."""
    wanted = wanted > 0
    has = per_review(wanted, starts)
    by_class = {name: f1(wanted[:, k], tagged[:, k]) for k, name in enumerate(task.classes)}
    by_review = {name: f1(has[:, k], present[:, k]) for k, name in enumerate(task.classes)}
    return {
        "sentences": len(wanted),
        "macro_f1": float(np.mean(list(by_class.values()))),
        "micro_f1": f1(wanted, tagged),
        "f1": by_class,
        "calibration": calibration(chances.ravel(), wanted.ravel()),
        "presence": {
            "reviews": len(has),
            "micro_f1": f1(has, present),
            "macro_f1": float(np.mean(list(by_review.values()))),
            "f1": by_review,
            "calibration": calibration(present_chances.ravel(), has.ravel()),
        },
        "omissions": {
            "stated": int(absent.sum()),
            "true": float((~has)[absent].mean()) if absent.any() else None,
            "found": float(absent[~has].mean()),
        },
    }


def calibration(chances: NDArray[Any], right: NDArray[Any]) -> dict[str, Any]:
    """Expected calibration error, and the reliability diagram behind it: mean probability, share right, count."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    diagram = []
    error = 0.0
    for number in range(_BINS):
        inside = bins == number
        if inside.any():
            said, true = float(chances[inside].mean()), float(right[inside].mean())
            diagram.append({"said": round(said, 4), "true": round(true, 4), "count": int(inside.sum())})
            error += inside.mean() * abs(said - true)
    return {"error": float(error), "diagram": diagram}


def summary(figures: Mapping[str, Mapping[str, Any]], tasks: Sequence[str]) -> dict[str, float]:
    """The figures that the bars are about, flat."""
    found = {}
    for name in tasks:
        found[f"{name}_macro_f1"] = figures[name]["macro_f1"]
        if "presence" in figures[name]:
            found[f"{name}_micro_f1"] = figures[name]["micro_f1"]
            found["presence_micro_f1"] = figures[name]["presence"]["micro_f1"]
    return found
