"""Ridge regression on ±1 over dense vectors: as good here as logistic regression, and many times faster.

All that a fit needs of its rows are sums and products, and these add up: so every row is read once, and the regression
without a fold is what remains when the fold's sums are taken away. Outputs with labels on the same rows share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.outputs import Layer

_STRETCH = 4.0  # from a regression on ±1 to log-odds, roughly; the second layer does the rest


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Of some rows x with targets y: their number, Σx, Σy, Σxxᵀ and Σxyᵀ."""

    count: int
    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    squares: NDArray[np.float32]
    products: NDArray[np.float32]

    @classmethod
    def of(cls, rows: NDArray[np.float32], signs: NDArray[np.float32]) -> Sums:
        """Read rows (n, features) and their targets (n, outputs)."""
        return cls(len(rows), rows.sum(axis=0), signs.sum(axis=0), rows.T @ rows, rows.T @ signs)

    def plus(self, other: Sums, sign: int = 1) -> Sums:
        """The sums of both, or of these without the others."""
        return Sums(
            self.count + sign * other.count,
            self.features + sign * other.features,
            self.targets + sign * other.targets,
            self.squares + sign * other.squares,
            self.products + sign * other.products,
        )

    def solve(self, penalty: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights (features, outputs) and offsets (outputs,) that minimise Σ(y − xw − b)² + penalty·|w|²."""
        from scipy.linalg import cho_factor, cho_solve

        mean, level = self.features / self.count, self.targets / self.count
        matrix = self.squares - self.count * np.outer(mean, mean)
        matrix[np.diag_indices_from(matrix)] += np.float32(penalty)
        right = self.products - self.count * np.outer(mean, level)
        weights = np.asarray(cho_solve(cho_factor(matrix, overwrite_a=True), right), np.float32)
        return weights, np.asarray(level - mean @ weights, np.float32)


def fit_vectors(
    vectors: NDArray[np.float32], wanted: NDArray[np.float32], row_fold: NDArray[np.int64], penalty: float
) -> list[Layer]:
    """One layer without each fold in turn, and at the end the layer of everything.

    Args:
        vectors: (rows, features); columns are standardised, and mean and spread become part of the weights.
        wanted: (rows, outputs), 1, 0, or NaN where a row has no label.
        row_fold: (rows,), the fold of each row.
        penalty: on the squared weights.
    """
    center, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
    rows = (vectors - center) / spread
    folds = int(row_fold.max()) + 1
    layers = [
        Layer(np.zeros((vectors.shape[1], wanted.shape[1]), np.float32), np.zeros(wanted.shape[1], np.float32))
        for _ in range(folds + 1)
    ]
    missing = np.isnan(wanted)
    patterns: dict[bytes, list[int]] = {}
    for output in range(wanted.shape[1]):
        patterns.setdefault(missing[:, output].tobytes(), []).append(output)
    for outputs in patterns.values():
        labelled = ~missing[:, outputs[0]]
        parts = []
        for fold in range(folds):
            inside = labelled & (row_fold == fold)
            parts.append(Sums.of(rows[inside], 2 * wanted[inside][:, outputs] - 1))
        total = reduce(Sums.plus, parts)
        for layer, sums in zip(layers, [*(total.plus(part, -1) for part in parts), total], strict=True):
            weights, offset = sums.solve(penalty)
            weights /= spread[:, None]
            layer.weights[:, outputs] = _STRETCH * weights
            layer.bias[outputs] = _STRETCH * (offset - center @ weights)
    return layers
