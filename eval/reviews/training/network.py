"""Training the network over vectors, with PyTorch: a few passes over whole reviews, all tasks at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.network import Network, standardised
from eval.reviews.tagging.outputs import REACH, Layer, neighbours, positions
from eval.reviews.tagging.tasks import Task
from eval.reviews.training.loss import multi_task_loss


@dataclass(frozen=True, slots=True)
class NetworkTraining:
    """Settings; the sizes are hidden units."""

    own: int = 128
    near: int = 48
    epochs: int = 10
    batch: int = 16  # reviews
    rate: float = 1e-3
    decay: float = 1e-2
    seed: int = 0

    def fit(
        self,
        vectors: NDArray[np.float32],
        width: int,
        wanted: NDArray[np.float32],
        starts: NDArray[np.int64],
        tasks: Sequence[Task],
        reviews: NDArray[np.int64],
    ) -> Network:
        """Learn from some reviews.

        Args:
            vectors: (sentences, features) in context, of all reviews.
            width: how many of the features are the sentence's own.
            wanted: (sentences, outputs), 1, 0, or NaN where a sentence has no label.
            starts: (reviews + 1,), where each review begins.
            tasks: whose outputs these are.
            reviews: numbers of those to learn from.
        """
        import torch

        torch.manual_seed(self.seed)
        generator = np.random.default_rng(self.seed)
        center, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
        heading = (vectors.shape[1] - width) // 3
        own, near, head = (
            torch.nn.Linear(features, units)
            for features, units in ((width, self.own), (width, self.near), (heading, self.near))
        )
        position = positions(starts)
        output = torch.nn.Linear(self.own + (2 * REACH + 1) * self.near + position.shape[1], wanted.shape[1])
        layers = torch.nn.ModuleList([own, near, head, output])
        shown, hidden = torch.nn.Dropout(0.2), torch.nn.Dropout(0.4)
        optimizer = torch.optim.AdamW(layers.parameters(), lr=self.rate, weight_decay=self.decay)
        steps = self.epochs * -(-len(reviews) // self.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.rate, total_steps=steps)
        for _ in range(self.epochs):
            order = generator.permutation(reviews)
            for start in range(0, len(order), self.batch):
                chosen = order[start : start + self.batch]
                rows = np.concatenate([np.arange(starts[review], starts[review + 1]) for review in chosen])
                batch = torch.from_numpy(standardised(vectors[rows], center, spread))
                text = torch.cat([batch[:, :width], torch.zeros(1, width)])  # the last row is 'no neighbour'
                seen = torch.relu(near(shown(text))) * (torch.arange(len(text)) < len(rows))[:, None]
                units = [torch.relu(own(shown(text[:-1])))]
                inside = np.cumsum([0, *np.diff(starts)[chosen]])
                units += [seen[torch.from_numpy(column)] for column in neighbours(inside)]
                units += [torch.relu(head(batch[:, -heading:])), torch.from_numpy(position[rows])]
                found = output(hidden(torch.cat(units, 1)))
                optimizer.zero_grad()
                multi_task_loss(found, torch.from_numpy(wanted[rows]), tasks).backward()
                optimizer.step()
                schedule.step()
        return Network(center, spread, *(_layer(layer) for layer in layers))


def _layer(layer: Any) -> Layer:
    return Layer(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
