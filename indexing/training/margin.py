"""Learning vectors of subwords from pairs of texts: a margin over the hardest negative of the batch, and Adam.

A text is the mean of its subwords' vectors and two texts are compared by their cosine f. For a batch of pairs (aᵢ, bᵢ)
the hardest negative of aᵢ is the bⱼ, j ≠ i, that is nearest to it, and the loss is

    Σᵢ max(0, δ − f(aᵢ, bᵢ) + max_{j≠i} f(aᵢ, bⱼ))

(Wieting et al. 2019; Stelmakh et al. 2023, Appendix B). A batch reads some three thousand of twenty thousand vectors,
and a step touches those only: Adam's moments of the others stay as they are until they are read again, as in
`torch.optim.SparseAdam`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.acl import Bags
from indexing.tables.ownership import gather_rows

BETAS = (0.9, 0.999)
EPSILON = 1e-8

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def split_halves(texts: Bags, selection: Ints, random: np.random.Generator) -> tuple[Bags, Bags]:
    """Both halves of each chosen text, its subwords dealt out at random; each text has at least two."""
    sources, lengths = gather_rows(texts.starts, selection)
    rows = np.repeat(np.arange(len(selection)), lengths)
    offsets = sources - texts.starts[selection][rows]  # within each text
    shuffled = texts.tokens[sources[np.argsort(rows + random.random(len(rows)))]]
    left = offsets < (lengths // 2)[rows]
    halves = lengths // 2, lengths - lengths // 2
    starts = [np.concatenate(([0], np.cumsum(half))) for half in halves]
    return Bags(shuffled[left], starts[0]), Bags(shuffled[~left], starts[1])


def margin_loss(left: Floats, right: Floats, margin: float) -> tuple[float, Floats, Floats]:
    """The loss of a batch of pairs, (pairs, dimension) each and two or more, and its derivatives by both sides."""
    a, a_lengths = _normalised(left)
    b, b_lengths = _normalised(right)
    cosines = a @ b.T
    positives = cosines.diagonal().copy()
    np.fill_diagonal(cosines, -np.inf)
    pairs, hardest = np.arange(len(a)), cosines.argmax(axis=1)
    losses = margin - positives + cosines[pairs, hardest]
    missed = (losses > 0).astype(np.float32)
    slopes = np.zeros_like(cosines)
    slopes[pairs, pairs] = -missed
    slopes[pairs, hardest] += missed
    return (
        float(losses @ missed),
        _through_normalisation(slopes @ b, a, a_lengths),
        _through_normalisation(slopes.T @ a, b, b_lengths),
    )


def _normalised(vectors: Floats) -> tuple[Floats, Floats]:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors / lengths, lengths


def _through_normalisation(slopes: Floats, directions: Floats, lengths: Floats) -> Floats:
    along = np.einsum("ij,ij->i", slopes, directions)[:, None]
    gradient: Floats = (slopes - along * directions) / lengths
    return gradient


@dataclass(slots=True, eq=False)
class MarginLearner:
    """Vectors of subwords (subwords, dimension) while they are learned, and Adam's moments of the gradient."""

    vectors: Floats
    means: Floats
    squares: Floats
    steps: int = 0

    @classmethod
    def new(cls, subwords: int, dimension: int, seed: int) -> MarginLearner:
        """Standard normal vectors: long ones, at which rare subwords change little and frequent ones fade."""
        vectors = np.random.default_rng(seed).standard_normal((subwords, dimension), dtype=np.float32)
        return cls(vectors, np.zeros_like(vectors), np.zeros_like(vectors))

    def step(self, left: Bags, right: Bags, margin: float, rate: float) -> float:
        """Learn from a batch of pairs; returns its loss."""
        rows, columns = np.unique(np.concatenate([left.tokens, right.tokens]), return_inverse=True)
        texts = Bags(columns.astype(np.int32), np.concatenate([left.starts, left.starts[-1] + right.starts[1:]]))
        counts, lengths = texts.counts(len(rows)), texts.lengths[:, None].astype(np.float32)
        vectors, means, squares = self.vectors[rows], self.means[rows], self.squares[rows]
        averages = (counts @ vectors) / lengths
        loss, *slopes = margin_loss(averages[: len(left)], averages[len(left) :], margin)
        gradient = counts.T @ (np.concatenate(slopes) / lengths)
        self.steps += 1
        means += (1 - BETAS[0]) * (gradient - means)
        squares += (1 - BETAS[1]) * (gradient * gradient - squares)
        unbiased, unbiased_squares = means / (1 - BETAS[0] ** self.steps), squares / (1 - BETAS[1] ** self.steps)
        self.vectors[rows] = vectors - rate * unbiased / (np.sqrt(unbiased_squares) + EPSILON)
        self.means[rows], self.squares[rows] = means, squares
        return loss
