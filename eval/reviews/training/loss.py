"""The loss of all tasks at once, for what is trained with PyTorch: the network, and a fine-tuned BERT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval.reviews.tagging.tasks import Task, columns

_ASPECT_WEIGHT = 3.0  # of the loss of outputs that do not exclude each other: a mean over many easy zeros
_SMOOTHING = 0.05  # of the labels of exclusive tasks


def multi_task_loss(found: Any, wanted: Any, tasks: Sequence[Task]) -> Any:
    """The sum of the tasks' losses, each by the share of the sentences that have a label for it.

    Args:
        found: (sentences, outputs), log-odds.
        wanted: (sentences, outputs), 1, 0, or NaN where a sentence has no label.
        tasks: whose outputs these are.
    """
    from torch.nn import functional

    total = found.sum() * 0
    for task in tasks:
        own = columns(tasks)[task.name]
        labelled = ~wanted[:, own.start].isnan()
        if labelled.any():
            said, right = found[labelled][:, own], wanted[labelled][:, own]
            if task.exclusive:
                loss = functional.cross_entropy(said, right.argmax(1), label_smoothing=_SMOOTHING)
            else:
                loss = _ASPECT_WEIGHT * functional.binary_cross_entropy_with_logits(said, right)
            total = total + loss * labelled.sum() / len(found)
    return total
