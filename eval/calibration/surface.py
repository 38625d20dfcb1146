"""The likelihood over a grid of the two ratios α_b/α_f and σ²/α_f, in which the original model was fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval.calibration.model import Evaluation, Floats, MixedModel

GRID_POINTS = 25
GRID_RANGE = (0.01, 10.0)
_SPAN = 8.0  # a surface around an estimate reaches this factor to either side


@dataclass(frozen=True, slots=True)
class Surface:
    """`nll[i, j]` is −log L at `alpha_b_ratios[i]`, `sigma2_ratios[j]`, with the best α_f and μ for that point."""

    alpha_b_ratios: Floats
    sigma2_ratios: Floats
    nll: Floats

    def best(self) -> tuple[int, int]:
        """The row and the column of the highest likelihood."""
        row, column = np.unravel_index(np.argmin(self.nll), self.nll.shape)
        return int(row), int(column)

    def best_ratios(self) -> Floats:
        """The variance ratios γ of the best point."""
        row, column = self.best()
        return _ratios(self.alpha_b_ratios[row], self.sigma2_ratios[column])

    def best_on_edge(self) -> bool:
        """Whether a wider grid might hold a better point."""
        return any(position in (0, size - 1) for position, size in zip(self.best(), self.nll.shape, strict=True))


def likelihood_surface(model: MixedModel, points: int = GRID_POINTS, around: Evaluation | None = None) -> Surface:
    """Evaluate a logarithmic grid: a wide one, or one `around` an estimate, whose further ratios are kept."""
    if around is None:
        ranges, rest = (GRID_RANGE, GRID_RANGE), np.empty(0)
    else:
        offset, noise = np.clip(np.array([around.ratios[1], 1.0]) / around.ratios[0], 1e-3, 1e3)
        ranges, rest = ((offset / _SPAN, offset * _SPAN), (noise / _SPAN, noise * _SPAN)), around.ratios[2:]
    offsets, noises = (np.geomspace(*limits, points) for limits in ranges)
    nll = [[model.at(np.concatenate([_ratios(b, s), rest])).nll for s in noises] for b in offsets]
    return Surface(offsets, noises, np.array(nll))


def _ratios(alpha_b_ratio: float, sigma2_ratio: float) -> Floats:
    return np.array([1.0, alpha_b_ratio]) / sigma2_ratio
