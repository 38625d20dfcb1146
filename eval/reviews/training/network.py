"""Training the network over vectors, with PyTorch: a few passes over whole reviews, all tasks at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.outputs import REACH, Layer, Network, Task, columns, neighbours, positions, standardised
from eval.reviews.training.layers import Labelled

_ASPECT_WEIGHT = 3.0  # weighs the loss of outputs that do not exclude each other: a mean over many easy zeros
_SMOOTHING = 0.05  # how much labels of exclusive tasks are smoothed


@dataclass(frozen=True, slots=True)
class NetworkTraining:
    """Settings of a training; the sizes are hidden units."""

    own: int = 128
    near: int = 48
    epochs: int = 10
    batch: int = 16  # reviews
    rate: float = 1e-3
    decay: float = 1e-2
    seed: int = 0

    def fit(self, data: Labelled, reviews: NDArray[np.int64]) -> Network:
        """Learn from the reviews of these numbers."""
        import torch

        torch.manual_seed(self.seed)
        generator = np.random.default_rng(self.seed)
        vectors, starts, width = data.vectors, data.starts, data.width
        center, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
        heading = (vectors.shape[1] - width) // 3
        own, near, head = (
            torch.nn.Linear(features, units)
            for features, units in ((width, self.own), (width, self.near), (heading, self.near))
        )
        position = positions(starts)
        output = torch.nn.Linear(self.own + (2 * REACH + 1) * self.near + position.shape[1], data.labels.shape[1])
        layers = torch.nn.ModuleList([own, near, head, output])
        shown, hidden = torch.nn.Dropout(0.2), torch.nn.Dropout(0.4)
        optimizer = torch.optim.AdamW(layers.parameters(), lr=self.rate, weight_decay=self.decay)
        steps = self.epochs * -(-len(reviews) // self.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.rate, total_steps=steps)
        for _ in range(self.epochs):
            order = generator.permutation(reviews)
            for start in range(0, len(order), self.batch):
                chosen = order[start : start + self.batch]
                rows = data.rows(chosen)
                batch = torch.from_numpy(standardised(vectors[rows], center, spread))
                text = torch.cat([batch[:, :width], torch.zeros(1, width)])  # the last row is 'no neighbour'
                seen = torch.relu(near(shown(text))) * (torch.arange(len(text)) < len(rows))[:, None]
                units = [torch.relu(own(shown(text[:-1])))]
                inside = np.cumsum([0, *np.diff(starts)[chosen]])
                units += [seen[torch.from_numpy(column)] for column in neighbours(inside)]
                units += [torch.relu(head(batch[:, -heading:])), torch.from_numpy(position[rows])]
                logits = output(hidden(torch.cat(units, 1)))
                optimizer.zero_grad()
                multi_task_loss(logits, torch.from_numpy(data.labels[rows]), data.tasks).backward()
                optimizer.step()
                schedule.step()
        return Network(center, spread, *(_layer(layer) for layer in layers))


def _layer(layer: Any) -> Layer:
    return Layer(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())


def multi_task_loss(logits: Any, labels: Any, tasks: Sequence[Task]) -> Any:
    """The sum of the tasks' losses, each by the share of the sentences that have a label (not NaN) for it."""
    from torch.nn import functional

    total = logits.sum() * 0
    for task in tasks:
        own = columns(tasks)[task.name]
        labelled = ~labels[:, own.start].isnan()
        if labelled.any():
            predicted, right = logits[labelled][:, own], labels[labelled][:, own]
            if task.exclusive:
                loss = functional.cross_entropy(predicted, right.argmax(1), label_smoothing=_SMOOTHING)
            else:
                loss = _ASPECT_WEIGHT * functional.binary_cross_entropy_with_logits(predicted, right)
            total = total + loss * labelled.sum() / len(logits)
    return total
