"""A small network over MiniLM's vectors: a hidden layer that reads a sentence, two on either side, and the heading.

All tasks share the hidden layer, so that a task with few labels learns from the others. It is trained with PyTorch
(`eval/reviews/training/network.py`) and applied with numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.outputs import Layer, beside, positions

LIMIT = 6.0  # standard deviations beyond which a number of a vector does not grow


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Log-odds of a sentence's outputs.

    Attributes:
        center: mean of each number of the vectors in context.
        spread: their standard deviations.
        own: hidden units of the sentence, over its own vector.
        near: hidden units that its neighbours show it, over their own vectors.
        heading: hidden units of its heading.
        output: over all of these and the sentence's position.
    """

    center: NDArray[np.float32]
    spread: NDArray[np.float32]
    own: Layer
    near: Layer
    heading: Layer
    output: Layer

    def __call__(self, vectors: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """(sentences, outputs) of vectors in context (sentences, features); `starts` says where each review begins."""
        rows = standardised(vectors, self.center, self.spread)
        text, heading = rows[:, : len(self.own.weights)], rows[:, -len(self.heading.weights) :]
        _, *neighbours = beside(_positive(self.near(text)), starts)
        seen = [_positive(self.own(text)), *neighbours, _positive(self.heading(heading)), positions(starts)]
        return self.output(np.hstack(seen))


def standardised(
    vectors: NDArray[np.float32], center: NDArray[np.float32], spread: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Columns of mean 0 and spread 1, bounded."""
    return np.asarray(np.clip((vectors - center) / spread, -LIMIT, LIMIT), np.float32)


def _positive(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(values, 0)
