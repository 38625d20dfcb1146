"""Learning vectors of subwords from pairs of texts: a margin over the hardest negative of the batch, and Adam.

A text is the mean of its subwords' vectors and two texts are compared by their cosine f. For a batch of pairs (aᵢ, bᵢ)
the hardest negative of aᵢ is the bⱼ, j ≠ i, that is nearest to it, and the loss is

    Σᵢ max(0, δ − f(aᵢ, bᵢ) + max_{j≠i} f(aᵢ, bⱼ))

(Wieting et al. 2019; Stelmakh et al. 2023, Appendix B). A batch reads some three thousand of twenty thousand vectors,
and a step touches those only: Adam's moments of the others stay as they are until they are read again, as in
`torch.optim.SparseAdam`. Every vector is computed by one thread alone, so that the number of threads does not change
what is learned.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from indexing.encoders.acl import Bags, average
from indexing.tables.ownership import gather_rows

BETAS = (0.9, 0.999)
EPSILON = 1e-8

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def split(texts: Bags, chosen: Ints, random: np.random.Generator) -> tuple[Bags, Bags]:
    """Both halves of each chosen text, its subwords dealt out at random; each text has at least two."""
    sources, lengths = gather_rows(texts.starts, chosen)
    rows = np.repeat(np.arange(len(chosen)), lengths)
    offsets = sources - texts.starts[chosen][rows]  # within each text
    shuffled = texts.tokens[sources[np.argsort(rows + random.random(len(rows)))]]
    first = offsets < (lengths // 2)[rows]
    halves = lengths // 2, lengths - lengths // 2
    starts = [np.concatenate(([0], np.cumsum(half))) for half in halves]
    return Bags(shuffled[first], starts[0]), Bags(shuffled[~first], starts[1])


def margin_loss(first: Floats, second: Floats, margin: float) -> tuple[float, Floats, Floats]:
    """The loss of a batch of pairs, (pairs, dimension) each and two or more, and its derivatives by both sides."""
    a, a_lengths = _normalised(first)
    b, b_lengths = _normalised(second)
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

    def step(self, first: Bags, second: Bags, margin: float, rate: float, pool: Executor, threads: int) -> float:
        """Learn from a batch of pairs; returns its loss."""
        tokens = np.concatenate([first.tokens, second.tokens])
        starts = np.concatenate([first.starts, first.starts[-1] + second.starts[1:]])
        lengths = np.diff(starts)
        means = np.empty((len(lengths), self.vectors.shape[1]), dtype=np.float32)
        _share(pool, threads, len(means), lambda a, b: average(self.vectors, tokens, starts, a, b, means))
        loss, *gradients = margin_loss(means[: len(first)], means[len(first) :], margin)
        slopes = np.concatenate(gradients) * (np.float32(1) / lengths[:, None].astype(np.float32))

        order = np.argsort(tokens, kind="stable")
        rows, begins = np.unique(tokens[order], return_index=True)
        begins = np.append(begins, len(tokens))
        texts = np.repeat(np.arange(len(lengths)), lengths)[order]
        self.steps += 1
        scale, root = np.float32(rate / (1 - BETAS[0] ** self.steps)), np.float32(np.sqrt(1 - BETAS[1] ** self.steps))
        state = self.vectors, self.means, self.squares
        _share(pool, threads, len(rows), lambda a, b: adam(*state, rows, begins, texts, slopes, scale, root, a, b))
        return loss


def _share(pool: Executor, threads: int, count: int, work: Callable[[int, int], None]) -> None:
    """`work(start, stop)` on consecutive ranges of `count` things, side by side."""
    cuts = np.linspace(0, count, threads + 1).astype(int).tolist()
    list(pool.map(work, cuts[:-1], cuts[1:]))


@numba.njit(nogil=True, cache=True, fastmath={"contract"})
def adam(
    vectors: Floats,
    means: Floats,
    squares: Floats,
    rows: NDArray[np.int32],
    begins: Ints,
    texts: Ints,
    slopes: Floats,
    rate: np.float32,
    root: np.float32,
    start: int,
    stop: int,
) -> None:
    """One step for the vectors `rows[start:stop]`; `vectors` and both moments are changed in place.

    `begins` (rows + 1) says where the occurrences of each subword of the batch begin in `texts`, which says in which
    text each is; `slopes` (texts, dimension) is what an occurrence in each text adds to the gradient. `rate` and
    `root` correct the bias of `means` and of the root of `squares`.
    """
    decay, decay_squares = np.float32(BETAS[0]), np.float32(BETAS[1])
    gain, gain_squares = np.float32(1 - BETAS[0]), np.float32(1 - BETAS[1])
    epsilon = np.float32(EPSILON)
    gradient = np.empty(vectors.shape[1], dtype=np.float32)
    for number in range(start, stop):
        gradient[:] = 0
        for position in range(begins[number], begins[number + 1]):
            slope = slopes[texts[position]]
            for i in range(len(gradient)):
                gradient[i] += slope[i]
        vector, mean, square = vectors[rows[number]], means[rows[number]], squares[rows[number]]
        for i in range(len(gradient)):
            mean[i] = decay * mean[i] + gain * gradient[i]
            square[i] = decay_squares * square[i] + gain_squares * gradient[i] * gradient[i]
            vector[i] -= rate * mean[i] / (np.sqrt(square[i]) / root + epsilon)
